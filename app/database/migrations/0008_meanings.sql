-- replaces: 0008_embeddings
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
