import { isDeepStrictEqual } from 'node:util';
import compare from 'semver/functions/compare.js';
import valid from 'semver/functions/valid.js';
import { z } from 'zod';
import { difference } from '../core/difference/difference.ts';
import type { ComparedRow, DerivedVersion, VersionSummary } from './listing.ts';
import { inputsBetween, moveBetween, moveSchema, type VersionMove, withSecretsOfOther } from './moves.ts';
import type { Naming } from './naming.ts';

type Edition = Pick<
  VersionSummary,
  'version' | 'status' | 'published_at' | 'updated_at' | 'undated' | 'derived'
>;

/**
 * Unchanged endpoint addresses, or else hosts, and packages (without versions). 0 if any differs, or may
 * because it was not read.
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
    return mayDiffer || difference(new Set(old), names).length > 0 ? 0 : names.size;
  };
  const endpoints = sameOf('endpoints', before.addresses.keys(), after.addresses.keys());
  return {
    endpoints,
    hosts: endpoints > 0 ? 0 : sameOf('endpoints', before.endpoints.keys(), after.endpoints.keys()),
    packages: sameOf('packages', before.packageKeys, after.packageKeys),
    repository: after.repository_key !== undefined && before.repository_key === after.repository_key,
  };
}

const keptMove = moveSchema.extend({ kept: keptSchema.optional() });
export type KeptMove = z.infer<typeof keptMove>;

export const datedMove = keptMove.extend({
  version: z.string(),
  published_at: z.string().optional(),
  /** Than the shown one. */
  later: z.enum(['listed', 'deleted']).optional(),
  deleted_at: z.string().optional(),
  /** The shown record names no place that a version that was deleted moved to. */
  is_left: z.literal(true).optional(),
});
export type DatedMove = z.infer<typeof datedMove>;

/** The move, and what the next version is compared with besides the record. */
export interface ComparedVersion {
  readonly move?: KeptMove | undefined;
  /** That this version or an earlier one names last. */
  readonly repository?: string | undefined;
  /** Called secrets by earlier versions only. */
  readonly secrets?: readonly string[];
  /** The keys of its places and of its packages at versions, which stay when it is deleted. */
  readonly places?: readonly string[];
  readonly packages?: readonly string[];
}

export interface ShownRecord {
  readonly moves?: Moves | undefined;
  /** Of the first listed version, if a deleted one was before it. */
  readonly after?: DerivedVersion['after'];
  /** Fields whose values Dossier does not read. */
  readonly unread: readonly string[];
}

const loose = { loose: true };
const byText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

export const isListed = ({ status }: Pick<Edition, 'status'>): boolean => status !== 'deleted';

/**
 * Without deleted versions that were never compared. Undefined if the order is unknown: without all dates
 * semantic versions decide, never the times at which Dossier read them.
 */
export function versionsInOrder<One extends Edition>(editions: readonly One[]): One[] | undefined {
  const known = editions.filter((one) => isListed(one) || one.derived?.weight !== undefined);
  const areSemantic = known.every(({ version }) => valid(version, loose) !== null);
  const isUndated = known.some(({ undated }) => undated);
  if (isUndated && !areSemantic) return undefined;
  return known.sort(
    (a, b) =>
      (isUndated ? 0 : byText(a.published_at, b.published_at)) ||
      (areSemantic ? compare(a.version, b.version, loose) : 0) ||
      byText(a.version, b.version),
  );
}

/** A first repository does not count, and neither do secrets that are gone or no longer needed. */
export const changesPlaces = ({ repository, secrets, ...move }: VersionMove): boolean =>
  [move.endpoints, move.addresses, move.transports, move.packages, move.starts, move.passed].some(
    (part) => part !== undefined,
  ) ||
  secrets?.sent !== undefined ||
  secrets?.now_needed !== undefined ||
  repository?.from !== undefined;

export const leadsToOthers = ({ repository, passed = [], ...move }: VersionMove): boolean =>
  [move.endpoints, move.addresses, move.packages, move.starts].some((part) => part?.is_within === false) ||
  (repository?.from !== undefined && repository.to !== undefined && !repository.is_within) ||
  passed.some((one) => one.is_within === false);

export const isWeighty = (move: VersionMove): boolean =>
  leadsToOthers(move) || move.secrets?.sent !== undefined;

export const weightOfMove = (move: KeptMove): number => (leadsToOthers(move) ? 3 : isWeighty(move) ? 2 : 1);

/**
 * By weight, newest first. Of moves to other owners the oldest is second, because it left the first owner.
 */
export const weightyFirst = <One>(newestFirst: readonly One[], weightOf: (one: One) => number): One[] =>
  [...Map.groupBy(newestFirst, weightOf)]
    .sort(([a], [b]) => b - a)
    .flatMap(([weight, all]) => (weight < 3 ? all : [all[0], ...all.slice(1).slice(-1), ...all.slice(1, -1)]))
    .filter((one) => one !== undefined);

/** `fields` differ. */
export function compareVersion(
  handle: string,
  before: (Omit<ComparedVersion, 'move'> & { readonly naming: Naming }) | undefined,
  next: { readonly naming: Naming; readonly fields: readonly string[] } & Pick<DerivedVersion, 'values'>,
) {
  const { naming, fields, values } = next;
  const { repository_key } = naming;
  const was = before && withSecretsOfOther(before.secrets ?? [], before.naming);
  // A repository named again is compared with the last one named.
  const last = repository_key === undefined ? was?.repository_key : before?.repository;
  const move = was && moveBetween({ ...was, repository_key: last }, naming, handle);
  const former = withSecretsOfOther(was?.secrets.keys() ?? [], naming);
  const secrets = [...former.secrets.keys()].filter((key) => !naming.secrets.has(key));
  const repository = repository_key ?? before?.repository;
  return {
    derived: {
      weight: move ? weightOfMove(move) : 0,
      fields,
      ...(values && { values }),
      ...(was && fields.includes('inputs') && { inputs: inputsBetween(was, naming) }),
      ...(naming.isPartlyRead && { partly_read: true as const }),
    },
    compared: {
      ...(move && { move: { ...move, kept: keptBetween(was, naming) } }),
      ...(repository !== undefined && { repository }),
      ...(secrets.length > 0 && { secrets }),
    } satisfies ComparedVersion,
  };
}

const mostMoves = 10;

const standingOf = (one: Pick<Edition, 'status' | 'updated_at'>, isLater: boolean) => ({
  ...(isLater && { later: isListed(one) ? ('listed' as const) : ('deleted' as const) }),
  ...(!isListed(one) && { deleted_at: one.updated_at }),
});

/** False if it moved to no place. */
const isLeft = ({ endpoints, addresses, packages, repository }: VersionMove, shown: Naming): boolean => {
  const to = [endpoints, addresses, packages].flatMap((part) => part?.to ?? []);
  const all = repository?.to === undefined ? to : [...to, repository.to];
  const names = [shown.endpoints, shown.addresses, shown.packages, new Set([shown.repository_key])];
  return all.length > 0 && !all.some((name) => names.some((known) => known.has(name)));
};

function newerOf(since: readonly Edition[]) {
  const newest = since.at(-1);
  if (newest === undefined) return undefined;
  // Null if not all packages have the same.
  const packages = since.flatMap(({ derived: { fields, values } = {} }) =>
    fields?.includes('package_versions') ? (values?.package_versions ?? [null, null]) : [],
  );
  const [was = null] = packages;
  const is = packages.at(-1) ?? null;
  return { version: newest.version, ...(was !== is && { packages: [was, is] }) };
}

/** Why nothing is told to differ. */
function unchangedOf({ weight, with: before, after, partly_read }: DerivedVersion) {
  if (weight === undefined) return 'not_compared' as const;
  if (before === undefined && after)
    return after.others.length > 0 ? ('after_other' as const) : ('after_deleted' as const);
  if (before === undefined) return 'first' as const;
  return partly_read ? ('partly_read' as const) : ('same' as const);
}
export type Unchanged = ReturnType<typeof unchangedOf>;

/** A version as the history and the page of versions tell it. `isLater`: than the shown one. */
export function changedVersion(row: ComparedRow, isLater = false) {
  const { version, published_at, undated, derived, compared } = row;
  const { fields = [], inputs, values } = derived ?? {};
  const { move } = JSON.parse(compared ?? '{}') as ComparedVersion;
  return {
    ...move,
    ...(!move && fields.length === 0 && { unchanged: unchangedOf(derived ?? {}) }),
    version,
    ...(!undated && { published_at }),
    ...standingOf(row, isLater),
    fields,
    ...(inputs && { inputs }),
    ...(values && { values }),
  };
}
export type ChangedVersion = ReturnType<typeof changedVersion>;

/** `all` is absent from what was stored by earlier versions. */
type StoredMoves = NonNullable<Awaited<ReturnType<typeof toMoves>>>;
export type Moves = Omit<StoredMoves, 'all'> & Partial<Pick<StoredMoves, 'all'>>;

/**
 * From the oldest; of all versions, also those that are later than the shown one. `moveOf` is called only
 * for moves that are kept.
 */
export async function toMoves<One extends Edition>(
  ordered: readonly One[],
  shown: { readonly version: string; readonly naming: Naming; readonly is_latest: boolean },
  moveOf: (version: One) => Promise<KeptMove | undefined>,
) {
  const others = new Set(ordered.map(({ derived }) => derived?.with));
  const compared = ordered.filter(
    ({ version, derived }) => derived?.with !== undefined || others.has(version),
  );
  const [oldest] = compared;
  if (oldest === undefined || compared.length < 2) return undefined;
  const later = new Set(ordered.slice(ordered.findIndex(({ version }) => version === shown.version) + 1));
  const newer = newerOf(ordered.filter((one) => later.has(one) && isListed(one)));
  const weightOf = ({ derived }: Edition) => derived?.weight ?? 0;
  const moved = compared.filter((one) => weightOf(one) > 0).reverse();
  const unmoved = compared.filter((one) => weightOf(one) === 0);
  const kept = new Set(weightyFirst(moved, weightOf).slice(0, mostMoves));
  const moves: DatedMove[] = [];
  for (const one of moved.filter((each) => kept.has(each))) {
    const { version, undated, published_at } = one;
    const move = await moveOf(one);
    const standing = standingOf(one, later.has(one));
    const left = standing.deleted_at && move && isLeft(move, shown.naming) && { is_left: true as const };
    moves.push({ ...move, version, ...(!undated && { published_at }), ...standing, ...left });
  }
  return {
    /** That were compared, deleted ones too. */
    versions: compared.length,
    /** When the oldest of these was published. */
    ...(!oldest.undated && { since: oldest.published_at }),
    ...(compared.some(({ derived }) => derived?.partly_read) && { partly_read: true as const }),
    /** The first of `weightyFirst`, newest first. */
    moves,
    /**
     * The newest listed version, if published after the shown one, both versions of its packages, and whether
     * the registry marks the shown one as latest.
     */
    ...(newer && { newer: { ...newer, is_marked: shown.is_latest } }),
    ...(moved.length > mostMoves && { left_out: moved.length - mostMoves }),
    /** How many made a move, how many others changed other fields, and how many did neither. */
    all: {
      moved: moved.length,
      changed: unmoved.filter((one) => (one.derived?.fields ?? []).length > 0).length,
      same: unmoved.filter(({ derived }) => derived?.with !== undefined && derived.fields?.length === 0)
        .length,
    },
  };
}

/** The import of this version told the same. */
export function isTold(
  { version, from_version, fields: told, moved }: Readonly<Record<string, unknown>>,
  of: ChangedVersion,
) {
  const { version: compared, published_at: _, kept: __, inputs: ___, later: ____, ...rest } = of;
  const { deleted_at: _____, values: ______, fields, ...move } = rest;
  if (version !== compared) return false;
  if (move.unchanged?.startsWith('after')) return false;
  // A first import names no fields.
  if (move.unchanged) return from_version !== undefined || told === undefined;
  const isSame = Object.keys(move).length === 0 || isDeepStrictEqual(moved, move);
  return isSame && fields.every((one) => Array.isArray(told) && told.includes(one));
}
