import fc from 'fast-check';
import { failingHosts, type Method } from './places.ts';
import { type Name, names } from './registry.ts';

const name = fc.constantFrom(...names);
const pairs: readonly (readonly [Name, Method])[] = [
  ['alice', 'repository'],
  ['alice', 'profile_repository'],
  ['bob', 'repository'],
  ['bob', 'dns'],
  ['below', 'dns'],
  ['dora', 'repository'],
  ['dora', 'well_known'],
  ['dora', 'dns'],
  ['eve', 'profile_repository'],
  ['eve', 'repository'],
];
/** A listing and a method of it. */
const at = fc.constantFrom(...pairs).map(([name, method]) => ({ name, method }));
/** Which of the newest, from 0. */
const nth = fc.nat(2);
/** Which node answers. */
const node = fc.constantFrom(0, 1);
const is = fc.boolean();
const does = <T extends string>(what: T) => fc.constant(what);

const claiming = {
  claim: fc.record({ does: does('claim'), at, node, presents: is, keeps: is }),
  ask: fc.record({ does: does('ask'), at, node, presents: is, rotates: is, nth }),
  put: fc.record({ does: does('put'), at, keeps: is, nth }),
  add: fc.record({
    does: does('add'),
    at,
    nth: fc.nat(1),
    what: fc.constantFrom('optout', 'optout', 'key', 'leak'),
  }),
  strip: fc.record({
    does: does('strip'),
    at,
    what: fc.constantFrom('optout', 'optout', 'key', 'leak', 'line', 'all'),
  }),
  recheck: fc.record({ does: does('recheck'), node }),
  revoke: fc.record({ does: does('revoke'), name, node }),
  remove: fc.record({ does: does('remove'), name, again: is }),
};

const rating = {
  rate: fc.record({
    does: does('rate'),
    by: name,
    about: name,
    node,
    interaction: fc.nat(1),
    amends: is,
    outcome: fc.constantFrom('succeeded', 'failed'),
    relationship: fc.constantFrom('none', 'none', 'none', 'vendor'),
    score: fc.constantFrom(undefined, 5, 1),
  }),
  withdraw: fc.record({ does: does('withdraw'), nth, node }),
  respond: fc.record({ does: does('respond'), nth, node }),
};

const moderating = {
  act: fc
    .constantFrom(
      ...(['hide', 'void', 'erase'] as const).map((action) => ({ action, on: 'rating' as const })),
      ...(['hide', 'erase'] as const).map((action) => ({ action, on: 'response' as const })),
      ...(['hide', 'withdraw'] as const).map((action) => ({ action, on: 'listing' as const })),
      { action: 'revoke' as const, on: 'capability' as const },
      { action: 'block' as const, on: 'namespace' as const },
      { action: 'block' as const, on: 'account' as const },
    )
    .chain((act) => fc.record({ does: does('act'), act: fc.constant(act), nth, name, undoes: is })),
  overrule: fc.record({ does: does('overrule'), name }),
};

const passing = {
  wait: fc.record({ does: does('wait'), days: fc.constantFrom(0.1, 1, 2, 8, 31) }),
  publish: fc.record({
    does: does('publish'),
    name,
    repository: fc.constantFrom('own', 'own', 'none', 'alice/a', 'bobdev/b', 'alice/d', 'eve/x'),
    host: fc.constantFrom(undefined, 'mcp.alice.dev', 'mcp.bob.com', 'mcp.dora.org', 'x.shared.example'),
    status: fc.constantFrom('active', 'active', 'active', 'deleted'),
  }),
  read: fc.record({ does: does('read'), node }),
};

/** Steps that some histories have more of. */
const rare = {
  /** A host fails for an hour, in which strangers ask for checks and the daily pass runs. */
  outage: fc.record({
    does: does('outage'),
    node,
    host: fc.constantFrom(...failingHosts),
    how: fc.constantFrom('refuses', 'has nothing', 'does not work'),
    asked: fc.array(at, { maxLength: 3 }),
  }),
  /** The clocks of both nodes jump. */
  jump: fc.record({ does: does('jump'), seconds: fc.constantFrom(-3, -40, -3600, 3, 40, 3600, 40 * 86_400) }),
  backUp: fc.record({ does: does('backUp') }),
  restore: fc.record({ does: does('restore') }),
  prove: fc.record({ does: does('prove') }),
};

const all = { ...claiming, ...rating, ...moderating, ...passing, ...rare };
type Arbitraries = typeof all;
type Kind = keyof Arbitraries;
/** What happens in a history. */
export type Step = { [K in Kind]: Arbitraries[K] extends fc.Arbitrary<infer T> ? T : never }[Kind];
export type StepOf<K extends Kind> = Extract<Step, { does: K }>;

const often: Readonly<Record<Kind, number>> = {
  claim: 6,
  ask: 4,
  put: 2,
  add: 2,
  strip: 2,
  recheck: 2,
  revoke: 1,
  remove: 1,
  rate: 8,
  withdraw: 2,
  respond: 2,
  act: 7,
  overrule: 1,
  wait: 2,
  publish: 3,
  read: 2,
  outage: 0,
  jump: 0,
  backUp: 0,
  restore: 0,
  prove: 0,
};

/** How often each step comes; those that are not named as often as in any history. */
export type Weights = Readonly<Partial<Record<Kind, number>>>;

/** Histories of up to 40 steps. */
export const histories = (weights: Weights): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      ...Object.entries({ ...often, ...weights })
        .filter(([, weight]) => weight > 0)
        .map(([kind, weight]) => ({ weight, arbitrary: all[kind as Kind] as fc.Arbitrary<Step> })),
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  );
