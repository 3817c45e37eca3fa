-- See 0024_tool_rules.sql.
CREATE TABLE tool_rules (
    tool       TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    action     TEXT COLLATE "C" NOT NULL CHECK (action IN ('allow', 'flag', 'block')),
    seal       TEXT COLLATE "C" NOT NULL,
    changed_at BIGINT NOT NULL
);
