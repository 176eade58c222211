-- A listing is ordered by the day of its upkeep, which a deprecation does not renew.
alter table listing add column entry_changed_at TEXT;
update listing set entry_changed_at = updated_at where origin_status = 'deprecated';
update listing set updated_at = coalesce((select published_at from listing_version as shown
  where shown.handle = listing.handle and shown.version = listing.version), updated_at)
  where origin_status = 'deprecated';
