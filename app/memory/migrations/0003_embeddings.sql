-- replaces: 0008_embeddings
-- An embedding lives as long as its text: `owner_id` can have no foreign key, as it points into several tables.
CREATE TRIGGER memories_embedding_deleted AFTER DELETE ON memories BEGIN
    DELETE FROM embeddings WHERE kind = 'memory' AND owner_id = old.id;
END;

CREATE TRIGGER memories_embedding_outdated AFTER UPDATE OF user_id, text, state ON memories
WHEN old.text IS NOT new.text OR old.user_id IS NOT new.user_id OR new.state <> 'active' BEGIN
    DELETE FROM embeddings WHERE kind = 'memory' AND owner_id = old.id;
END;

CREATE TRIGGER snapshots_embedding_deleted AFTER DELETE ON snapshots BEGIN
    DELETE FROM embeddings WHERE kind = 'snapshot' AND owner_id = old.id;
END;

CREATE TRIGGER snapshots_embedding_outdated AFTER UPDATE OF user_id, title, text ON snapshots BEGIN
    DELETE FROM embeddings WHERE kind = 'snapshot' AND owner_id = old.id;
END;
