-- Versions are compared anew before the next import, each package, endpoint and input with the same one before.
update listing_version set derived = null where status <> 'deleted';
