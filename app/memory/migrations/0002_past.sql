-- replaces: 0007_days
-- What stays of past days and of conversations that ended. Times are milliseconds since 1970 (UTC); a day is a date in
-- the user's zone.
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
