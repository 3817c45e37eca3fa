-- replaces: 0007_days
-- What is derived from conversations. Times are milliseconds since 1970 (UTC); a day is a date in the user's zone.

-- `revision` counts what was taken back or rewritten: whoever derives something from messages writes it only while
-- the number is the one that was read with them. Both columns belong to the derivations, not to the talk.
ALTER TABLE conversations ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN extracted_through_message_id INTEGER NOT NULL DEFAULT 0;

-- For the pairs below: nothing can hang on a conversation of somebody else.
CREATE UNIQUE INDEX conversations_owner ON conversations(user_id, id);
CREATE INDEX conversations_ended ON conversations(ended_at) WHERE ended_at IS NOT NULL;

-- `text` stands for the messages up to `through_message_id`; history is what comes after.
CREATE TABLE summaries (
    conversation_id    INTEGER PRIMARY KEY,
    user_id            TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    text               TEXT NOT NULL,
    through_message_id INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX summaries_user ON summaries(user_id, conversation_id);
