-- Processes that serve together, and what died with them. Times are milliseconds since 1970 (UTC).
CREATE TABLE processes (
    process_id TEXT PRIMARY KEY NOT NULL,
    began_at   INTEGER NOT NULL,
    died_at    INTEGER,
    turns      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- In which process a turn runs; how many died with it, in how many of them nothing else ran, and since when.
ALTER TABLE inbox ADD COLUMN taken_by TEXT;
ALTER TABLE inbox ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN deaths_alone INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN first_death_at INTEGER;
