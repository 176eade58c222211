-- References to the account and the domain that a record names are derived with the rest before the next import.
update listing_version set derived = null;
update listing set owners = null;
