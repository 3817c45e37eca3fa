-- Ids that people had before they moved to another number. Meta may give such a number to somebody else, so it
-- identifies nobody any more; in ALLOWED_PHONE_NUMBERS and ADMIN_PHONE_NUMBERS it goes on meaning the first
-- person who had it.
CREATE TABLE former_identities (
    alias    TEXT PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX former_identities_user ON former_identities(user_id);

-- For whom an entry of those settings stands.
CREATE VIEW entries_meant AS
    SELECT alias, user_id FROM former_identities
    UNION ALL
    SELECT alias, user_id FROM identities WHERE alias NOT IN (SELECT alias FROM former_identities);
