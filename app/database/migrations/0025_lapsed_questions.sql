-- Questions that nobody answered in their time go as those that are over do.
CREATE INDEX questions_lapsed ON questions(expires_at) WHERE state = 'pending';

-- The buttons under a reminder that came stayed open for ever before; 2,592,000,000 ms are 30 days.
UPDATE questions SET expires_at = asked_at + 2592000000
    WHERE kind = 'reminder' AND state = 'pending' AND expires_at IS NULL;
