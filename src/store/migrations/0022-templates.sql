-- References to the templates of addresses, and the choices of their parts, are derived with the rest before the
-- next import.
update listing_version set derived = null where status <> 'deleted';
