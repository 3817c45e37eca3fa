-- The time zone that a person named (IANA); NULL: the one that their number tells.
ALTER TABLE users ADD COLUMN timezone TEXT;
