-- Every question that is put to a person. States: pending → answered | expired | cancelled.
-- `turn_id` is the turn that waits for the answer, NULL where nobody waits and a handler is called instead.
-- `outbox_id` is the message that asks, NULL where it leaves as the reply of a turn. `bound_to` is what the answer is
-- about: a hash, or what the handler of that kind needs. `expires_at` is NULL for a question that stays open.
CREATE TABLE questions (
    token       TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    bound_to    TEXT NOT NULL,
    state       TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'answered', 'expired', 'cancelled')),
    turn_id     INTEGER,
    outbox_id   INTEGER,
    asked_at    INTEGER NOT NULL,
    expires_at  INTEGER,
    answered_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX questions_user ON questions(user_id, state);
CREATE INDEX questions_open ON questions(kind, bound_to) WHERE state = 'pending';

-- What was open is ended by the start that follows, which tells whoever saw it.
INSERT INTO questions(token, user_id, kind, bound_to, state, turn_id, outbox_id, asked_at, expires_at)
    SELECT token, user_id, 'approval', call_hash, state, turn_id, outbox_id, created_at, expires_at
    FROM approvals WHERE state IN ('pending', 'cancelled');

DROP TABLE approvals;
DROP TABLE erasure_requests;

-- The question that a message answers, as it was read when it arrived: the id of its button, or of the question that
-- was open and had been sent.
ALTER TABLE inbox ADD COLUMN answers TEXT;
