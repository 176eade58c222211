-- Lines of a claim that wait, and lines that a first reading missed. The columns moving, lost_at,
-- missed_at and branch of claim are not used any more.
alter table capability add column found_days TEXT;
alter table capability add column missing_at TEXT;
