-- Spelt with OR, because SQLite then knows that one of these states is among them: of `IN (…)` it does not, and read
-- the whole table (https://www.sqlite.org/partialindex.html, section 3).
DROP INDEX inbox_open;
CREATE INDEX inbox_open ON inbox(user_id, lane, sent_at, id)
    WHERE state = 'pending' OR state = 'running' OR state = 'missed';

DROP INDEX outbox_open;
CREATE INDEX outbox_open ON outbox(user_id, id)
    WHERE state = 'pending' OR state = 'sending' OR state = 'unknown' OR state = 'held';

-- For what is done with all that is one person's: export, erasure.
CREATE INDEX inbox_owner ON inbox(user_id, id);
CREATE INDEX outbox_owner ON outbox(user_id, id);
CREATE INDEX messages_owner ON messages(user_id, id);

CREATE INDEX strangers_last ON strangers(last_at);

-- Questions that a turn waits for, and is cut off from by a restart.
CREATE INDEX questions_waited_for ON questions(turn_id) WHERE turn_id IS NOT NULL AND state = 'pending';

-- Texts that the embedding model has yet to read: rows that are new or changed, put here by triggers of their tables.
-- What an earlier model read is found missing once, at the start.
CREATE TABLE unread_texts (
    kind     TEXT NOT NULL,
    owner_id INTEGER NOT NULL,
    PRIMARY KEY (kind, owner_id)
) STRICT, WITHOUT ROWID;
