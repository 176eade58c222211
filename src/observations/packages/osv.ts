import { z } from 'zod';
import { asMembers } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { type Ecosystem, type Order, orderOf, semver } from './version-order.ts';

const event = z.object({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
});
/** One without events says of no version whether it is affected. */
const range = z.object({ type: z.string(), events: z.array(event).min(1) });

/**
 * The members of the OSV schema (1.7) that are read; each part of `affected` is read by itself, and those
 * without a package are usual.
 */
const osv = z.object({
  id: z.string().regex(/^[\w.:-]{1,100}$/),
  withdrawn: z.string().optional().catch(undefined),
  summary: z.string().optional().catch(undefined),
  database_specific: z
    .object({ severity: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  affected: z.array(z.unknown()).optional().catch(undefined),
});
const packageForm = z.object({ ecosystem: z.string(), name: z.string() });

/**
 * An advisory (OSV) about a package; `summary` and `severity` as it states them, absent if it states none.
 */
export const advisory = z.object({
  id: z.string(),
  summary: z.string().optional(),
  severity: z.string().optional(),
  ranges: z.array(range).default([]),
  versions: z.array(z.string()).default([]),
  /** Not all of its versions and ranges are here. */
  is_part: z.literal(true).optional(),
});
export type Advisory = z.infer<typeof advisory>;

/** What is known about a package. */
export interface FoundAdvisories {
  readonly result: 'advisories';
  readonly found: readonly Advisory[];
  /** Whether only those about the asked version are among them. */
  readonly isOfVersion: boolean;
  /** Who says so: the host that was asked, or the copy and when it was saved. */
  readonly source: string;
}

/**
 * OSV publishes reports of malicious code under such ids: the package, or versions of it, are malware
 * themselves.
 */
export const isMalware = (id: string): boolean => id.startsWith('MAL-');

const short = (text: string | undefined, most: number) =>
  toLine((text ?? '').slice(0, 400))
    .slice(0, most)
    .toWellFormed();

/**
 * The name of a package as OSV has it: that of PyPI in one spelling, whatever its case and separators are
 * (PEP 503).
 */
export const toOsvName = (ecosystem: string, name: string): string =>
  ecosystem === 'PyPI' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name;

/**
 * The same for every spelling of a name: NuGet ignores case, crates.io that and which of `-` and `_` stands
 * there.
 */
export function toKey(ecosystem: string, name: string): string {
  const isCrate = ecosystem === 'crates.io';
  const one = isCrate || ecosystem === 'NuGet' ? name.toLowerCase() : toOsvName(ecosystem, name);
  return `${ecosystem}\n${isCrate ? one.replaceAll('_', '-') : one}`;
}

/** What a list has in a form that is read, and whether that is all; a list that is absent has nothing. */
function readList<T>(list: unknown, form: z.ZodType<T>): { readonly read: T[]; readonly isAll: boolean } {
  if (list === undefined) return { read: [], isAll: true };
  if (!Array.isArray(list)) return { read: [], isAll: false };
  const read = list.flatMap((one) => form.safeParse(one).data ?? []);
  return { read, isAll: read.length === list.length };
}

interface ReadAdvisory {
  /** What it says about each package, by the key of that; nothing if it was withdrawn. */
  readonly about: readonly {
    readonly ecosystem: string;
    readonly key: string;
    readonly advisory: Advisory;
  }[];
  /**
   * What is known of it about a package that it may name where Dossier could not read; undefined if all of it
   * was read.
   */
  readonly unread?: Advisory;
}

/** Reads a document of OSV; undefined for one without an id, which is none. */
export function readAdvisory(document: unknown): ReadAdvisory | undefined {
  const { data } = osv.safeParse(document);
  if (!data) return undefined;
  if (data.withdrawn) return { about: [] };
  const { id, affected, database_specific } = data;
  const summary = short(data.summary, 160);
  const severity = short(database_specific?.severity, 40);
  const said = { id, ...(summary && { summary }), ...(severity && { severity }) };
  let isAllRead = affected !== undefined && affected.length > 0;
  const about = (affected ?? []).map(asMembers).flatMap((part) => {
    // It is about commits of a repository alone.
    if (part.package === undefined && part.ranges !== undefined) return [];
    const { data: named } = packageForm.safeParse(part.package);
    if (!named) isAllRead = false;
    if (!named) return [];
    const ranges = readList(part.ranges, range);
    const versions = readList(part.versions, z.string());
    const isPart = !ranges.isAll || !versions.isAll;
    return {
      ecosystem: named.ecosystem,
      key: toKey(named.ecosystem, named.name),
      advisory: {
        ...said,
        ranges: ranges.read,
        versions: versions.read,
        ...(isPart && { is_part: true as const }),
      } satisfies Advisory,
    };
  });
  return { about, ...(!isAllRead && { unread: { ...said, ranges: [], versions: [], is_part: true } }) };
}

type Range = Advisory['ranges'][number];

const atOf = ({ introduced, fixed, last_affected }: Range['events'][number]) =>
  introduced ?? fixed ?? last_affected ?? '';

/** By OSV's rules the version 0 is before every other. */
const beginning = '0';

/**
 * OSV's evaluation of a range: events in the order of their versions, the last one at or before the version
 * decides; `last_affected` is the last version that is affected.
 */
function isInRange({ events }: Range, version: string, { compare }: Order): boolean {
  const order = (a: string, b: string) => {
    if (a === beginning || b === beginning) return Number(b === beginning) - Number(a === beginning);
    return compare(a, b);
  };
  let isAffected = false;
  for (const one of events.toSorted((a, b) => order(atOf(a), atOf(b)))) {
    const where = order(version, atOf(one));
    if (where < 0 || (where === 0 && one.last_affected !== undefined)) break;
    isAffected = one.introduced !== undefined;
  }
  return isAffected;
}

/** Whether a range has no end and begins before every version. */
const isWhole = ({ type, events }: Range): boolean =>
  type !== 'GIT' && events.length > 0 && events.every(({ introduced }) => introduced === beginning);

/** Those of a range are sorted, and each comparison reads two versions. */
const mostEvents = 1000;

/** The order of the versions of a range; undefined if Dossier does not compare them. */
function orderOfRange({ type, events }: Range, ecosystem: Ecosystem): Order | undefined {
  if (events.length > mostEvents) return undefined;
  const order = type === 'SEMVER' ? semver : type === 'ECOSYSTEM' ? orderOf(ecosystem) : undefined;
  const isKnown = (at: string) => at === beginning || order?.isVersion(at) === true;
  return events.every((one) => isKnown(atOf(one))) ? order : undefined;
}

/**
 * Whether an advisory is about a version: it lists the version, in whichever spelling, or has it in a range.
 * `unknown` if that cannot be decided: it states ranges that Dossier does not compare, or the version is
 * none, or no version is known (undefined).
 */
export function affects(
  { versions, ranges, is_part }: Advisory,
  version: string | undefined,
  ecosystem: Ecosystem,
): 'yes' | 'no' | 'unknown' {
  if (ranges.some(isWhole)) return 'yes';
  if (version === undefined) return 'unknown';
  const { isVersion, compare } = orderOf(ecosystem);
  const isComparable = isVersion(version);
  const isSame = (one: string) =>
    one === version || (isComparable && isVersion(one) && compare(one, version) === 0);
  if (versions.some(isSame)) return 'yes';
  const orders = ranges.map((one) => orderOfRange(one, ecosystem));
  const isWithin = ranges.some((one, at) => {
    const order = orders[at];
    return order?.isVersion(version) && isInRange(one, version, order);
  });
  if (isWithin) return 'yes';
  // Ranges that cannot be compared come with a list of all versions that they had when the advisory was
  // written.
  const isListed = versions.length > 0 && isComparable;
  const areCompared = ranges.length > 0 && orders.every((order) => order?.isVersion(version));
  return !is_part && (isListed || areCompared) ? 'no' : 'unknown';
}
