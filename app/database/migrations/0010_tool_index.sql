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
