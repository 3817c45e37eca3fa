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

CREATE TABLE daily_events (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    day            TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    text           TEXT NOT NULL,
    source_turn_id INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    UNIQUE (user_id, day, text)
) STRICT;

CREATE INDEX daily_events_turn ON daily_events(source_turn_id);

CREATE VIRTUAL TABLE daily_events_fts USING fts5(
    text, content = 'daily_events', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER daily_events_inserted AFTER INSERT ON daily_events BEGIN
    INSERT INTO daily_events_fts(rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER daily_events_deleted AFTER DELETE ON daily_events BEGIN
    INSERT INTO daily_events_fts(daily_events_fts, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE TRIGGER daily_events_updated AFTER UPDATE OF text ON daily_events BEGIN
    INSERT INTO daily_events_fts(daily_events_fts, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO daily_events_fts(rowid, text) VALUES (new.id, new.text);
END;

CREATE TABLE snapshots (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    number          INTEGER NOT NULL,
    conversation_id INTEGER NOT NULL UNIQUE,
    title           TEXT NOT NULL,
    text            TEXT NOT NULL,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    UNIQUE (user_id, number),
    FOREIGN KEY (user_id, conversation_id) REFERENCES conversations(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE VIRTUAL TABLE snapshots_fts USING fts5(
    title, text, content = 'snapshots', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER snapshots_inserted AFTER INSERT ON snapshots BEGIN
    INSERT INTO snapshots_fts(rowid, title, text) VALUES (new.id, new.title, new.text);
END;

CREATE TRIGGER snapshots_deleted AFTER DELETE ON snapshots BEGIN
    INSERT INTO snapshots_fts(snapshots_fts, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
END;

CREATE TRIGGER snapshots_updated AFTER UPDATE OF title, text ON snapshots BEGIN
    INSERT INTO snapshots_fts(snapshots_fts, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
    INSERT INTO snapshots_fts(rowid, title, text) VALUES (new.id, new.title, new.text);
END;

-- A message that was revoked or edited takes along what was derived from its words. Summary and snapshot are made
-- anew from the messages that remain: until then all of them are history again.
CREATE TRIGGER messages_revoked AFTER DELETE ON messages BEGIN
    UPDATE conversations SET revision = revision + 1 WHERE id = old.conversation_id;
    DELETE FROM summaries WHERE conversation_id = old.conversation_id AND through_message_id >= old.id;
    DELETE FROM snapshots WHERE conversation_id = old.conversation_id;
    DELETE FROM daily_events WHERE user_id = old.user_id AND source_turn_id = old.turn_id;
END;

CREATE TRIGGER messages_edited AFTER UPDATE OF text ON messages WHEN old.text IS NOT new.text BEGIN
    UPDATE conversations SET revision = revision + 1 WHERE id = old.conversation_id;
    DELETE FROM summaries WHERE conversation_id = old.conversation_id AND through_message_id >= old.id;
    DELETE FROM snapshots WHERE conversation_id = old.conversation_id;
    DELETE FROM daily_events WHERE user_id = old.user_id AND source_turn_id = old.turn_id;
END;
