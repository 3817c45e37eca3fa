CREATE TABLE conversations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;

-- At most one open conversation for each user.
CREATE UNIQUE INDEX conversations_open ON conversations(user_id) WHERE ended_at IS NULL;

CREATE TABLE messages (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    turn_id         INTEGER NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    text            TEXT NOT NULL,
    message_id      TEXT,
    reaction        TEXT,
    created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX messages_conversation ON messages(conversation_id, id);
CREATE INDEX messages_turn ON messages(turn_id);
CREATE UNIQUE INDEX messages_wa ON messages(message_id) WHERE message_id IS NOT NULL;
