-- For what is deleted when it is old: reminders that came and are over.
CREATE INDEX reminders_over ON reminders(fired_at) WHERE due_at IS NULL;
