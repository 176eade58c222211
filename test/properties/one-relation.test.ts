import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  Holder,
  type RecordedIdentity,
  recordedHolders,
  recordedIdentities,
} from '../../src/core/identity.ts';
import { groupOf, type RatingBasis, toRelation } from '../../src/ratings/groups.ts';

/** Platforms and their tenants, hosts below and above each other, pages and accounts of forges. */
const hosts = fc.constantFrom(
  'wordpress.com',
  'critic.wordpress.com',
  'a.critic.wordpress.com',
  'fly.dev',
  'critic.fly.dev',
  'vercel.app',
  'a.b.vercel.app',
  'alpic.live',
  'x.alpic.live',
  'azure.com',
  'x.cloudapp.azure.com',
  'example.com',
  'api.example.com',
  'a.api.example.com',
  'example.co.uk',
  'co.uk',
  'alice.github.io',
  'x.alice.github.io',
  'github.io',
  'server.smithery.ai',
  'host.zzz',
  'zzz',
  '192.0.2.7',
  'myexample.com',
);
const accounts = fc.constantFrom(
  'github.com/alice',
  'github.com/Bob',
  'gitlab.com/alice',
  'codeberg.org/bob',
);
const record = fc.record({
  repository_key: fc.option(
    accounts.map((account) => `${account}/x`),
    { nil: undefined },
  ),
  website: fc.option(
    fc.oneof(
      hosts.map((host) => `https://${host}/`),
      accounts.map((account) => `https://${account}`),
    ),
    { nil: undefined },
  ),
  remotes: fc.array(
    hosts.map((host) => ({ url: `https://${host}:8443/mcp` })),
    { maxLength: 3 },
  ),
  packages: fc.array(
    fc.oneof(
      accounts.map((account) => ({ registry_type: 'mcpb', identifier: `https://${account}/x.mcpb` })),
      fc.constant({ registry_type: 'oci', identifier: 'ghcr.io/Alice/x:1' }),
    ),
    { maxLength: 2 },
  ),
});
const handle = hosts.map((host) => `${host.split('.').toReversed().join('.')}/x`);
const root = fc.oneof(
  accounts,
  hosts.map((host) => `dns:${host}`),
);
const at = '2026-01-01T00:00:00.000Z';

type NamedRecord = Parameters<typeof recordedHolders>[0];

/** What is stored of a listing that has one record and one claim. */
const toRecorded = (of: string, named: NamedRecord, proven: string): RecordedIdentity[] => [
  ...recordedIdentities(of, named).map((identity) => ({ ...identity, handle: of, first_imported_at: at })),
  ...new Holder(proven).proven.map((value) => ({
    handle: of,
    kind: 'proven' as const,
    value,
    first_imported_at: at,
  })),
];

it('of any two records, whatever sets criticism apart sets praise apart', () => {
  const seen = { criticism: 0, praise: 0 };
  fc.assert(
    fc.property(
      fc.tuple(handle, record, root),
      fc.tuple(handle, record, root),
      ([source, sourceRecord, sourceRoot], [subject, subjectRecord, subjectRoot]) => {
        const recorded = [
          ...toRecorded(source, sourceRecord, sourceRoot),
          ...toRecorded(subject, subjectRecord, subjectRoot),
        ];
        const rating = {
          source_handle: source,
          source_root: sourceRoot,
          subject_handle: subject,
          stated_until: '2026-06-01T00:00:00.000Z',
        };
        const groupIf = (named?: readonly Holder[]) =>
          groupOf(
            {
              ...({
                declared_interest: false,
                reciprocal: false,
                new_until: at,
              } satisfies Partial<RatingBasis>),
              ...toRelation(rating, recorded, named),
            },
            '2026-06-01T00:00:00.000Z',
          ).group;
        const criticism = groupIf(recordedHolders(sourceRecord));
        const praise = groupIf();
        seen.criticism += criticism === 'independent' ? 0 : 1;
        seen.praise += praise === 'independent' ? 0 : 1;
        if (criticism !== 'independent') expect(praise).not.toBe('independent');
      },
    ),
    { numRuns: 5000 },
  );
  // Otherwise it would say nothing.
  expect(seen.criticism).toBeGreaterThan(100);
  expect(seen.praise).toBeGreaterThan(seen.criticism);
});

it('what a holder contains is the same as it, and is counted with it', () => {
  fc.assert(
    fc.property(root, root, (one, other) => {
      const a = new Holder(one);
      const b = new Holder(other);
      if (a.contains(b)) expect(a.same(b)).toBe(true);
      if (a.same(b)) expect(a.counted).toBe(b.counted);
      expect(a.same(b)).toBe(b.same(a));
      expect([a.contains(a), new Holder(a.place).id]).toEqual([true, a.id]);
      if (a.contains(b) && b.contains(a)) expect(a.place).toBe(b.place);
    }),
    { numRuns: 2000 },
  );
});
