-- What an import derives of a record. Null until it is derived (docs/decisions/imports.md).
alter table listing add column owners TEXT;
alter table listing_version add column derived TEXT;
alter table listing_version add column compared TEXT;
alter table listing_version add column shown TEXT;
create index listing_version_underived on listing_version (handle) where derived is null;
