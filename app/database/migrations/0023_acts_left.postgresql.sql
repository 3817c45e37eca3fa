-- See 0023_acts_left.sql.
ALTER TABLE act_rows ADD COLUMN became TEXT COLLATE "C";
UPDATE acts SET state = 'final' WHERE state = 'done';
UPDATE act_rows SET before = NULL;

CREATE OR REPLACE FUNCTION keep_act_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
        touched RECORD := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
BEGIN
        INSERT INTO act_rows(user_id, act_id, table_name, row_id, change, before, became)
            SELECT touched.user_id, id, TG_TABLE_NAME, touched.id, lower(TG_OP),
                CASE TG_OP WHEN 'INSERT' THEN NULL ELSE to_jsonb(OLD)::text END,
                CASE TG_OP WHEN 'DELETE' THEN NULL ELSE to_jsonb(NEW)::text END
            FROM acts WHERE user_id = touched.user_id AND state = 'open';
        RETURN CASE WHEN TG_WHEN = 'BEFORE' THEN OLD END;
END $$;
