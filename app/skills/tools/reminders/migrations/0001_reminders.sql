-- Kept as people said it: wall-clock time (`first_local`, and of the next time `due_local`), the zone, and the rule
-- (RFC 5545), empty where it comes once. `due_at` is the next time in milliseconds UTC, NULL when it is over.
-- `is_exact`: an hour was said, so that quiet hours do not hold it back. `fired_at` is when it came last.
CREATE TABLE reminders (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    text        TEXT NOT NULL,
    zone        TEXT NOT NULL,
    first_local TEXT NOT NULL,
    due_local   TEXT NOT NULL,
    rule        TEXT NOT NULL DEFAULT '',
    due_at      INTEGER,
    is_exact    INTEGER NOT NULL,
    fired_at    INTEGER,
    created_at  INTEGER NOT NULL,
    UNIQUE (user_id, number)
) STRICT;

CREATE INDEX reminders_due ON reminders(due_at) WHERE due_at IS NOT NULL;

-- When a person is not to be woken: minutes after midnight; the same twice means never quiet.
CREATE TABLE reminder_habits (
    user_id    TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    quiet_from INTEGER NOT NULL,
    quiet_to   INTEGER NOT NULL
) STRICT;
