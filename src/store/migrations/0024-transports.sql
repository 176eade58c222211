-- Versions are compared anew before the next import: transports that a package or an endpoint has beside others.
update listing_version set derived = null where status <> 'deleted';
