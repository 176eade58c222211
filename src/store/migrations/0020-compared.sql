-- Derived with the rest before the next import: the transport of each endpoint and package is compared, so that
-- two that changed places are not the same, and both values of a changed package version or website are kept.
update listing_version set derived = null where status <> 'deleted';
