-- The SHA-256 of each migration's statements as they were applied. It is null if it was not stored then.
alter table kysely_migration add column sha256 TEXT;
