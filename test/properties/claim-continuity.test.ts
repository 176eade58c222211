import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findClaimFaults } from '../../src/audit/check-claims.ts';
import { applyReading } from '../../src/claims/apply.ts';
import { createChallenge, readChallenge } from '../../src/claims/challenge.ts';
import { type ClaimKind, type ProofPlace, placeMember } from '../../src/claims/claim.ts';
import { continuationOf } from '../../src/claims/judge.ts';
import type { LocationRead, SeenKey } from '../../src/claims/locations.ts';
import { capabilityHash, createCapability } from '../../src/core/capability.ts';
import { claimableListing } from '../claims/claim-directory.ts';
import { createDatabase, openDatabase } from '../support/database.ts';

const handle = 'com.example/tool';
const key = { kid: 1, secret: Buffer.alloc(32, 1) };
const repository = {
  shown: 'https://github.com/alice/tool',
  key: 'github.com/alice/tool',
  root: 'github.com/alice',
};
const domain = { shown: 'example.com', key: 'dns:example.com', root: 'dns:example.com' };
const places: Readonly<Record<string, ProofPlace>> = {
  repository: { kind: 'repository', ...repository },
  well_known: { kind: 'well_known', ...domain },
  dns: { kind: 'dns', ...domain },
  registry_key: { kind: 'registry_key', ...domain },
};
const kinds = ['repository', 'well_known', 'dns', 'registry_key'] as const;
const people = ['alice', 'mallory', 'bob'] as const;
type Person = (typeof people)[number];

/** What happens at a place: it changes hands, lines come, go and are copied, and it is checked. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('claim' as const),
      who: fc.constantFrom(...people),
      at: fc.constantFrom(...kinds),
      presents: fc.boolean(),
      copies: fc.boolean(),
    }),
  },
  fc.record({
    does: fc.constant('ask' as const),
    who: fc.constantFrom(...people),
    at: fc.constantFrom(...kinds),
    presents: fc.boolean(),
  }),
  fc.record({
    does: fc.constant('put' as const),
    who: fc.constantFrom(...people),
    at: fc.constantFrom(...kinds),
    copies: fc.boolean(),
  }),
  fc.record({ does: fc.constant('clear' as const), at: fc.constantFrom(...kinds) }),
  fc.record({
    does: fc.constant('check' as const),
    at: fc.constantFrom(...kinds),
    finds: fc.constantFrom('text', 'text', 'text', 'unpinned', 'missing', 'trouble'),
  }),
  fc.record({ does: fc.constant('wait' as const), days: fc.constantFrom(1, 6, 8, 29, 31) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Line {
  readonly text: string;
  readonly hash: string;
  readonly who: Person;
}

const publicKeyOf = (who: Person): SeenKey => ({
  algorithm: 'ed25519',
  key: Buffer.alloc(32, who).toString('base64'),
  seen: { domain: 'example.com', resolvers: 2 },
});

async function openWorld() {
  const store = await openDatabase(await createDatabase());
  const listing = claimableListing(1, handle, repository.shown);
  await store.write((tx) => tx.listings.putListings([listing]));
  let now = new Date('2026-11-21T10:00:00Z');
  const lines: Line[] = [];
  const there = new Map<ClaimKind, Line[]>();
  /** Whose lines began each generation of a root. */
  const members = new Map<string, Set<Person>>();
  const holderOf = (hash: string) => lines.find((line) => line.hash === hash)?.who;

  const livingOf = async (who: Person) =>
    (await store.claims.capabilities(handle)).some(({ hash }) => holderOf(hash) === who);

  async function ask(who: Person, at: ClaimKind, presents: boolean) {
    const claim = await store.claims.claim(handle);
    const continues = presents && claim && (await livingOf(who)) ? continuationOf(claim) : undefined;
    const hash = capabilityHash(createCapability());
    const placeKey = places[at]?.key ?? '';
    const binding = { origin: 'https://dossier.example', handle, placeKey, continues };
    const text = createChallenge(key, binding, { hash, at_s: Math.floor(now.getTime() / 1000) });
    lines.push({ text, hash, who });
  }

  function toRead(at: ClaimKind, finds: string): LocationRead {
    if (finds === 'missing')
      return at === 'repository'
        ? { result: 'repository_not_found', pinned: false }
        : { result: 'dns_no_record', pinned: true };
    if (finds === 'trouble') return { result: 'host_timeout', pinned: false };
    const text = (there.get(at) ?? []).map((line) => line.text).join('\n');
    const seen = at === 'repository' ? {} : { seen: { domain: 'example.com' } };
    const pinned = finds === 'text';
    if (at !== 'registry_key') return { result: 'file', text, pinned, ...seen };
    const keys = [...new Set((there.get(at) ?? []).map(({ who }) => who))].map(publicKeyOf);
    return { result: 'file', text: '', pinned, keys };
  }

  async function check(at: ClaimKind, finds: string) {
    const claim = await store.claims.claim(handle);
    const read = toRead(at, finds);
    const elsewhere = claim?.state === 'claimed' && claim.kind !== at ? (there.get(claim.kind) ?? []) : [];
    const signed = there.get(at)?.at(-1);
    const challenge =
      at === 'registry_key' && read.result === 'file' && signed ? readChallenge(signed.text) : undefined;
    const place = places[at];
    if (!place) throw new Error(at);
    const reading = {
      ...{ listing, place, read, now, ring: [key] as const },
      agreed: new Set(elsewhere.map(({ hash }) => hash)),
      signed: challenge && signed && { ...challenge, signer: publicKeyOf(signed.who) },
      binding: { origin: 'https://dossier.example', handle, placeKey: place.key },
    };
    await store.write((tx) => applyReading(tx, reading));
    return { before: claim, after: await store.claims.claim(handle) };
  }

  /** Who controls a place puts lines of their own there, and may copy what was public before. */
  function put(who: Person, at: ClaimKind, copies: boolean) {
    const own = lines.filter((line) => line.who === who).slice(-2);
    there.set(at, [...(copies ? (there.get(at) ?? []) : []), ...own]);
  }

  async function run(one: Step) {
    if (one.does === 'wait') now = new Date(now.getTime() + one.days * 86_400_000);
    if (one.does === 'clear') there.set(one.at, []);
    if (one.does === 'ask') await ask(one.who, one.at, one.presents);
    if (one.does === 'put') put(one.who, one.at, one.copies);
    if (one.does === 'claim') {
      const { who, at, presents, copies } = one;
      await ask(who, at, presents);
      put(who, at, copies);
      await verify(await check(at, 'text'));
    }
    if (one.does === 'check') await verify(await check(one.at, one.finds));
  }

  async function verify({ before, after }: Awaited<ReturnType<typeof check>>) {
    const living = await store.claims.capabilities(handle);
    const active = living.filter(({ state }) => state === 'active');
    expect(active.length).toBeLessThanOrEqual(5);
    expect(living.length).toBeLessThanOrEqual(64);
    expect(active.length > 0).toBe(after?.state === 'claimed');
    if (!after) return;
    const shown = { ...after, ...placeMember(after.kind, after.place) };
    const events = await store.claims.history(handle);
    expect(findClaimFaults({ handle, claim: shown, events }, Infinity)).toEqual([]);
    const holders = active.map(({ hash }) => holderOf(hash) as Person);
    const name = continuationOf(after);
    const isNew = !before || continuationOf(before) !== name;
    if (isNew) {
      expect(members.has(name)).toBe(false);
      expect(after.first_proved_at).toBe(now.toISOString());
      members.set(name, new Set(holders));
    } else {
      expect(after.first_proved_at).toBe(before.first_proved_at);
      // Nobody comes into a claim who did not begin it: only its own people ask with its capabilities.
      for (const who of holders) expect([...(members.get(name) ?? [])]).toContain(who);
    }
  }

  return { run, close: () => store.close() };
}

it('a claim never gets a holder who did not begin it, whatever places are lost, copied and found by others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = await openWorld();
      try {
        for (const one of steps) await world.run(one);
      } finally {
        await world.close();
      }
    }),
    { numRuns: 200 },
  );
});
