-- replaces: 0004_notes_projects
-- `number` is what people say ("note 3"): it counts per owner and is never given twice.
CREATE TABLE user_numbers (
    user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    last    INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind)
) STRICT, WITHOUT ROWID;
