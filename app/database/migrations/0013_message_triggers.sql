-- Databases of former versions have these triggers with what the memory room now does in triggers of its own.
-- A message that was revoked or edited takes along what was derived from its words. The summary is made anew
-- from the messages that remain: until then all of them are history again.
DROP TRIGGER IF EXISTS messages_revoked;
CREATE TRIGGER messages_revoked AFTER DELETE ON messages BEGIN
    UPDATE conversations SET revision = revision + 1 WHERE id = old.conversation_id;
    DELETE FROM summaries WHERE conversation_id = old.conversation_id AND through_message_id >= old.id;
END;

DROP TRIGGER IF EXISTS messages_edited;
CREATE TRIGGER messages_edited AFTER UPDATE OF text ON messages WHEN old.text IS NOT new.text BEGIN
    UPDATE conversations SET revision = revision + 1 WHERE id = old.conversation_id;
    DELETE FROM summaries WHERE conversation_id = old.conversation_id AND through_message_id >= old.id;
END;
