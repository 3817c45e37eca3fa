-- replaces: 0008_embeddings
-- An embedding lives as long as its text.
CREATE TRIGGER notes_embedding_deleted AFTER DELETE ON notes BEGIN
    DELETE FROM embeddings WHERE kind = 'note' AND owner_id = old.id;
END;

CREATE TRIGGER notes_embedding_outdated AFTER UPDATE OF user_id, title, content ON notes BEGIN
    DELETE FROM embeddings WHERE kind = 'note' AND owner_id = old.id;
END;
