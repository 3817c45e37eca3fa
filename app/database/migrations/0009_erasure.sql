-- People who asked to be forgotten. `former_id` (a random uuid) is no reference to `users`, because it outlives the
-- person's row: a backup that is restored later must not bring them back. `completed_at` is NULL while the sentence
-- that confirms the erasure is still owed.
CREATE TABLE erasures (
    former_id    TEXT NOT NULL PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    completed_at INTEGER
) STRICT, WITHOUT ROWID;

-- The open question of /forget-me. States: asked → pressed; the typed word ends it.
CREATE TABLE erasure_requests (
    user_id    TEXT NOT NULL PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    token      TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('asked', 'pressed')),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
