-- Which files are too old is found among those that are still there.
CREATE INDEX media_files ON media(created_at) WHERE path <> '';

-- The embedding model finds what it has yet to read without going through what it has read. A piece never changes.
CREATE TRIGGER document_pieces_are_unread AFTER INSERT ON document_pieces BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('document', new.id);
END;

CREATE TRIGGER document_pieces_are_gone_unread AFTER DELETE ON document_pieces BEGIN
    DELETE FROM unread_texts WHERE kind = 'document' AND owner_id = old.id;
END;
