-- 1: at its time the assistant looks up what `text` asks for, in a turn of its own, instead of saying the text.
ALTER TABLE reminders ADD COLUMN is_turn INTEGER NOT NULL DEFAULT 0;
