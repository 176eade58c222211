import type { CapabilityRow, ListingRow, RatingRow, VersionRow } from '../../src/store/store.ts';

const time = '2026-01-02T03:04:05.000Z';

/** A listing row as an import would make it; `facets` as text. */
export const listingRow = (handle: string, id: number, change: Partial<ListingRow> = {}): ListingRow => ({
  id,
  handle,
  handle_folded: handle.toLowerCase(),
  namespace: handle.split('/')[0] ?? '',
  title: null,
  description: 'A plain description',
  version: '1.0.0',
  origin: 'registry.test (MCP)',
  origin_status: 'active',
  status_message: null,
  published_at: time,
  updated_at: time,
  imported_at: time,
  endpoint: null,
  repository: null,
  repository_key: null,
  website: null,
  remotes: '[]',
  packages: '[]',
  tags: '[]',
  withdrawn: null,
  facets: 'state:imported',
  ...change,
});

export const versionRow = (
  handle: string,
  version: string,
  change: Partial<VersionRow> = {},
): VersionRow => ({
  handle,
  version,
  status: 'active',
  status_message: null,
  published_at: time,
  updated_at: time,
  is_latest: 1,
  digest: 'a'.repeat(64),
  record: '{}',
  ...change,
});

export const capabilityRow = (handle: string, hash: string): CapabilityRow => ({
  hash,
  id: hash.slice(0, 16),
  handle,
  state: 'active',
  issued_at: time,
  activated_at: time,
  ended_at: null,
});

export const ratingRow = (id: string, change: Partial<RatingRow> = {}): RatingRow => ({
  id,
  subject_handle: 'a/subject',
  source_handle: 'b/source',
  source_capability_id: '0123456789abcdef',
  source_root: 'github.com/b',
  interaction_id: `interaction-${id}`,
  interaction_at: time,
  outcome: 'succeeded',
  score: null,
  content: '{"protocol":"mcp","relationship":"none"}',
  content_digest: 'd'.repeat(64),
  flags: '[]',
  independent: 1,
  created_at: time,
  supersedes: null,
  superseded_by: null,
  withdrawn_at: null,
  withdrawn_reason: null,
  is_current: 1,
  log_index: 0,
  ...change,
});
