-- See 0028_paces.sql.
CREATE TABLE paces (
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE DEFERRABLE,
    lane       TEXT COLLATE "C" NOT NULL,
    tokens     DOUBLE PRECISION NOT NULL,
    counted_at BIGINT NOT NULL,
    is_told    BIGINT NOT NULL,
    PRIMARY KEY (user_id, lane)
);
