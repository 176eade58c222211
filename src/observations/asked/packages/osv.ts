import { z } from 'zod';
import { asMembers } from '../../../core/json.ts';
import { dayText, toLine } from '../../../core/text.ts';
import { type Ecosystem, type Order, orderOf, semver } from './version-order.ts';

const event = z.object({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
});
/** Without events, a range does not say which versions are affected. */
const range = z.object({ type: z.string(), events: z.array(event).min(1) });

const severity = z
  .array(z.object({ score: z.string() }))
  .optional()
  .catch(undefined);

/** OSV schema 1.7. Parts of `affected` without a package are common. */
const osv = z.object({
  id: z.string().regex(/^[\w.:-]{1,100}$/),
  withdrawn: z.string().optional().catch(undefined),
  summary: z.string().optional().catch(undefined),
  aliases: z.array(z.string()).optional().catch(undefined),
  severity,
  database_specific: z
    .object({ severity: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  affected: z.array(z.unknown()).optional().catch(undefined),
});
const packageForm = z.object({ ecosystem: z.string(), name: z.string() });

export const advisory = z.object({
  id: z.string(),
  /** Its names as CVE. */
  aliases: z.array(z.string()).optional(),
  summary: z.string().optional(),
  severity: z.string().optional(),
  ranges: z.array(range).default([]),
  versions: z.array(z.string()).default([]),
  is_part: z.literal(true).optional(),
});
export type Advisory = z.infer<typeof advisory>;

export interface FoundAdvisories {
  readonly result: 'advisories';
  readonly found: readonly Advisory[];
  readonly isOfVersion: boolean;
  /** Of the told ones, the day on which OSV withdrew it; empty if OSV states no date. */
  readonly withdrawn: Readonly<Record<string, string>>;
  /** Another spelling of the name may find others. */
  readonly isBySpelling?: true;
  readonly source: string;
  /** Of a copy, its day. */
  readonly saved_on?: string;
}

const mostAliases = 3;

export const isMalware = (id: string): boolean => id.startsWith('MAL-');

const short = (text: string | undefined, most: number) =>
  toLine((text ?? '').slice(0, 400))
    .slice(0, most)
    .toWellFormed();

/** The word of the database, or else the first score, such as a CVSS vector. */
const severityOf = (word: string | undefined, ...scores: readonly z.infer<typeof severity>[]): string =>
  short(word || scores.flatMap((ofOne) => ofOne ?? [])[0]?.score, 100);

/** OSV normalizes the names of PyPI (PEP 503). */
export const toOsvName = (ecosystem: string, name: string): string =>
  ecosystem === 'PyPI' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name;

/** NuGet and crates.io ignore case, and crates.io does not tell `-` from `_`. */
export function toKey(ecosystem: string, name: string): string {
  const isCrate = ecosystem === 'crates.io';
  const one = isCrate || ecosystem === 'NuGet' ? name.toLowerCase() : toOsvName(ecosystem, name);
  return `${ecosystem}\n${isCrate ? one.replaceAll('_', '-') : one}`;
}

function readForms<T>(list: unknown, form: z.ZodType<T>): { readonly read: T[]; readonly isAll: boolean } {
  if (list === undefined) return { read: [], isAll: true };
  if (!Array.isArray(list)) return { read: [], isAll: false };
  const read = list.flatMap((one) => form.safeParse(one).data ?? []);
  return { read, isAll: read.length === list.length };
}

interface ReadAdvisory {
  readonly about: readonly {
    readonly ecosystem: string;
    readonly key: string;
    readonly advisory: Advisory;
  }[];
  /** The advisory without versions: an unread part may name more packages. */
  readonly unread?: Advisory;
  readonly withdrawn?: { readonly id: string; readonly on: string };
}

function toDay(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? '' : dayText(at);
}

export function readAdvisory(document: unknown): ReadAdvisory | undefined {
  const { data } = osv.safeParse(document);
  if (!data) return undefined;
  if (data.withdrawn) return { about: [], withdrawn: { id: data.id, on: toDay(data.withdrawn) } };
  const { id, aliases = [], affected, database_specific } = data;
  const summary = short(data.summary, 160);
  const saidOf = (ofPackage?: z.infer<typeof severity>) => {
    const how = severityOf(database_specific?.severity, ofPackage, data.severity);
    const names = aliases.filter((one) => /^CVE-\d{4}-\d{1,10}$/.test(one)).slice(0, mostAliases);
    return {
      id,
      ...(names.length > 0 && { aliases: names }),
      ...(summary && { summary }),
      ...(how && { severity: how }),
    };
  };
  let isAllRead = affected !== undefined && affected.length > 0;
  const about = (affected ?? []).map(asMembers).flatMap((part) => {
    // Only about commits of a repository.
    if (part.package === undefined && part.ranges !== undefined) return [];
    const { data: named } = packageForm.safeParse(part.package);
    if (!named) isAllRead = false;
    if (!named) return [];
    const ranges = readForms(part.ranges, range);
    const versions = readForms(part.versions, z.string());
    const isPart = !ranges.isAll || !versions.isAll;
    return {
      ecosystem: named.ecosystem,
      key: toKey(named.ecosystem, named.name),
      advisory: {
        ...saidOf(severity.parse(part.severity)),
        ranges: ranges.read,
        versions: versions.read,
        ...(isPart && { is_part: true as const }),
      } satisfies Advisory,
    };
  });
  return { about, ...(!isAllRead && { unread: { ...saidOf(), ranges: [], versions: [], is_part: true } }) };
}

type AdvisoryRange = Advisory['ranges'][number];

const atOf = ({ introduced, fixed, last_affected }: AdvisoryRange['events'][number]) =>
  introduced ?? fixed ?? last_affected ?? '';

/** In OSV, version 0 comes before every other. */
const beginning = '0';

/** As in OSV, the last event at or before the version decides; `last_affected` is itself affected. */
function isInRange({ events }: AdvisoryRange, version: string, { compare }: Order): boolean {
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

const isWhole = ({ type, events }: AdvisoryRange): boolean =>
  type !== 'GIT' && events.length > 0 && events.every(({ introduced }) => introduced === beginning);

/** Longer ranges are not compared, because sorting parses two versions for each comparison. */
const mostEvents = 1000;

function orderOfRange({ type, events }: AdvisoryRange, ecosystem: Ecosystem): Order | undefined {
  if (events.length > mostEvents) return undefined;
  const order = type === 'SEMVER' ? semver : type === 'ECOSYSTEM' ? orderOf(ecosystem) : undefined;
  const isKnown = (at: string) => at === beginning || order?.isVersion(at) === true;
  return events.every((one) => isKnown(atOf(one))) ? order : undefined;
}

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
  // The OSV schema asks for the affected versions if ranges cannot be compared.
  const isListed = versions.length > 0 && isComparable;
  const areCompared = ranges.length > 0 && orders.every((order) => order?.isVersion(version));
  return !is_part && (isListed || areCompared) ? 'no' : 'unknown';
}
