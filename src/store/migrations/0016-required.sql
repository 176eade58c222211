-- Which inputs a version newly requires is derived with the rest before the next import.
update listing_version set derived = null where shown is not null;
