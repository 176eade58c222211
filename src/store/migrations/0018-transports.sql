-- Changes of transports and of each file of a release are derived with the rest before the next import.
update listing_version set derived = null where status <> 'deleted';
