import { isDeepStrictEqual } from 'node:util';
import compare from 'semver/functions/compare.js';
import valid from 'semver/functions/valid.js';
import { z } from 'zod';
import type { VersionSummary } from './listing.ts';
import { isWeighty, leadsToOthers, moveBetween, moveSchema, withFormerSecrets } from './moves.ts';
import type { Naming } from './naming.ts';

export interface Edition extends Pick<VersionSummary, 'version' | 'status' | 'published_at' | 'undated'> {
  readonly naming: Naming;
}

/**
 * How many endpoint addresses, or else hosts, and packages (without versions) are the same as in the record
 * before. A number is 0 if any of the counted items differs, or may differ because it was not read.
 */
const keptSchema = z.strictObject({
  endpoints: z.int(),
  hosts: z.int(),
  packages: z.int(),
  repository: z.boolean(),
});

function keptBetween(before: Naming, after: Naming): z.infer<typeof keptSchema> {
  const sameOf = (part: keyof Naming['mayNameMore'], old: Iterable<string>, now: Iterable<string>) => {
    const names = new Set(now);
    const mayDiffer = before.mayNameMore[part] || after.mayNameMore[part];
    return !mayDiffer && isDeepStrictEqual(new Set(old), names) ? names.size : 0;
  };
  const endpoints = sameOf('endpoints', before.addresses.keys(), after.addresses.keys());
  return {
    endpoints,
    hosts: endpoints > 0 ? 0 : sameOf('endpoints', before.endpoints.keys(), after.endpoints.keys()),
    packages: sameOf('packages', before.packageKeys, after.packageKeys),
    repository: after.repository_key !== undefined && before.repository_key === after.repository_key,
  };
}

/** The version that made the move, and its date if the registry states one. */
export const datedMove = moveSchema.extend({
  version: z.string(),
  published_at: z.string().optional(),
  kept: keptSchema.optional(),
});
export type DatedMove = z.infer<typeof datedMove>;

const loose = { loose: true };
const isSemantic = ({ version }: Edition) => valid(version, loose) !== null;
const byText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/**
 * Leaves out deleted versions. Versions are ordered by publication or, if a date is missing, by semantic
 * version, never by the time at which Dossier read them. Returns undefined if their order is not known.
 */
function editionsInOrder(editions: readonly Edition[]): Edition[] | undefined {
  const listed = editions.filter(({ status }) => status !== 'deleted');
  const areSemantic = listed.every(isSemantic);
  const isUndated = listed.some(({ undated }) => undated);
  if (isUndated && !areSemantic) return undefined;
  return listed.sort(
    (a, b) =>
      (isUndated ? 0 : byText(a.published_at, b.published_at)) ||
      (areSemantic ? compare(a.version, b.version, loose) : 0) ||
      byText(a.version, b.version),
  );
}

const weightOfMove = (move: DatedMove): number => (leadsToOthers(move) ? 2 : isWeighty(move) ? 1 : 0);

/** Moves to other owners come first, then moves that name new secrets, then all others. */
export const weightyFirst = (moves: readonly DatedMove[]): DatedMove[] =>
  moves.toSorted((a, b) => weightOfMove(b) - weightOfMove(a));

const mostMoves = 10;

/** Moves of the versions up to the shown one, newest first. */
export interface Moves {
  readonly versions: number;
  /** The time at which the oldest of these versions was published, if it has a date. */
  readonly since?: string;
  /** Whether something that is compared was not read. */
  readonly partly_read?: true;
  /** Ten moves at most: the first ones of `weightyFirst`, from the newest to the oldest. */
  readonly moves: DatedMove[];
  /** The number of moves that are not kept. */
  readonly left_out?: number;
}

/**
 * `editions` may be in any order. Returns undefined if there are fewer than two to compare, or if their order
 * is not known.
 */
export function toMoves(handle: string, editions: readonly Edition[], shown: string): Moves | undefined {
  const ordered = editionsInOrder(editions);
  const compared = ordered?.slice(0, ordered.findIndex(({ version }) => version === shown) + 1) ?? [];
  const [oldest] = compared;
  if (oldest === undefined || compared.length < 2) return undefined;
  const dateOf = ({ undated, published_at }: Edition) => (undated ? {} : { published_at });
  let repository_key: string | undefined;
  let naming = oldest.naming;
  const moves = compared.flatMap((edition, at): DatedMove[] => {
    const before = at === 0 ? undefined : { naming };
    naming = before ? withFormerSecrets(before.naming, edition.naming) : naming;
    repository_key = before?.naming.repository_key ?? repository_key;
    // A version that names a repository again is compared with the last one that did.
    const isNamed = edition.naming.repository_key !== undefined;
    const move =
      before &&
      moveBetween(isNamed ? { ...before.naming, repository_key } : before.naming, edition.naming, handle);
    if (!move) return [];
    const kept = keptBetween(before.naming, edition.naming);
    return [{ ...move, version: edition.version, ...dateOf(edition), kept }];
  });
  const kept = new Set(weightyFirst(moves.reverse()).slice(0, mostMoves));
  return {
    versions: compared.length,
    ...(!oldest.undated && { since: oldest.published_at }),
    ...(compared.some(({ naming }) => naming.isPartlyRead) && { partly_read: true }),
    moves: moves.filter((one) => kept.has(one)),
    ...(moves.length > mostMoves && { left_out: moves.length - mostMoves }),
  };
}

/** Tells whether a stored change is the same move as that of a version. */
export const isSameMove = (told: unknown, dated: DatedMove): boolean => {
  const { version: _, published_at: __, kept: ___, ...move } = dated;
  return isDeepStrictEqual(told, move);
};
