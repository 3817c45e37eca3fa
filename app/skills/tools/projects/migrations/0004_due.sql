-- When a task is due, on the wall clock of `due_zone`: "2026-11-27", or "2026-11-27T15:00:00" where an hour was said.
ALTER TABLE project_tasks ADD COLUMN due TEXT;
ALTER TABLE project_tasks ADD COLUMN due_zone TEXT;
