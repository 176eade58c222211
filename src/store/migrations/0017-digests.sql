-- References to the digests of files and images are derived with the rest before the next import.
update listing_version set derived = null;
update listing set owners = null;
