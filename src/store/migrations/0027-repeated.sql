-- Inputs that a record names several times, and what differs in them between versions, are derived with the rest before
-- the next import.
update listing_version set derived = null where status <> 'deleted';
