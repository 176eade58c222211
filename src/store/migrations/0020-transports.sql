-- The transport of each endpoint and package is compared, so that two that changed places are not the same.
update listing_version set derived = null where status <> 'deleted';
