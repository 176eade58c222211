import type { Capability, Claim, ProofPlace } from '../claim.ts';
import { foretell, type StandingClaim } from './foretell.ts';

const handle = 'com.example/tool';
const now = new Date('2026-01-31T00:00:00.000Z');
const claimed_at = '2026-01-01T00:00:00.000Z';

const repository: ProofPlace = {
  kind: 'repository',
  shown: 'https://github.com/example/tool',
  key: 'github.com/example/tool',
  root: 'github.com/example',
};
const renamed: ProofPlace = { ...repository, key: 'github.com/example/renamed' };
const profile: ProofPlace = { ...repository, kind: 'profile_repository', key: 'github.com/example/example' };
const domain: ProofPlace = {
  kind: 'well_known',
  shown: 'example.com',
  key: 'dns:example.com',
  root: 'dns:example.com',
};

const claim: Claim = {
  handle,
  state: 'claimed',
  claimed_at,
  kind: repository.kind,
  place: repository.shown,
  place_key: repository.key,
  root: repository.root,
  root_generation: 0,
  first_proved_at: claimed_at,
  checked_at: claimed_at,
} as Claim;
const capability = (state: Capability['state']): Capability => ({
  hash: '0'.repeat(64),
  id: '0'.repeat(16),
  handle,
  state,
  signed_by: undefined,
  issued_at: claimed_at,
  activated_at: claimed_at,
  ended_at: state === 'active' ? undefined : now.toISOString(),
});

const listing = { repository_key: repository.key, withdrawn: undefined };
const having = (one: Capability) => ({ capabilities: [one], cosigners: [one] });
const standing: StandingClaim = { handle, listing, claim, ...having(capability('active')), now };
const byKey: StandingClaim = {
  ...standing,
  claim: { ...claim, kind: 'registry_key', place: domain.shown, place_key: domain.key, root: domain.root },
  ...having({ ...capability('active'), signed_by: 'ed25519 key' }),
};
const suspended = (reason: string, more: Partial<Claim> = {}): StandingClaim => ({
  ...standing,
  claim: { ...claim, state: 'suspended', suspended_reason: reason, ...more },
  ...having(capability('suspended')),
});

export interface ForetellCase {
  readonly claim: string;
  readonly line: string;
  readonly isCosigned: boolean;
  /** The effect, without the cost of a new claim. */
  readonly does: string;
}

const settings: readonly (readonly [claim: string, line: string, StandingClaim, ProofPlace])[] = [
  ['in force', 'at the same location', standing, repository],
  ['in force', 'at another location of the same account or domain', standing, profile],
  ['in force', 'at a location of another account or domain', standing, domain],
  ['in force by a signature', 'signed for the same domain', byKey, { ...domain, kind: 'registry_key' }],
  ['suspended because its lines were gone', 'at the same location', suspended('proof_missing'), repository],
  [
    'suspended because the registry records another repository',
    'in the new repository of the same account',
    suspended('repository_changed'),
    renamed,
  ],
  [
    'suspended because its repository was missing, empty or moved',
    'at the same location',
    suspended('repository_changed', { lost_at: now.toISOString() }),
    repository,
  ],
];

/** Each effect is decided for a made-up claim, for documents that are about no listing. */
export const foretellCases: readonly ForetellCase[] = settings.flatMap(([claim, line, known, place]) =>
  [true, false].map((isCosigned) => {
    const { begins, acts } = foretell(known, { place, isCosigned }) ?? { acts: '' };
    return { claim, line, isCosigned, does: begins === undefined ? acts : `${begins}. ${acts}` };
  }),
);
