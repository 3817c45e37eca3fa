-- See 0006_subjects.sql.
ALTER TABLE reminders ADD COLUMN subject TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE UNIQUE INDEX reminders_subject ON reminders(user_id, subject) WHERE subject <> '';
