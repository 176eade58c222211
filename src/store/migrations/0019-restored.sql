-- Whether a listing was ever listed again is asked at each read of its facts.
create index evidence_change_restored on evidence_change (handle) where type = 'listing.restored';
