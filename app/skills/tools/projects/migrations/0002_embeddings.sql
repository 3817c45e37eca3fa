-- replaces: 0008_embeddings
-- An embedding lives as long as its text.
CREATE TRIGGER project_notes_embedding_deleted AFTER DELETE ON project_notes BEGIN
    DELETE FROM embeddings WHERE kind = 'project_note' AND owner_id = old.id;
END;

CREATE TRIGGER project_notes_embedding_outdated AFTER UPDATE OF user_id, content ON project_notes BEGIN
    DELETE FROM embeddings WHERE kind = 'project_note' AND owner_id = old.id;
END;
