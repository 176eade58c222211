import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ownMember, parseForeignJson } from '../../core/json.ts';
import { coded, dayText } from '../../core/text.ts';
import { canonicalDigest } from '../../log/leaf.ts';

/** One fact as it was locked, and since when that was so, where that is known. */
const lockedFact = z.object({
  value: z.json(),
  /** The value in words, where it is no text; what others wrote is in quotes or code spans. */
  text: z.string().optional(),
  since: z.string().optional(),
  /** Dossier saw it itself: it is compared only if both sides know it. */
  is_observed: z.literal(true).optional(),
});
export type LockedFact = z.infer<typeof lockedFact>;

const lockedListing = z.object({
  as_of: z.string(),
  facts: z.record(z.string(), lockedFact),
  log_index: z.int().optional(),
});
export type LockedListing = z.infer<typeof lockedListing>;

/** The content of dossier.lock.json: facts that a later check compares, by listing (docs/changes.md). */
const lockFile = z.object({
  lockfile_version: z.literal(1),
  from: z.string(),
  locked_at: z.string(),
  listings: z.record(z.string(), lockedListing),
});
export type LockFile = z.infer<typeof lockFile>;

export const readLockFile = (text: string): LockFile | undefined =>
  lockFile.safeParse(parseForeignJson(text)).data;

/** One change of a fact: from which value, since when (RFC 3339), and in words. */
interface SaidChange {
  readonly from: unknown;
  readonly since: string;
  readonly text: string;
}

/** How facts of a listing changed, by their names: what weighs most first, and the last change at the end. */
export type Changes = Readonly<Record<string, readonly SaidChange[]>>;

export interface LockDifference {
  readonly handle: string;
  readonly fact: string;
  /** Undefined if the fact was not locked, or is gone. */
  readonly from: LockedFact['value'] | undefined;
  readonly to: LockedFact['value'] | undefined;
  /** The same in words: what others wrote is in quotes or code spans. */
  readonly from_text: string;
  readonly to_text: string;
  /**
   * How it changed, where from and to are digests; of several changes since, what weighs most, and the last.
   */
  readonly how?: string;
  /** Since when it is so, RFC 3339, if that is known; else the day on which it was read. */
  readonly when: string;
  readonly when_is: 'since' | 'as_of';
}

const valueText = (value: LockedFact['value']) =>
  coded(typeof value === 'string' ? value : JSON.stringify(value));

const digestText = (value: LockedFact['value']) => `SHA-256 ${canonicalDigest({ value }).slice(0, 12)}`;

/** What a fact was and is, in words; where these are the same, the values themselves, or their digests. */
function toTexts(before: LockedFact | undefined, after: LockedFact | undefined) {
  const ways = [
    ({ text, value }: LockedFact) => text ?? valueText(value),
    (one: LockedFact) => valueText(one.value),
  ];
  const said = ways.map((way) => [before, after].map((one) => (one ? way(one) : 'nothing')));
  const digests = [before, after].map((one) => (one ? digestText(one.value) : 'nothing'));
  const [from_text = '', to_text = ''] = said.find(([from, to]) => from !== to) ?? digests;
  return { from_text, to_text };
}

/** How a fact changed from what was locked, which was so since a time. */
function howChanged(changes: readonly SaidChange[], { value, since: locked = '' }: Partial<LockedFact>) {
  const last = changes.at(-1);
  if (!last || isDeepStrictEqual(last.from, value)) return last?.text;
  const first = changes.find(({ since }) => since > locked) ?? last;
  const most = first === last ? '' : `what weighs most: ${first.text}; `;
  return `of several changes since, ${most}the last: ${last.text}`;
}

/**
 * The facts of one listing that differ from what was locked, in the order of their names. What Dossier
 * observed is compared only if both sides know it; what the record says is compared always.
 */
export function compareLocked(
  handle: string,
  locked: LockedListing,
  now: LockedListing,
  changes: Changes,
): LockDifference[] {
  const names = [...new Set([...Object.keys(locked.facts), ...Object.keys(now.facts)])].sort();
  return names.flatMap((fact): LockDifference[] => {
    const before = locked.facts[fact];
    const after = now.facts[fact];
    if (isDeepStrictEqual(before?.value, after?.value)) return [];
    if ((before ?? after)?.is_observed && !(before && after)) return [];
    // The record has one date for all that it says, and for what it says no longer.
    const since = after ? after.since : now.facts.version?.since;
    const when = since ?? now.as_of;
    const when_is = since === undefined ? 'as_of' : 'since';
    const how = howChanged(ownMember(changes, fact) ?? [], before ?? {});
    const texts = { ...toTexts(before, after), ...(how !== undefined && { how }) };
    return [{ handle, fact, from: before?.value, to: after?.value, ...texts, when, when_is }];
  });
}

/**
 * How many facts that Dossier saw are locked and not known now, so that nothing says whether they changed.
 */
export const countUnknown = (locked: LockedListing, now: LockedListing): number =>
  Object.entries(locked.facts).filter(([fact, { is_observed }]) => is_observed && !now.facts[fact]).length;

/** A listing that can no longer be read: withdrawn, or unknown where it is looked for. */
export const toGone = (handle: string, why: string, when: string): LockDifference => ({
  handle,
  fact: 'listing',
  from: 'listed',
  to: why,
  from_text: coded('listed'),
  to_text: coded(why),
  when,
  when_is: 'as_of' as const,
});

/** The kind of a fact is ours; what it is about is an address or a name that a publisher wrote. */
function factText(fact: string): string {
  const end = fact.indexOf(' ');
  return end < 0 ? fact : `${fact.slice(0, end)} ${coded(fact.slice(end + 1))}`;
}

/**
 * A difference on one line. Values are the words of publishers, services and registries: in code spans, or
 * quoted.
 */
export function differenceText({ handle, fact, from_text, to_text, how, when, when_is }: LockDifference) {
  const what = how === undefined ? ` changed from ${from_text} to ${to_text}` : `: ${how}`;
  return `${handle}: ${factText(fact)}${what}, ${when_is === 'since' ? 'known since' : 'as of'} ${dayText(when)}`;
}
