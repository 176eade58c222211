import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ownMember, parseForeignJson } from '../../core/json.ts';
import { coded, dayText } from '../../core/text.ts';
import { canonicalDigest } from '../../log/leaf.ts';

const lockedFact = z.object({
  value: z.json(),
  /** For a value that is not a text. Others wrote its quotations and code spans. */
  text: z.string().optional(),
  since: z.string().optional(),
  is_observed: z.literal(true).optional(),
  method_version: z.string().optional(),
  missed_since: z.string().optional(),
  /** In words, if later checks did not see it again. */
  reason: z.string().optional(),
});
export type LockedFact = z.infer<typeof lockedFact>;

const lockedListing = z.object({
  as_of: z.string(),
  facts: z.record(z.string(), lockedFact),
  log_index: z.int().optional(),
});
export type LockedListing = z.infer<typeof lockedListing>;

/** dossier.lock.json (docs/changes.md). */
const lockFile = z.object({
  lockfile_version: z.literal(1),
  from: z.string(),
  locked_at: z.string(),
  /** Names with versions, as inventory asks. */
  asked: z.array(z.string()).optional(),
  /** Whose servers were asked about; those of clients if none is named. */
  inventory: z.array(z.string()).optional(),
  listings: z.record(z.string(), lockedListing),
});
export type LockFile = z.infer<typeof lockFile>;

export const readLockFile = (text: string): LockFile | undefined =>
  lockFile.safeParse(parseForeignJson(text)).data;

interface SaidChange {
  readonly from: unknown;
  /** RFC 3339. */
  readonly since: string;
  readonly text: string;
}

/** The last change comes at the end. */
export type LockChanges = Readonly<Record<string, readonly SaidChange[]>>;

export interface LockDifference {
  readonly handle: string;
  readonly fact: string;
  readonly from: LockedFact['value'] | undefined;
  readonly to: LockedFact['value'] | undefined;
  /** Others wrote its quotations and code spans. */
  readonly from_text: string;
  readonly to_text: string;
  /** Each change that is told, if the two values do not show it. */
  readonly how?: string;
  /** Since when (RFC 3339) or, if not known, the day of the answer. */
  readonly when: string;
  readonly when_is: 'since' | 'as_of';
}

const valueText = (value: LockedFact['value']) =>
  coded(typeof value === 'string' ? value : JSON.stringify(value));

const digestText = (value: LockedFact['value']) => `SHA-256 ${canonicalDigest({ value }).slice(0, 12)}`;

/** If both have the same words, the exact values or their digests. */
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

function howChanged(changes: readonly SaidChange[], { value, since: lockedSince = '' }: Partial<LockedFact>) {
  const [first, ...others] = changes.filter(({ since }) => since > lockedSince);
  if (!first || (others.length === 0 && isDeepStrictEqual(first.from, value))) return first?.text;
  return `of several changes since: ${[first, ...others].map(({ text }) => text).join('; ')}`;
}

/** Recorded facts are compared, observed ones only if both sides know them by the same method. */
function whyUncompared(before: LockedFact | undefined, after: LockedFact | undefined): string | undefined {
  if (!(before ?? after)?.is_observed) return undefined;
  if (before === undefined || after === undefined) return 'not known now';
  // Older lock files do not name the method.
  const methods = [before.method_version, after.method_version];
  if (!methods.includes(undefined) && methods[0] !== methods[1]) return 'found by another method now';
  return after.missed_since !== undefined && isDeepStrictEqual(before.value, after.value)
    ? `not seen again since ${dayText(after.missed_since)}`
    : undefined;
}

/** One remote in the place of another of the same transport is one difference. */
function withMove(all: readonly LockDifference[]): LockDifference[] {
  const ofRemotes = all.filter(({ fact }) => fact.startsWith('remote '));
  const [gone, ...more] = ofRemotes.filter(({ to }) => to === undefined);
  const [come, ...others] = ofRemotes.filter(({ from }) => from === undefined);
  if (!gone || !come || more.length + others.length > 0 || gone.from !== come.to) return [...all];
  const [from, to] = [gone, come].map(({ fact }) => fact.slice('remote '.length));
  const texts = { from_text: coded(from ?? ''), to_text: coded(to ?? '') };
  return all.flatMap((one) => {
    if (one === gone) return [];
    return one === come ? [{ ...come, fact: 'remote', from, to, ...texts }] : [one];
  });
}

/**
 * `differences`, sorted; `facts`: those that are not compared, by why; `notes`: what the newest checks saw
 * instead, and what is as locked again, but was seen otherwise in between.
 */
export function compareLocked(
  handle: string,
  locked: LockedListing,
  now: LockedListing,
  changes: LockChanges,
) {
  const names = new Set([...Object.keys(locked.facts), ...Object.keys(now.facts)]);
  const differences: LockDifference[] = [];
  const facts: { handle: string; why: string; text: string }[] = [];
  const missed = Object.values(now.facts).flatMap(({ missed_since, reason }) =>
    missed_since === undefined || reason === undefined ? [] : [`${handle}: ${reason}`],
  );
  const notes = [...new Set(missed)];
  for (const fact of names) {
    const before = locked.facts[fact];
    const after = now.facts[fact];
    const text = `${handle}: ${factText(fact)}`;
    const why = whyUncompared(before, after);
    const told = ownMember(changes, fact) ?? [];
    if (why !== undefined) {
      if (before) facts.push({ handle, why, text });
    } else if (!isDeepStrictEqual(before?.value, after?.value)) {
      // The date of the record also holds for facts that it no longer states.
      const since = after ? after.since : now.facts.version?.since;
      const when = since ?? now.as_of;
      const when_is = since === undefined ? 'as_of' : 'since';
      const how = howChanged(told, before ?? {});
      const texts = { ...toTexts(before, after), ...(how !== undefined && { how }) };
      differences.push({ handle, fact, from: before?.value, to: after?.value, ...texts, when, when_is });
    } else if (before?.is_observed && before.since !== undefined && (after?.since ?? '') > before.since) {
      const { since } = before;
      const how = told.flatMap((one) => (one.since > since ? one.text : []));
      const between = how.length > 0 ? `different before: ${how.join('; ')}` : 'not seen so in between';
      const again = `is as locked again since ${dayText(after?.since ?? '')}, but was ${between}`;
      notes.push(`${text} ${again}; get_history of ${handle} since ${dayText(since)} tells what it was`);
    }
  }
  return {
    handle,
    differences: withMove(differences.sort((a, b) => (a.fact < b.fact ? -1 : 1))),
    facts,
    notes,
  };
}

export const toOtherState = (handle: string, [fact, from, to]: [string, string, string]): LockDifference => ({
  handle,
  fact,
  from,
  to,
  from_text: coded(from),
  to_text: coded(to),
  when: new Date().toISOString(),
  when_is: 'as_of' as const,
});

/** The kind is ours; the subject is what a publisher wrote. */
function factText(fact: string): string {
  const end = fact.indexOf(' ');
  return end < 0 ? fact : `${fact.slice(0, end)} ${coded(fact.slice(end + 1))}`;
}

export function differenceText({ handle, fact, from_text, to_text, how, when, when_is }: LockDifference) {
  const what = how === undefined ? ` changed from ${from_text} to ${to_text}` : `: ${how}`;
  return `${handle}: ${factText(fact)}${what}, ${when_is === 'since' ? 'known since' : 'as of'} ${dayText(when)}`;
}
