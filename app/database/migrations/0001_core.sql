-- Times are milliseconds since 1970 (UTC).

CREATE TABLE users (
    user_id         TEXT PRIMARY KEY,
    name            TEXT,
    language        TEXT NOT NULL,
    trust           TEXT NOT NULL DEFAULT 'trusted',
    wa_id           TEXT,
    bsuid           TEXT,
    last_inbound_at INTEGER NOT NULL,
    created_at      INTEGER NOT NULL
) STRICT;

-- Every id under which a person was ever seen.
CREATE TABLE identities (
    alias      TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX identities_user ON identities(user_id);

-- Outlives the inbox row: Meta may redeliver for seven days.
CREATE TABLE processed_messages (
    message_id  TEXT PRIMARY KEY,
    received_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    message_id   TEXT NOT NULL UNIQUE,
    lane         TEXT NOT NULL,
    kind         TEXT NOT NULL,
    ref_id       TEXT,
    is_mergeable INTEGER NOT NULL,
    payload      TEXT NOT NULL,
    state        TEXT NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    turn_id      INTEGER,
    sent_at      INTEGER NOT NULL,
    received_at  INTEGER NOT NULL,
    available_at INTEGER NOT NULL,
    finished_at  INTEGER,
    error        TEXT
) STRICT;

CREATE INDEX inbox_open ON inbox(user_id, lane, sent_at, id) WHERE state IN ('pending', 'running', 'missed');
CREATE INDEX inbox_turn ON inbox(turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbox_refs ON inbox(ref_id) WHERE ref_id IS NOT NULL;

CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    turn_id      INTEGER,
    seq          INTEGER NOT NULL,
    payload      TEXT NOT NULL,
    state        TEXT NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    available_at INTEGER NOT NULL,
    sent_at      INTEGER,
    message_id   TEXT,
    -- Late statuses of a send that failed must not settle its repetition.
    failed_message_id TEXT,
    delivery     TEXT,
    is_billable  INTEGER,
    category     TEXT,
    error        TEXT,
    UNIQUE (turn_id, seq)
) STRICT;

CREATE INDEX outbox_open ON outbox(user_id, id) WHERE state IN ('pending', 'sending', 'unknown', 'held');
CREATE INDEX outbox_message ON outbox(message_id) WHERE message_id IS NOT NULL;

-- Who wrote without being allowed: shown to the admin, never answered.
CREATE TABLE strangers (
    alias    TEXT PRIMARY KEY,
    name     TEXT,
    attempts INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
