-- What a reminder is about, where another ability asked for it ("task:12"): one at most for each.
ALTER TABLE reminders ADD COLUMN subject TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX reminders_subject ON reminders(user_id, subject) WHERE subject <> '';
