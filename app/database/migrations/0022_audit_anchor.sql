-- Of the part of the audit trail that is kept no longer, its last record: what follows is held against it. `mac`
-- is made with the key of the trail, where there is one.
CREATE TABLE audit_anchor (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    last_id   INTEGER NOT NULL,
    last_hash TEXT NOT NULL,
    last_at   INTEGER NOT NULL,
    mac       TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_anchor_is_kept BEFORE DELETE ON audit_anchor
BEGIN
    SELECT RAISE(ABORT, 'the anchor of the audit trail is never deleted');
END;

CREATE TRIGGER audit_anchor_only_moves_on BEFORE UPDATE ON audit_anchor WHEN NEW.last_id <= OLD.last_id
BEGIN
    SELECT RAISE(ABORT, 'the anchor of the audit trail only moves on');
END;

DROP TRIGGER audit_events_are_kept;

CREATE TRIGGER audit_events_are_kept BEFORE DELETE ON audit_events
    WHEN OLD.id > coalesce((SELECT last_id FROM audit_anchor WHERE id = 1), 0)
BEGIN
    SELECT RAISE(ABORT, 'audit events are never deleted');
END;
