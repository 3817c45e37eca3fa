-- What Meta last said of the template for reminders in each language.
CREATE TABLE message_templates (
    name       TEXT NOT NULL,
    language   TEXT NOT NULL,
    status     TEXT NOT NULL,
    reason     TEXT NOT NULL DEFAULT '',
    checked_at INTEGER NOT NULL,
    PRIMARY KEY (name, language)
) STRICT, WITHOUT ROWID;

-- Who was asked to keep Meta's window open, once for each window: the one that their message of that time opened.
CREATE TABLE window_offers (
    user_id    TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    inbound_at INTEGER NOT NULL
) STRICT;
