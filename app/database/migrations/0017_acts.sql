-- What was last done for each person, and how it is taken back. States: open (only inside a transaction) → done →
-- undone | final. Of the newest act alone the old rows are kept, and only as long as it can be undone.
CREATE TABLE acts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    turn_id    INTEGER NOT NULL,
    verb       TEXT NOT NULL CHECK (verb IN ('added', 'changed', 'deleted')),
    subject    TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'done', 'undone', 'final')),
    created_at INTEGER NOT NULL,
    UNIQUE (user_id, id)
) STRICT;

CREATE INDEX acts_open ON acts(user_id) WHERE state = 'open';
CREATE INDEX acts_done ON acts(created_at) WHERE state = 'done';

-- Filled by triggers, which are made at the start for the tables whose changes can be undone. `before` is the row
-- as JSON; NULL for a row that was added, and once it is no longer needed.
CREATE TABLE act_rows (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    act_id     INTEGER NOT NULL,
    table_name TEXT NOT NULL,
    row_id     INTEGER NOT NULL,
    change     TEXT NOT NULL CHECK (change IN ('insert', 'update', 'delete')),
    before     TEXT,
    FOREIGN KEY (user_id, act_id) REFERENCES acts(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX act_rows_act ON act_rows(user_id, act_id);
CREATE INDEX act_rows_table ON act_rows(user_id, table_name, id);
