-- Each act can be undone as long as its rows are as it left them. `became` is such a row as JSON; NULL for one that was
-- deleted, and once it is no longer needed. What was done before this file was applied cannot be undone any more.
ALTER TABLE act_rows ADD COLUMN became TEXT;
UPDATE acts SET state = 'final' WHERE state = 'done';
UPDATE act_rows SET before = NULL;
