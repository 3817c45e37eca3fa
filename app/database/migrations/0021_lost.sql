-- What answered nobody and was not delivered is told the person with their next answer, and the admins at once.
ALTER TABLE outbox ADD COLUMN person_told_at INTEGER;
ALTER TABLE outbox ADD COLUMN admin_told_at INTEGER;
CREATE INDEX outbox_lost ON outbox(user_id, id)
    WHERE state = 'failed' AND occasion = 'unasked' AND (person_told_at IS NULL OR admin_told_at IS NULL);
