-- What is kept for answers as of a past day: records that were replaced (src/listings/writes.ts), and
-- timelines of what a record no longer names.
create table past_record (
  handle TEXT not null, until TEXT not null, record TEXT not null, primary key (handle, until));
alter table observation add column former TEXT;
