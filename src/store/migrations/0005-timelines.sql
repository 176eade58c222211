-- Whole values of facts, zstd in base64 (src/observations/values.ts). They take the place of listed_surface.
create table observed_value (
  handle TEXT not null, kind TEXT not null, subject TEXT not null, digest TEXT not null,
  first_seen_at TEXT not null, bytes INT8 not null, value TEXT not null,
  primary key (handle, kind, subject, digest));
-- The times of the newest checks. The facts become timelines (0005-timelines.ts).
alter table observation add column checks TEXT;
