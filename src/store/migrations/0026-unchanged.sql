-- In how many versions nothing that is compared differs, and whether the shown one is marked as latest, are derived with
-- the rest before the next import.
update listing_version set derived = null where status <> 'deleted';
