-- One row for each message that Meta delivered, as its statuses priced it; `at` is when it was sent. `sent_to` tells
-- the country. It outlives the outbox, whose rows are deleted when they are old.
CREATE TABLE charges (
    message_id  TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    sent_to     TEXT NOT NULL,
    at          INTEGER NOT NULL,
    category    TEXT NOT NULL,
    kind        TEXT NOT NULL,
    is_billable INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX charges_at ON charges(at);
CREATE INDEX charges_owner ON charges(user_id, at);

CREATE TRIGGER outbox_delivered AFTER UPDATE OF delivery, category ON outbox
WHEN NEW.delivery IN ('delivered', 'read', 'played') AND NEW.category IS NOT NULL AND NEW.message_id IS NOT NULL
BEGIN
    INSERT OR IGNORE INTO charges(message_id, user_id, sent_to, at, category, kind, is_billable)
        SELECT NEW.message_id, NEW.user_id, coalesce(u.wa_id, u.bsuid, ''), coalesce(NEW.sent_at, NEW.created_at),
            NEW.category, coalesce(NEW.pricing_type, ''), coalesce(NEW.is_billable, 1)
        FROM users u WHERE u.user_id = NEW.user_id;
END;

-- Meta's bill does not get smaller when somebody is forgotten: what stays of each message is the hour and the
-- beginning of the number, which tells the country.
CREATE TABLE charges_of_nobody (
    id          INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL,
    sent_to     TEXT NOT NULL,
    category    TEXT NOT NULL,
    kind        TEXT NOT NULL,
    is_billable INTEGER NOT NULL
) STRICT;

CREATE INDEX charges_of_nobody_at ON charges_of_nobody(at);

CREATE TRIGGER charges_deleted AFTER DELETE ON charges
BEGIN
    INSERT INTO charges_of_nobody(at, sent_to, category, kind, is_billable)
        VALUES (OLD.at / 3600000 * 3600000,
            CASE WHEN OLD.sent_to GLOB '[0-9]*' THEN substr(OLD.sent_to, 1, 4) || '0000000'
                ELSE substr(OLD.sent_to, 1, 3) END,
            OLD.category, OLD.kind, OLD.is_billable);
END;

-- What a person's turns cost the model, by hour; traces are deleted when they are old.
CREATE TABLE model_use (
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    hour_at    INTEGER NOT NULL,
    turns      INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    used_ms    INTEGER NOT NULL,
    PRIMARY KEY (user_id, hour_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX model_use_hour ON model_use(hour_at);

CREATE TRIGGER turn_traces_used AFTER INSERT ON turn_traces WHEN json_valid(NEW.trace)
BEGIN
    INSERT INTO model_use(user_id, hour_at, turns, tokens, used_ms)
        VALUES (NEW.user_id, NEW.created_at / 3600000 * 3600000, 1,
            coalesce(json_extract(NEW.trace, '$.prompt_tokens'), 0)
                + coalesce(json_extract(NEW.trace, '$.completion_tokens'), 0),
            coalesce(json_extract(NEW.trace, '$.duration_ms'), 0))
        ON CONFLICT DO UPDATE SET turns = turns + 1, tokens = tokens + excluded.tokens,
            used_ms = used_ms + excluded.used_ms;
END;

-- Which warnings about the limit the admins had, each once a month (`month` is its first moment).
CREATE TABLE spending_warnings (
    month   INTEGER NOT NULL,
    percent INTEGER NOT NULL,
    limited TEXT NOT NULL,
    PRIMARY KEY (month, percent, limited)
) STRICT, WITHOUT ROWID;
