-- See 0027_pressed.sql.
ALTER TABLE questions ADD COLUMN pressed TEXT COLLATE "C";
