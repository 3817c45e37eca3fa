-- What a message is for, decided when it arrived: conversation, command, last_word, answer, change or system.
-- NULL in older rows: decided when their turn begins.
ALTER TABLE inbox ADD COLUMN purpose TEXT;
