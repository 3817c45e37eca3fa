-- See 0004_due.sql.
ALTER TABLE project_tasks ADD COLUMN due TEXT COLLATE "C";
ALTER TABLE project_tasks ADD COLUMN due_zone TEXT COLLATE "C";
