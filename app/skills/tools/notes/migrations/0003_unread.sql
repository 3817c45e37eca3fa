-- The embedding model finds what it has yet to read without going through what it has read.
CREATE TRIGGER notes_are_unread AFTER INSERT ON notes BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('note', new.id);
END;

CREATE TRIGGER notes_are_unread_again AFTER UPDATE OF user_id, title, content ON notes BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('note', new.id);
END;

CREATE TRIGGER notes_are_gone_unread AFTER DELETE ON notes BEGIN
    DELETE FROM unread_texts WHERE kind = 'note' AND owner_id = old.id;
END;
