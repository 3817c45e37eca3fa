-- What admins decided about single tools, for everybody. Times are milliseconds since 1970 (UTC).
CREATE TABLE tool_rules (
    tool       TEXT PRIMARY KEY NOT NULL,
    action     TEXT NOT NULL CHECK (action IN ('allow', 'flag', 'block')),
    seal       TEXT NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
