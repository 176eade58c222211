-- What follows from the record of each version is derived anew before the next import: the written forms of its words,
-- what differs from the version before it, what its start arguments name, and digests that it writes as tags.
update listing_version set derived = null where status <> 'deleted';
