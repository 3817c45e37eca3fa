-- Which button was pressed on a page of another process than that whose turn waits.
ALTER TABLE questions ADD COLUMN pressed TEXT;
