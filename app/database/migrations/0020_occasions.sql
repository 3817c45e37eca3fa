-- `pricing_type` is Meta's, beside `category`. `occasion`: 'answer' to somebody, 'unasked' (a reminder, news), or
-- 'warning' that the spending limit is near. A message in state 'stopped' waits until the limit lets it go.
ALTER TABLE outbox ADD COLUMN pricing_type TEXT;
ALTER TABLE outbox ADD COLUMN occasion TEXT NOT NULL DEFAULT 'answer';
CREATE INDEX outbox_stopped ON outbox(user_id, id) WHERE state = 'stopped';
