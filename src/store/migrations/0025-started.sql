-- Other packages that start arguments name are derived with the rest before the next import.
update listing_version set derived = null where status <> 'deleted';
