-- What the files 0001 to 0001 make in SQLite.

CREATE TABLE home_links (
    link_hash  TEXT COLLATE "C" PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE DEFERRABLE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX home_links_user ON home_links(user_id);

CREATE TABLE home_sessions (
    session_hash TEXT COLLATE "C" PRIMARY KEY,
    user_id      TEXT COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE DEFERRABLE,
    is_local     BIGINT NOT NULL,
    notice       TEXT COLLATE "C" NOT NULL DEFAULT '',
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);

CREATE INDEX home_sessions_user ON home_sessions(user_id);

CREATE INDEX home_sessions_end ON home_sessions(expires_at);
