-- A database as the program kept it before abilities brought their own migrations: schema 0010, and some data.
CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL);

-- 0001_core.sql
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
INSERT INTO schema_migrations VALUES (1, 'core', 'c8c67a8dddf00c34919ce5781826551fffb11e696519ad11424bc64a05240759', '2026-11-01T10:00:00+00:00');

-- 0002_conversations.sql
CREATE TABLE conversations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;

-- At most one open conversation for each user.
CREATE UNIQUE INDEX conversations_open ON conversations(user_id) WHERE ended_at IS NULL;

CREATE TABLE messages (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    turn_id         INTEGER NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    text            TEXT NOT NULL,
    message_id      TEXT,
    reaction        TEXT,
    created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX messages_conversation ON messages(conversation_id, id);
CREATE INDEX messages_turn ON messages(turn_id);
CREATE UNIQUE INDEX messages_wa ON messages(message_id) WHERE message_id IS NOT NULL;
INSERT INTO schema_migrations VALUES (2, 'conversations', '490b922679de13c67f10376ced99ca4dc304fee7352da9af4da6cd294b91133a', '2026-11-01T10:00:00+00:00');

-- 0003_tools.sql
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
INSERT INTO schema_migrations VALUES (3, 'tools', '8f2633a5df01e5276db086f955fc9de550d88efd903e0bc112c12340454d4a44', '2026-11-01T10:00:00+00:00');

-- 0004_notes_projects.sql
-- Times are milliseconds since 1970 (UTC).
-- `number` is what people say ("note 3"): it counts per owner and is never given twice.

CREATE TABLE user_numbers (
    user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    last    INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    title      TEXT NOT NULL,
    content    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (user_id, number)
) STRICT;

CREATE VIRTUAL TABLE notes_fts USING fts5(
    title, content, content = 'notes', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER notes_inserted AFTER INSERT ON notes BEGIN
    INSERT INTO notes_fts(rowid, title, content) VALUES (new.id, new.title, new.content);
END;

CREATE TRIGGER notes_deleted AFTER DELETE ON notes BEGIN
    INSERT INTO notes_fts(notes_fts, rowid, title, content) VALUES ('delete', old.id, old.title, old.content);
END;

CREATE TRIGGER notes_updated AFTER UPDATE OF title, content ON notes BEGIN
    INSERT INTO notes_fts(notes_fts, rowid, title, content) VALUES ('delete', old.id, old.title, old.content);
    INSERT INTO notes_fts(rowid, title, content) VALUES (new.id, new.title, new.content);
END;

-- `name_key` is the name without case and accents: "Jardín" and "JARDIN" are one project.
CREATE TABLE projects (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL DEFAULT 'active',
    last_task   INTEGER NOT NULL DEFAULT 0,
    last_note   INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    UNIQUE (user_id, number),
    UNIQUE (user_id, name_key),
    UNIQUE (user_id, id)
) STRICT;

-- The pair as foreign key: nothing can hang on a project of somebody else.
CREATE TABLE project_tasks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    title      TEXT NOT NULL,
    status     TEXT NOT NULL DEFAULT 'pending',
    priority   TEXT NOT NULL DEFAULT 'medium',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, number),
    FOREIGN KEY (user_id, project_id) REFERENCES projects(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX project_tasks_owner ON project_tasks(user_id, project_id, number);

CREATE TABLE project_activity (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    what       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    FOREIGN KEY (user_id, project_id) REFERENCES projects(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX project_activity_owner ON project_activity(user_id, project_id, id);

CREATE TABLE project_notes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    content    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, number),
    FOREIGN KEY (user_id, project_id) REFERENCES projects(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX project_notes_owner ON project_notes(user_id, project_id, number);

CREATE VIRTUAL TABLE project_notes_fts USING fts5(
    content, content = 'project_notes', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER project_notes_inserted AFTER INSERT ON project_notes BEGIN
    INSERT INTO project_notes_fts(rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER project_notes_deleted AFTER DELETE ON project_notes BEGIN
    INSERT INTO project_notes_fts(project_notes_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;

CREATE TRIGGER project_notes_updated AFTER UPDATE OF content ON project_notes BEGIN
    INSERT INTO project_notes_fts(project_notes_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO project_notes_fts(rowid, content) VALUES (new.id, new.content);
END;
INSERT INTO schema_migrations VALUES (4, 'notes_projects', '414744e8f022bebbe45d195e072c4391b157834afff1324fca8e5bea28301c43', '2026-11-01T10:00:00+00:00');

-- 0005_former_identities.sql
-- Ids that people had before they moved to another number. Meta may give such a number to somebody else, so it
-- identifies nobody any more; in ALLOWED_PHONE_NUMBERS and ADMIN_PHONE_NUMBERS it goes on meaning the first
-- person who had it.
CREATE TABLE former_identities (
    alias    TEXT PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX former_identities_user ON former_identities(user_id);

-- For whom an entry of those settings stands.
CREATE VIEW entries_meant AS
    SELECT alias, user_id FROM former_identities
    UNION ALL
    SELECT alias, user_id FROM identities WHERE alias NOT IN (SELECT alias FROM former_identities);
INSERT INTO schema_migrations VALUES (5, 'former_identities', '44fd9630bafa442bce2abe4c07714eb3e89fc94673032ff4f14c50a7b5ede37e', '2026-11-01T10:00:00+00:00');

-- 0006_memories.sql
-- Facts about a person. States: active → inactive and back; `reason` says why one no longer counts.
-- `text_key` is the text without case, accents and punctuation. `number` is NULL while a fact was never shown: it
-- only said again what another one (`replaced_by`) says. `source_turn_id` is NULL for what was typed in MEMORY.md:
-- no message can take it back.
CREATE TABLE memories (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    number         INTEGER,
    text           TEXT NOT NULL,
    text_key       TEXT NOT NULL,
    category       TEXT NOT NULL DEFAULT 'general',
    state          TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
    reason         TEXT,
    replaced_by    INTEGER REFERENCES memories ON DELETE SET NULL,
    source_turn_id INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (user_id, number),
    CHECK (state = 'inactive' OR number IS NOT NULL)
) STRICT;

CREATE INDEX memories_active ON memories(user_id, number) WHERE state = 'active';
CREATE INDEX memories_turn ON memories(user_id, source_turn_id) WHERE source_turn_id IS NOT NULL;
CREATE INDEX memories_replaced ON memories(replaced_by) WHERE replaced_by IS NOT NULL;

-- `user_id` is searched too: the words of fifty people must not be ranked to find those of one.
CREATE VIRTUAL TABLE memories_fts USING fts5(
    user_id, text, content = 'memories', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER memories_inserted AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts(rowid, user_id, text) VALUES (new.id, new.user_id, new.text);
END;

CREATE TRIGGER memories_deleted AFTER DELETE ON memories BEGIN
    INSERT INTO memories_fts(memories_fts, rowid, user_id, text) VALUES ('delete', old.id, old.user_id, old.text);
END;

CREATE TRIGGER memories_updated AFTER UPDATE OF user_id, text ON memories BEGIN
    INSERT INTO memories_fts(memories_fts, rowid, user_id, text) VALUES ('delete', old.id, old.user_id, old.text);
    INSERT INTO memories_fts(rowid, user_id, text) VALUES (new.id, new.user_id, new.text);
END;

-- A forgotten fact is deleted; its fingerprints stay, so that older messages (those up to `through_turn_id`), read
-- once more when they are summarised, do not bring it back.
CREATE TABLE forgotten_memories (
    user_id         TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    fingerprint     TEXT NOT NULL,
    through_turn_id INTEGER NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- What MEMORY.md said when it and the table last agreed: the hash of the file and its entries (JSON), from which
-- later edits on either side are told apart.
CREATE TABLE memory_mirrors (
    user_id    TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    file_hash  TEXT NOT NULL,
    entries    TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO schema_migrations VALUES (6, 'memories', '3cd4398cb620f41ff8a39b92559592b00498c1d197f3588fbdd810dbb4e188d7', '2026-11-01T10:00:00+00:00');

-- 0007_days.sql
-- What is derived from conversations. Times are milliseconds since 1970 (UTC); a day is a date in the user's zone.

-- `revision` counts what was taken back or rewritten: whoever derives something from messages writes it only while
-- the number is the one that was read with them. Both columns belong to the derivations, not to the talk.
ALTER TABLE conversations ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN extracted_through_message_id INTEGER NOT NULL DEFAULT 0;

-- For the pairs below: nothing can hang on a conversation of somebody else.
CREATE UNIQUE INDEX conversations_owner ON conversations(user_id, id);
CREATE INDEX conversations_ended ON conversations(ended_at) WHERE ended_at IS NOT NULL;

-- `text` stands for the messages up to `through_message_id`; history is what comes after.
CREATE TABLE summaries (
    conversation_id    INTEGER PRIMARY KEY,
    user_id            TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    text               TEXT NOT NULL,
    through_message_id INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX summaries_user ON summaries(user_id, conversation_id);

CREATE TABLE daily_events (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    day            TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    text           TEXT NOT NULL,
    source_turn_id INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    UNIQUE (user_id, day, text)
) STRICT;

CREATE INDEX daily_events_turn ON daily_events(source_turn_id);

CREATE VIRTUAL TABLE daily_events_fts USING fts5(
    text, content = 'daily_events', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER daily_events_inserted AFTER INSERT ON daily_events BEGIN
    INSERT INTO daily_events_fts(rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER daily_events_deleted AFTER DELETE ON daily_events BEGIN
    INSERT INTO daily_events_fts(daily_events_fts, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE TRIGGER daily_events_updated AFTER UPDATE OF text ON daily_events BEGIN
    INSERT INTO daily_events_fts(daily_events_fts, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO daily_events_fts(rowid, text) VALUES (new.id, new.text);
END;

CREATE TABLE snapshots (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    number          INTEGER NOT NULL,
    conversation_id INTEGER NOT NULL UNIQUE,
    title           TEXT NOT NULL,
    text            TEXT NOT NULL,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    UNIQUE (user_id, number),
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE VIRTUAL TABLE snapshots_fts USING fts5(
    title, text, content = 'snapshots', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER snapshots_inserted AFTER INSERT ON snapshots BEGIN
    INSERT INTO snapshots_fts(rowid, title, text) VALUES (new.id, new.title, new.text);
END;

CREATE TRIGGER snapshots_deleted AFTER DELETE ON snapshots BEGIN
    INSERT INTO snapshots_fts(snapshots_fts, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
END;

CREATE TRIGGER snapshots_updated AFTER UPDATE OF title, text ON snapshots BEGIN
    INSERT INTO snapshots_fts(snapshots_fts, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
    INSERT INTO snapshots_fts(rowid, title, text) VALUES (new.id, new.title, new.text);
END;

-- A message that was revoked or edited takes along what was derived from its words. Summary and snapshot are made
-- anew from the messages that remain: until then all of them are history again.
CREATE TRIGGER messages_revoked AFTER DELETE ON messages BEGIN
    UPDATE conversations SET revision = revision + 1 WHERE id = old.conversation_id;
    DELETE FROM summaries WHERE conversation_id = old.conversation_id AND through_message_id >= old.id;
    DELETE FROM snapshots WHERE conversation_id = old.conversation_id;
    DELETE FROM daily_events WHERE user_id = old.user_id AND source_turn_id = old.turn_id;
END;

CREATE TRIGGER messages_edited AFTER UPDATE OF text ON messages WHEN old.text IS NOT new.text BEGIN
    UPDATE conversations SET revision = revision + 1 WHERE id = old.conversation_id;
    DELETE FROM summaries WHERE conversation_id = old.conversation_id AND through_message_id >= old.id;
    DELETE FROM snapshots WHERE conversation_id = old.conversation_id;
    DELETE FROM daily_events WHERE user_id = old.user_id AND source_turn_id = old.turn_id;
END;
INSERT INTO schema_migrations VALUES (7, 'days', 'cdf44fe7f4ef5389686299a4da6eefd8445af8f98a9d8a44f1f610fe0a374b3d', '2026-11-01T10:00:00+00:00');

-- 0008_embeddings.sql
-- What a model made of a text: `vector` holds `dims` float32 (little-endian, of length 1). Rows are never changed, only
-- replaced, and ids are never given twice: an index holds the right vectors when it holds the right ids.
-- `dims` 0 with an empty vector: this model cannot read this text.
CREATE TABLE embeddings (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    owner_id   INTEGER NOT NULL,
    model      TEXT NOT NULL,
    dims       INTEGER NOT NULL,
    vector     BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (kind, owner_id, model),
    CHECK (length(vector) = 4 * dims)
) STRICT;

CREATE INDEX embeddings_owner ON embeddings(user_id, model, kind);
CREATE INDEX embeddings_model ON embeddings(model, dims);

CREATE TRIGGER embeddings_are_replaced BEFORE UPDATE ON embeddings BEGIN
    SELECT raise(ABORT, 'an embedding is replaced, never changed');
END;

-- An embedding lives as long as its text: `owner_id` can have no foreign key, as it points into several tables.
CREATE TRIGGER memories_embedding_deleted AFTER DELETE ON memories BEGIN
    DELETE FROM embeddings WHERE kind = 'memory' AND owner_id = old.id;
END;

CREATE TRIGGER memories_embedding_outdated AFTER UPDATE OF user_id, text, state ON memories
WHEN old.text IS NOT new.text OR old.user_id IS NOT new.user_id OR new.state <> 'active' BEGIN
    DELETE FROM embeddings WHERE kind = 'memory' AND owner_id = old.id;
END;

CREATE TRIGGER notes_embedding_deleted AFTER DELETE ON notes BEGIN
    DELETE FROM embeddings WHERE kind = 'note' AND owner_id = old.id;
END;

CREATE TRIGGER notes_embedding_outdated AFTER UPDATE OF user_id, title, content ON notes BEGIN
    DELETE FROM embeddings WHERE kind = 'note' AND owner_id = old.id;
END;

CREATE TRIGGER project_notes_embedding_deleted AFTER DELETE ON project_notes BEGIN
    DELETE FROM embeddings WHERE kind = 'project_note' AND owner_id = old.id;
END;

CREATE TRIGGER project_notes_embedding_outdated AFTER UPDATE OF user_id, content ON project_notes BEGIN
    DELETE FROM embeddings WHERE kind = 'project_note' AND owner_id = old.id;
END;

CREATE TRIGGER snapshots_embedding_deleted AFTER DELETE ON snapshots BEGIN
    DELETE FROM embeddings WHERE kind = 'snapshot' AND owner_id = old.id;
END;

CREATE TRIGGER snapshots_embedding_outdated AFTER UPDATE OF user_id, title, text ON snapshots BEGIN
    DELETE FROM embeddings WHERE kind = 'snapshot' AND owner_id = old.id;
END;
INSERT INTO schema_migrations VALUES (8, 'embeddings', 'eaace7ee9d9851916cf6af0dbaff31e40864b9428cbb1ddcf14d06104e30650a', '2026-11-01T10:00:00+00:00');

-- 0009_erasure.sql
-- People who asked to be forgotten. `former_id` (a random uuid) is no reference to `users`, because it outlives the
-- person's row: a backup that is restored later must not bring them back. `completed_at` is NULL while the sentence
-- that confirms the erasure is still owed.
CREATE TABLE erasures (
    former_id    TEXT NOT NULL PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    completed_at INTEGER
) STRICT, WITHOUT ROWID;

-- The open question of /forget-me. States: asked → pressed; the typed word ends it.
CREATE TABLE erasure_requests (
    user_id    TEXT NOT NULL PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    token      TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('asked', 'pressed')),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO schema_migrations VALUES (9, 'erasure', '880a55e11a26a2ef407b5d55f363c2a9284e64d6e9215f0b18284222b0cf20a3', '2026-11-01T10:00:00+00:00');

-- 0010_tool_index.sql
-- What there is to search tools by; it belongs to nobody, and can be built anew from the tools at any time.
-- `sha` is of all that is searched. Rows are never changed, only replaced, and ids are never given twice: a vector can
-- only be of the text that its row holds.
CREATE TABLE tool_index (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    sha         TEXT NOT NULL,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    params      TEXT NOT NULL,
    alt         TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE tool_index_fts USING fts5(
    title, description, params, alt, content = 'tool_index', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER tool_index_inserted AFTER INSERT ON tool_index BEGIN
    INSERT INTO tool_index_fts(rowid, title, description, params, alt)
    VALUES (new.id, new.title, new.description, new.params, new.alt);
END;

CREATE TRIGGER tool_index_deleted AFTER DELETE ON tool_index BEGIN
    INSERT INTO tool_index_fts(tool_index_fts, rowid, title, description, params, alt)
    VALUES ('delete', old.id, old.title, old.description, old.params, old.alt);
END;

CREATE TRIGGER tool_index_is_replaced BEFORE UPDATE ON tool_index BEGIN
    SELECT raise(ABORT, 'a tool is replaced, never changed');
END;

-- `vector` is float32 (little-endian, of length 1), one for each model; `hub` its mean cosine with messages about anything.
CREATE TABLE tool_vectors (
    tool_id INTEGER NOT NULL REFERENCES tool_index ON DELETE CASCADE,
    model   TEXT NOT NULL,
    vector  BLOB NOT NULL,
    hub     REAL NOT NULL,
    PRIMARY KEY (tool_id, model)
) STRICT;
INSERT INTO schema_migrations VALUES (10, 'tool_index', 'bbf12e5a30edba20dd1b468fe346413605d0c31102cf5141f018e8fc9c0cb969', '2026-11-01T10:00:00+00:00');

-- data

INSERT INTO users(user_id, name, language, wa_id, last_inbound_at, created_at) VALUES
    ('u-ana', 'Ana', 'es', '5491100000001', 1000, 1000), ('u-bob', 'Bob', 'en', '447700900002', 1000, 1000);
INSERT INTO identities VALUES ('wa:5491100000001', 'u-ana', 1000), ('wa:447700900002', 'u-bob', 1000);
INSERT INTO conversations(id, user_id, started_at) VALUES (1, 'u-ana', 1000), (2, 'u-bob', 1000);
INSERT INTO messages(id, user_id, conversation_id, turn_id, role, text, created_at) VALUES
    (1, 'u-ana', 1, 1, 'user', 'anotá la receta del pan', 1000), (2, 'u-ana', 1, 1, 'assistant', 'Anotado.', 1001);
INSERT INTO user_numbers VALUES ('u-ana', 'note', 3), ('u-ana', 'project', 1), ('u-bob', 'note', 1), ('u-ana', 'memory', 1);
INSERT INTO notes(id, user_id, number, title, content, created_at) VALUES
    (1, 'u-ana', 1, 'Receta del pan', 'Harina, agua y sal', 1000),
    (3, 'u-ana', 3, 'Cortina', 'Medir la ventana del baño', 1002),
    (2, 'u-bob', 1, 'Boiler', 'Service due in March', 1001);
INSERT INTO projects(id, user_id, number, name, name_key, last_task, last_note, created_at) VALUES
    (1, 'u-ana', 1, 'Jardín', 'jardin', 1, 1, 1000);
INSERT INTO project_tasks(user_id, project_id, number, title, created_at, updated_at) VALUES
    ('u-ana', 1, 1, 'podar el limonero', 1000, 1000);
INSERT INTO project_activity(user_id, project_id, what, created_at) VALUES ('u-ana', 1, 'project created', 1000);
INSERT INTO project_notes(id, user_id, project_id, number, content, created_at) VALUES
    (1, 'u-ana', 1, 1, 'El limonero da sombra a la tarde', 1000);
INSERT INTO memories(id, user_id, number, text, text_key, created_at, updated_at) VALUES
    (1, 'u-ana', 1, 'Soy celíaca', 'soy celiaca', 1000, 1000);
INSERT INTO embeddings(user_id, kind, owner_id, model, dims, vector, created_at) VALUES
    ('u-ana', 'note', 1, 'm', 1, x'0000803f', 1000), ('u-ana', 'project_note', 1, 'm', 1, x'0000803f', 1000),
    ('u-ana', 'memory', 1, 'm', 1, x'0000803f', 1000), ('u-bob', 'note', 2, 'm', 1, x'0000803f', 1000);
