-- Ended conversations that nothing is left to be taken out of: the jobs of memory pass them by. What is taken back or
-- rewritten counts `revision` up, and what is said later clears the mark, so that they are looked at again.
ALTER TABLE conversations ADD COLUMN settled_revision INTEGER;

CREATE INDEX conversations_unsettled ON conversations(id) WHERE ended_at IS NULL OR settled_revision IS NOT revision;

CREATE TRIGGER messages_unsettle AFTER INSERT ON messages
WHEN (SELECT settled_revision FROM conversations WHERE id = new.conversation_id) IS NOT NULL BEGIN
    UPDATE conversations SET settled_revision = NULL WHERE id = new.conversation_id;
END;
