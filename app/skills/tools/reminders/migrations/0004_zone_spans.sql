-- Whose time zone is another one for some days: `back_to` is the one they named before (NULL: that of their number).
CREATE TABLE zone_spans (
    user_id  TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    back_to  TEXT,
    until_at INTEGER NOT NULL
) STRICT;

CREATE INDEX zone_spans_until ON zone_spans(until_at);
