-- The embedding model finds what it has yet to read without going through what it has read.
CREATE TRIGGER project_notes_are_unread AFTER INSERT ON project_notes BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('project_note', new.id);
END;

CREATE TRIGGER project_notes_are_unread_again AFTER UPDATE OF user_id, content ON project_notes BEGIN
    INSERT OR IGNORE INTO unread_texts(kind, owner_id) VALUES ('project_note', new.id);
END;

CREATE TRIGGER project_notes_are_gone_unread AFTER DELETE ON project_notes BEGIN
    DELETE FROM unread_texts WHERE kind = 'project_note' AND owner_id = old.id;
END;
