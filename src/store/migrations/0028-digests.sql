-- A digest that a record writes as it would write a tag is derived as one, with the rest, before the next import.
update listing_version set derived = null where status <> 'deleted';
