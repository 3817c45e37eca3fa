-- A message that was revoked or edited takes along what was derived from its words. The snapshot is made anew from the
-- messages that remain.
CREATE TRIGGER messages_revoked_past AFTER DELETE ON messages BEGIN
    DELETE FROM snapshots WHERE conversation_id = old.conversation_id;
    DELETE FROM daily_events WHERE user_id = old.user_id AND source_turn_id = old.turn_id;
END;

CREATE TRIGGER messages_edited_past AFTER UPDATE OF text ON messages WHEN old.text IS NOT new.text BEGIN
    DELETE FROM snapshots WHERE conversation_id = old.conversation_id;
    DELETE FROM daily_events WHERE user_id = old.user_id AND source_turn_id = old.turn_id;
END;
