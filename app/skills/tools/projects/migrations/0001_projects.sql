-- replaces: 0004_notes_projects
-- Times are milliseconds since 1970 (UTC).
-- `number` is what people say ("note 3"): it counts per owner and is never given twice.

-- `name_key` is the name without case and accents: "Jardín" and "JARDIN" are one project.
CREATE TABLE projects (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL DEFAULT 'active',
    last_task   INTEGER NOT NULL DEFAULT 0,
    last_note   INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    UNIQUE (user_id, number),
    UNIQUE (user_id, name_key),
    UNIQUE (user_id, id)
) STRICT;

-- The pair as foreign key: nothing can hang on a project of somebody else.
CREATE TABLE project_tasks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    title      TEXT NOT NULL,
    status     TEXT NOT NULL DEFAULT 'pending',
    priority   TEXT NOT NULL DEFAULT 'medium',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, number),
    FOREIGN KEY (user_id, project_id) REFERENCES projects(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX project_tasks_owner ON project_tasks(user_id, project_id, number);

CREATE TABLE project_activity (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    what       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    FOREIGN KEY (user_id, project_id) REFERENCES projects(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX project_activity_owner ON project_activity(user_id, project_id, id);

CREATE TABLE project_notes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    content    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, number),
    FOREIGN KEY (user_id, project_id) REFERENCES projects(user_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX project_notes_owner ON project_notes(user_id, project_id, number);

CREATE VIRTUAL TABLE project_notes_fts USING fts5(
    content, content = 'project_notes', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER project_notes_inserted AFTER INSERT ON project_notes BEGIN
    INSERT INTO project_notes_fts(rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER project_notes_deleted AFTER DELETE ON project_notes BEGIN
    INSERT INTO project_notes_fts(project_notes_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;

CREATE TRIGGER project_notes_updated AFTER UPDATE OF content ON project_notes BEGIN
    INSERT INTO project_notes_fts(project_notes_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO project_notes_fts(rowid, content) VALUES (new.id, new.content);
END;
