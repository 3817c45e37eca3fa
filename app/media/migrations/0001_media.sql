-- Times are milliseconds since 1970 (UTC).
-- `path` is relative to the person's folder, '' once the file is gone; `text` is what was heard or read in it.
CREATE TABLE media (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    path       TEXT NOT NULL,
    mime_type  TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    text       TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (user_id, message_id),
    UNIQUE (user_id, id)
) STRICT;

-- `number` is what people say ("document 3"): it counts per owner and is never given twice.
-- `tables` is JSON: the tables of a spreadsheet with their columns. `pages` were read of `page_count`.
CREATE TABLE documents (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    media_id   INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    title      TEXT NOT NULL,
    language   TEXT NOT NULL,
    page_count INTEGER NOT NULL,
    read_pages INTEGER NOT NULL,
    chars      INTEGER NOT NULL,
    tables     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (user_id, number),
    UNIQUE (user_id, id),
    FOREIGN KEY (user_id, media_id) REFERENCES media(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX documents_media ON documents(user_id, media_id);

CREATE TABLE document_pieces (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    document_id INTEGER NOT NULL,
    page        INTEGER NOT NULL,
    text        TEXT NOT NULL,
    FOREIGN KEY (user_id, document_id) REFERENCES documents(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX document_pieces_document ON document_pieces(user_id, document_id, page, id);

CREATE VIRTUAL TABLE document_pieces_fts USING fts5(
    text, content = 'document_pieces', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER document_pieces_inserted AFTER INSERT ON document_pieces BEGIN
    INSERT INTO document_pieces_fts(rowid, text) VALUES (new.id, new.text);
END;

-- A piece never changes; an embedding lives as long as its text.
CREATE TRIGGER document_pieces_deleted AFTER DELETE ON document_pieces BEGIN
    INSERT INTO document_pieces_fts(document_pieces_fts, rowid, text) VALUES ('delete', old.id, old.text);
    DELETE FROM embeddings WHERE kind = 'document' AND owner_id = old.id;
END;

-- How a person is spoken to: `mode` off, auto (a voice note is answered with one) or always; `voice` is a name or ''.
CREATE TABLE voice_choices (
    user_id TEXT PRIMARY KEY NOT NULL REFERENCES users ON DELETE CASCADE,
    mode    TEXT NOT NULL CHECK (mode IN ('off', 'auto', 'always')),
    voice   TEXT NOT NULL
) STRICT;
