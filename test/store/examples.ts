import type { Capability } from '../../src/claims/claim.ts';
import type { Listing } from '../../src/listings/listing.ts';
import type { Rating } from '../../src/ratings/table.ts';

const time = '2026-01-02T03:04:05.000Z';

/** A listing as an import would make it. */
export const makeListing = (handle: string, id: number, change: Partial<Listing> = {}): Listing => ({
  id,
  handle,
  title: undefined,
  description: 'A plain description',
  version: '1.0.0',
  origin: 'registry.test (MCP)',
  origin_status: 'active',
  status_message: undefined,
  published_at: time,
  updated_at: time,
  imported_at: time,
  import_run: 1,
  endpoint: undefined,
  repository: undefined,
  repository_key: undefined,
  website: undefined,
  remotes: [],
  packages: [],
  tags: [],
  withdrawn: undefined,
  facets: ['state:imported'],
  ...change,
});

export const makeCapability = (handle: string, hash: string): Capability => ({
  hash,
  id: hash.slice(0, 16),
  handle,
  state: 'active',
  issued_at: time,
  activated_at: time,
});

export const makeRating = (id: string, change: Partial<Rating> = {}): Rating => ({
  id,
  subject_handle: 'a/subject',
  source_handle: 'b/source',
  source_capability_id: '0123456789abcdef',
  source_root: 'github.com/b',
  interaction_id: `interaction-${id}`,
  interaction_at: time,
  outcome: 'succeeded',
  protocol: 'mcp',
  relationship: 'none',
  content_digest: 'd'.repeat(64),
  proof_class: 'none',
  source_root_generation: 0,
  related: false,
  declared_interest: false,
  reciprocal: false,
  new_until: time,
  created_at: time,
  first_created_at: change.created_at ?? time,
  log_index: 0,
  ...change,
});
