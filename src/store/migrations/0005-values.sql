-- Whole values that checks read, once for each listing: zstd in base64 (src/observations/values.ts).
create table observed_value (
  handle TEXT not null, digest TEXT not null, at TEXT not null, value TEXT not null,
  primary key (handle, digest));
