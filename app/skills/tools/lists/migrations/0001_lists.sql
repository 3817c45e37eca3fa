-- Times are milliseconds since 1970 (UTC). `used_at` decides which list is meant when none is named.
-- `name_key` and `text_key` are the words without case and accents: "Súper" and "super" are one list.
CREATE TABLE lists (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    name       TEXT NOT NULL,
    name_key   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    UNIQUE (user_id, name_key),
    UNIQUE (user_id, id)
) STRICT;

-- The pair as foreign key: nothing can hang on a list of somebody else.
CREATE TABLE list_items (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    list_id    INTEGER NOT NULL,
    text       TEXT NOT NULL,
    text_key   TEXT NOT NULL,
    is_done    INTEGER NOT NULL DEFAULT 0 CHECK (is_done IN (0, 1)),
    created_at INTEGER NOT NULL,
    UNIQUE (list_id, text_key),
    FOREIGN KEY (user_id, list_id) REFERENCES lists(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX list_items_owner ON list_items(user_id, list_id, id);
