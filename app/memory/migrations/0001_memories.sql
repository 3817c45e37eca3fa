-- replaces: 0006_memories
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
