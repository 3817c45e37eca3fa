-- The embedding model finds what it has yet to read without going through what it has read.
CREATE TRIGGER memories_are_unread AFTER INSERT ON memories WHEN new.state = 'active' BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('memory', new.id);
END;

CREATE TRIGGER memories_are_unread_again AFTER UPDATE OF user_id, text, state ON memories
WHEN new.state = 'active' BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('memory', new.id);
END;

CREATE TRIGGER memories_are_not_to_be_read AFTER UPDATE OF state ON memories WHEN new.state <> 'active' BEGIN
    DELETE FROM unread_texts WHERE kind = 'memory' AND owner_id = old.id;
END;

CREATE TRIGGER memories_are_gone_unread AFTER DELETE ON memories BEGIN
    DELETE FROM unread_texts WHERE kind = 'memory' AND owner_id = old.id;
END;

CREATE TRIGGER snapshots_are_unread AFTER INSERT ON snapshots BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('snapshot', new.id);
END;

CREATE TRIGGER snapshots_are_unread_again AFTER UPDATE OF user_id, title, text ON snapshots BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('snapshot', new.id);
END;

CREATE TRIGGER snapshots_are_gone_unread AFTER DELETE ON snapshots BEGIN
    DELETE FROM unread_texts WHERE kind = 'snapshot' AND owner_id = old.id;
END;
