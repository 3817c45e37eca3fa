-- Which conversation a job was at work on: what a kill leaves here was not ended by anybody.
CREATE TABLE begun_work (
    job             TEXT NOT NULL,
    user_id         TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    attempts        INTEGER NOT NULL,
    begun_at        INTEGER NOT NULL,
    PRIMARY KEY (job, conversation_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX begun_work_conversation ON begun_work(conversation_id);
CREATE INDEX begun_work_user ON begun_work(user_id);
