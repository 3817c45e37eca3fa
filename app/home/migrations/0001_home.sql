-- Times are milliseconds since 1970 (UTC). A link and a session are 256 random bits; only their SHA-256 is kept.
-- A link is good once, until `expires_at`, and goes when it is used or when its person asks for another.
CREATE TABLE home_links (
    link_hash  TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX home_links_user ON home_links(user_id);

-- `is_local`: opened with the token of this machine, and good on this machine only. `notice` is what the next page
-- says once.
CREATE TABLE home_sessions (
    session_hash TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    is_local     INTEGER NOT NULL,
    notice       TEXT NOT NULL DEFAULT '',
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX home_sessions_user ON home_sessions(user_id);
CREATE INDEX home_sessions_end ON home_sessions(expires_at);
