-- See 0026_pressed.sql.
ALTER TABLE questions ADD COLUMN pressed TEXT COLLATE "C";
