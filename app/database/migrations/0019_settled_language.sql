-- Set once a person said in which language to answer them from now on, whatever they write in.
ALTER TABLE users ADD COLUMN is_language_settled INTEGER NOT NULL DEFAULT 0;
