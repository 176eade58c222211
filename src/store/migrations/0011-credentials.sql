-- What the shown records ask for is derived with the rest before the next import.
update listing_version set derived = null where shown is not null;
