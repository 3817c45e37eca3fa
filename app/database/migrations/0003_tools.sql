-- NULL: the person never chose one, and TOOL_CONFIRMATION counts.
ALTER TABLE users ADD COLUMN mode TEXT;

-- Categories (JSON) that stay until the time given, and the skills whose instructions were already given (JSON).
ALTER TABLE conversations ADD COLUMN sticky TEXT NOT NULL DEFAULT '[]';
ALTER TABLE conversations ADD COLUMN sticky_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN given_skills TEXT NOT NULL DEFAULT '[]';

-- Questions asked before a tool runs. States: pending → yes | no | abort | expired | cancelled.
CREATE TABLE approvals (
    token       TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    turn_id     INTEGER NOT NULL,
    tool        TEXT NOT NULL,
    call_hash   TEXT NOT NULL,
    state       TEXT NOT NULL,
    outbox_id   INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    answered_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX approvals_user ON approvals(user_id, state);

-- The chain outlives its users, so `actor` (a user_id) is no reference: forgetting a person blanks `content`,
-- which `content_hash` stands for.
CREATE TABLE audit_events (
    id            INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    actor         TEXT NOT NULL,
    turn_id       INTEGER NOT NULL,
    tool          TEXT NOT NULL,
    phase         TEXT NOT NULL CHECK (phase IN ('intent', 'outcome')),
    intent_id     INTEGER NOT NULL,
    verdict       TEXT NOT NULL,
    duration_ms   INTEGER NOT NULL,
    content       TEXT,
    content_hash  TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    entry_hash    TEXT NOT NULL
) STRICT;

CREATE INDEX audit_events_actor ON audit_events(actor, id);

CREATE TRIGGER audit_events_are_kept BEFORE DELETE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit events are never deleted');
END;

CREATE TRIGGER audit_events_are_final BEFORE UPDATE OF
    id, at, actor, turn_id, tool, phase, intent_id, verdict, duration_ms, content_hash, previous_hash, entry_hash
    ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit events are never changed');
END;

CREATE TRIGGER audit_content_is_only_blanked BEFORE UPDATE OF content ON audit_events WHEN NEW.content IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'the content of an audit event is only ever blanked');
END;

-- What a turn already did, so that its retry does not do it again. States: started → finished.
CREATE TABLE tool_journal (
    turn_id    INTEGER NOT NULL,
    tool       TEXT NOT NULL,
    call_hash  TEXT NOT NULL,
    occurrence INTEGER NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    state      TEXT NOT NULL,
    result     TEXT,
    started_at INTEGER NOT NULL,
    PRIMARY KEY (turn_id, tool, call_hash, occurrence)
) STRICT, WITHOUT ROWID;

CREATE INDEX tool_journal_user ON tool_journal(user_id, turn_id);

CREATE TABLE turn_traces (
    turn_id    INTEGER PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    trace      TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX turn_traces_user ON turn_traces(user_id, turn_id);
