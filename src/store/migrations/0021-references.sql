-- References to what a listing is called and to the templates of addresses, the choices of their parts, and tags of
-- all recorded types of packages are derived with the rest before the next import.
update listing_version set derived = null where status <> 'deleted';
