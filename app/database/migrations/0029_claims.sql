-- Which taking of a turn its rows belong to, where several processes serve: another one may have taken it since.
ALTER TABLE inbox ADD COLUMN claim_id TEXT;
