-- See 0029_claims.sql.
ALTER TABLE inbox ADD COLUMN claim_id TEXT COLLATE "C";
