-- What follows from the record of each version is derived anew before the next import: what differs from the version
-- before it, what its start arguments name, its inputs, and digests that it writes as tags.
update listing_version set derived = null where status <> 'deleted';
