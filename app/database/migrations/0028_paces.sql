-- How many messages a person may send at once, where several processes count them. Milliseconds since 1970 (UTC).
CREATE TABLE paces (
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    lane       TEXT NOT NULL,
    tokens     REAL NOT NULL,
    counted_at INTEGER NOT NULL,
    is_told    INTEGER NOT NULL,
    PRIMARY KEY (user_id, lane)
) STRICT, WITHOUT ROWID;
