-- Of each version, both values of a changed package version or website are derived.
update listing_version set derived = null where status <> 'deleted';
