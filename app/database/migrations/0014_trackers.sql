-- What Meta repeats in the statuses of a send. The row's number, which it was before, can be guessed.
ALTER TABLE outbox ADD COLUMN tracker TEXT;

-- A send whose outcome nobody knows was given its number.
UPDATE outbox SET tracker = CASE WHEN state IN ('sending', 'unknown') THEN CAST(id AS TEXT)
    ELSE lower(hex(randomblob(16))) END;

CREATE UNIQUE INDEX outbox_tracker ON outbox(tracker) WHERE message_id IS NULL;
