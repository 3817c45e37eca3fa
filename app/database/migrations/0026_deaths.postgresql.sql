-- See 0026_deaths.sql.
CREATE TABLE processes (
    process_id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    began_at   BIGINT NOT NULL,
    died_at    BIGINT,
    turns      BIGINT NOT NULL DEFAULT 0
);

ALTER TABLE inbox ADD COLUMN taken_by TEXT COLLATE "C";
ALTER TABLE inbox ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN deaths_alone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN first_death_at BIGINT;
