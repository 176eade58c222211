-- How listings write each stem is indexed with the rest before the next import.
update listing_version set derived = null where status <> 'deleted';
