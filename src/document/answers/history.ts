import type { ClaimEvent } from '../../claims/claim.ts';
import { claimMethods } from '../../claims/methods.ts';
import type { Context } from '../../context.ts';
import { own as ownMember } from '../../core/json.ts';
import { differenceText } from '../../core/word-difference.ts';
import {
  code,
  count,
  dayOf,
  isEmpty,
  join,
  ours,
  own,
  quote,
  say,
  toText,
  type Words,
  within,
} from '../../core/words.ts';
import { type DatedMove, isSameMove } from '../../listings/moves.ts';
import type { Change } from '../../log/change.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import type { ShownChange } from '../../observations/changed-texts.ts';
import { addTexts } from '../../observations/history.ts';
import { factsOf } from '../../observations/kind.ts';
import {
  changedMemberWords,
  changedName,
  type MemberChange,
} from '../../observations/kinds/member-changes.ts';
import { recordMoves, versionMoveWords } from '../../observations/kinds/moves.ts';
import { kindOf, surfaceOf } from '../../observations/kinds.ts';
import { questions } from '../../observations/observation.ts';
import type { RecordedChange } from '../../observations/table.ts';
import { changeWithVersion } from '../changes.ts';
import type { ListingFacts } from '../record.ts';
import { toLabel } from '../words.ts';
import { valueWords } from './all-facts.ts';

/** What a history can be asked for: facts by the question that they help to answer, and what is recorded here. */
export const historyKinds = [
  ...questions.filter((question) => question !== 'ratings'),
  ...(['record', 'claim', 'ratings', 'operator', 'views'] as const),
];
export type HistoryKind = (typeof historyKinds)[number];

/** One event in the history of a listing. */
export type HistoryEvent = ReturnType<typeof toCheck | typeof toRecorded | typeof toVersion>;

const kindsByPrefix: Readonly<Record<string, HistoryKind | undefined>> = {
  listing: 'record',
  claim: 'claim',
  capability: 'claim',
  rating: 'ratings',
  moderation: 'operator',
  view: 'views',
  version: 'record',
};
const recordedKinds = new Set(Object.values(kindsByPrefix));

/** What was not known before has not changed. */
const isChanged = ({ before }: ShownChange) => before !== undefined && before.outcome !== 'not_asked';
/** That something was not checked yet is no event. */
const isSeen = (change: ShownChange) => !isChanged(change) && change.after.outcome !== 'not_asked';

/** An event with only what is of a kind; undefined if nothing is. Of no kind it is as the log records it, for an audit. */
function only(kind: HistoryKind | undefined, event: HistoryEvent): HistoryEvent | undefined {
  if (kind === undefined) return event;
  const [prefix = ''] = event.type.split('.');
  if (event.type !== 'check') return ownMember(kindsByPrefix, prefix) === kind ? event : undefined;
  const changes = event.changes.filter(
    (change) => (isChanged(change) || isSeen(change)) && kindOf(change.kind)?.question === kind,
  );
  return changes.length > 0 ? { ...event, changes } : undefined;
}

/** A check that saw facts become others, or saw some for the first time; `is_first`: no check before it saw anything. */
const toCheck = (
  { at, vantage, log_index, changes }: Omit<RecordedChange, 'changes'> & { changes: readonly ShownChange[] },
  is_first: boolean,
) => ({ type: 'check' as const, at, vantage, log_index, is_first, changes });

/** A change of the record, a claim, a rating, an action of the operator, or a move in a view; `claim` if it is an event of the claim. */
function toRecorded({ type, at, data }: Change, claims: readonly ClaimEvent[]) {
  const claim = claims.find(({ log_index }) => log_index === data.log_index);
  return { type, at, data, ...(claim && { claim }) };
}

/** A version that moved the record; no change of the stream is of it if it was published before the listing was read first. */
const toVersion = (at: string, moved: DatedMove) => ({
  ...{ type: 'version.published' as const, at, data: { moved } },
});

/** So many events of a list are read at once, and so often for one page, of which a filter may leave out all. */
const readAtOnce = 100;
const mostReads = 5;

interface Placed {
  readonly at: string;
  readonly place: number;
  readonly event: HistoryEvent;
}

/** A list in its own order, newest first, as far as it is at or after a time; returns whether it was read to its end. */
async function* readList(
  read: (before: number) => Promise<readonly Placed[]>,
  { before, since }: { readonly before: number; readonly since: string },
): AsyncGenerator<Placed, boolean> {
  let from = before;
  for (let reads = 0; reads < mostReads; reads += 1) {
    const placed = await read(from);
    yield* placed.filter(({ at }) => at >= since);
    const last = placed.at(-1);
    if (!last || placed.length < readAtOnce || last.at < since) return true;
    from = last.place;
  }
  return false;
}

async function readChecks(handle: string, before: number, context: Pick<Context, 'store'>) {
  const runs = await context.store.observations.history(handle, { before, limit: readAtOnce });
  const first = runs.length < readAtOnce ? runs.at(-1)?.log_index : undefined;
  return runs.map((run) => ({
    at: run.at,
    place: run.log_index,
    event: toCheck(run, run.log_index === first),
  }));
}

interface HistoryQuery {
  readonly kind?: HistoryKind | undefined;
  readonly since?: string | undefined;
  /** A place: events before this change of the stream, checks before this log index, and versions before this one. */
  readonly after?: Places | undefined;
  readonly limit: number;
}

interface HistoryPage {
  readonly events: readonly HistoryEvent[];
  readonly next: Places | undefined;
}

/** Versions that moved the record and were published on a known date, but for those that the stream of changes tells. */
async function readVersions(
  { listing: { handle }, imported }: Pick<ListingFacts, 'listing' | 'imported'>,
  context: Pick<Context, 'store'>,
): Promise<Placed[]> {
  const moves = factsOf(recordMoves, imported).flatMap(({ value }) => value?.moves ?? []);
  if (moves.length === 0) return [];
  const changes = await context.store.changes.ofRecord(handle, {
    before: Number.MAX_SAFE_INTEGER,
    limit: readAtOnce,
  });
  return moves.flatMap((move, at): Placed[] => {
    const { version, published_at } = move;
    const isTold = changes.some(({ data }) => data.version === version && isSameMove(data.moved, move));
    if (isTold || published_at === undefined) return [];
    // Counted from the oldest: a newer version does not move the others.
    return [{ at: published_at, place: moves.length - at, event: toVersion(published_at, move) }];
  });
}

/** The places of the three lists: changes of the stream, checks and versions. */
type Places = readonly [seq: number, log_index: number, version: number];
const newest: Places = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

async function readEvents(
  facts: Pick<ListingFacts, 'listing' | 'claimHistory' | 'imported'>,
  { kind, since = '', after = newest, limit }: HistoryQuery,
  context: Pick<Context, 'store'>,
): Promise<HistoryPage> {
  const { handle } = facts.listing;
  const readChanges = async (before: number) =>
    (await context.store.changes.ofRecord(handle, { before, limit: readAtOnce })).map((change) => ({
      ...{ at: change.at, place: change.seq, event: toRecorded(change, facts.claimHistory) },
    }));
  const isOfChecks = kind === undefined || !recordedKinds.has(kind);
  const isRecorded = kind === undefined || recordedKinds.has(kind);
  const versions = isRecorded ? await readVersions(facts, context) : [];
  const reads = [
    isRecorded && readChanges,
    isOfChecks && ((before: number) => readChecks(handle, before, context)),
    async (before: number) => versions.filter(({ place }) => place < before),
  ];
  const places: [number, number, number] = [...after];
  const lists = places.map((before, at) => readList(reads[at] || (async () => []), { before, since }));
  const heads = await Promise.all(lists.map((list) => list.next()));
  const events: HistoryEvent[] = [];
  // Each list keeps its own order, in which times may go back a little; the cursor has a place in each.
  while (!heads.some(({ done, value }) => done && !value)) {
    const open = heads.flatMap(({ done, value }, at) => (done ? [] : [{ ...(value as Placed), list: at }]));
    // Of the same time, checks are newer than changes.
    const [first] = open.toSorted((a, b) => b.at.localeCompare(a.at) || (b.list % 2) - (a.list % 2));
    if (!first) return { events, next: undefined };
    const asked = only(kind, first.event);
    if (asked && events.length === limit) break;
    if (asked) events.push(asked);
    places[first.list] = first.place;
    heads[first.list] = (await lists[first.list]?.next()) ?? { done: true, value: true };
  }
  return { events, next: places };
}

/**
 * What changed about a listing, of one kind, at or after a time, after a place, newest first, and the place after which older events
 * begin; undefined at the end. Texts are compared of these events only.
 */
export async function readHistory(
  facts: Pick<ListingFacts, 'listing' | 'claimHistory' | 'imported'>,
  query: HistoryQuery,
  context: Pick<Context, 'store'>,
): Promise<HistoryPage> {
  const { events, next } = await readEvents(facts, query, context);
  const checks = events.filter((event) => event.type === 'check');
  const worded = (await addTexts(facts.listing.handle, checks, context)).values();
  return {
    events: events.map((event) => (event.type === 'check' ? (worded.next().value ?? event) : event)),
    next,
  };
}

const titleOf = ({ kind, subject }: ShownChange): Words => {
  const title = ours(kindOf(kind)?.title ?? toLabel(kind));
  return subject === undefined ? title : say`${title} (${code(subject)})`;
};

const longestValue = 300;
const cut = (text: string) =>
  text.length > longestValue ? `${text.slice(0, longestValue).toWellFormed()} …` : text;

/** A long value is cut before it is quoted, so that its quotation marks stay. */
const seenValue = ({ kind }: ShownChange, { value, ...found }: ShownChange['after']): Words =>
  valueWords({ kind, ...found, value: typeof value === 'string' ? cut(value) : value });

const digestWords = ({ value, value_digest = canonicalDigest({ value }) }: ShownChange['after']): Words =>
  say`SHA-256 ${ours(value_digest.slice(0, 12))}`;

const exactWords = (one: ShownChange['after']): Words =>
  typeof one.value === 'string' ? code(cut(one.value)) : digestWords(one);

/** What was and what is in words; where these are the same, the values themselves, or their digests. */
function wasAndIs(change: ShownChange, before: ShownChange['after']): readonly [Words, Words] {
  const sayPair = (way: (one: ShownChange['after']) => Words) => [way(before), way(change.after)] as const;
  const isTold = ([was, is]: readonly [Words, Words]) => toText(was) !== toText(is);
  const said = sayPair((one) => seenValue(change, one));
  if (isTold(said)) return said;
  const exact = sayPair(exactWords);
  return isTold(exact) ? exact : sayPair(digestWords);
}

/** What became of a value whose words are the same before and after, as those of a list whose first item is; undefined of any other. */
function toldApart(change: ShownChange, before: NonNullable<ShownChange['before']>): Words | undefined {
  const isAlike = toText(seenValue(change, before)) === toText(seenValue(change, change.after));
  const last = say`the other was last seen on ${dayOf(before.seen_until)}`;
  const said = isAlike ? kindOf(change.kind)?.sayChange?.(before, change.after, last) : undefined;
  return said && within(said);
}

const mostItems = 10;
const mostTexts = 5;
const moreThan = (count: number, most: number): Words[] =>
  count > most ? [say`and ${count - most} more`] : [];
const more = (items: readonly unknown[], most: number) => moreThan(items.length, most);

/** How many members of a list changed; only 100 of them are items. */
export const countOf = ({ items = [], counts }: ShownChange) =>
  counts ? Object.values(counts).reduce((sum, count) => sum + count, 0) : items.length;

/** A hint of the protocol that changed needs no quotes; any other name is its publisher's. */
const hint = /^[A-Za-z]{1,20}Hint: (?:true|false|absent) -> (?:true|false|absent)$/;

/** Members that the protocol has; any other is its publisher's. */
const protocolMembers = [
  ...(['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const),
  ...(['arguments', 'mimeType', 'frontmatter', 'resources'] as const),
] as const;
const placeWords = (member: string): Words => {
  const known = protocolMembers.find((one) => one === member);
  return known === undefined ? code(member) : own(known);
};

/** How one member of a list changed: its class as in every answer, then what of it differs but for the texts that are shown apart. */
export function memberWords(
  item: MemberChange,
  texts: ShownChange['texts'] = [],
  said: readonly Words[] = [],
) {
  const { members = [], annotations = [], arguments: names = [] } = item;
  const others = members.filter((member) => !texts.some((text) => text.member.split('.')[0] === member));
  const parts = [
    ...names.map((name) => code(name)),
    ...annotations.map((text) => (hint.test(text) ? ours(text) : quote(text))),
    ...others.map(placeWords),
    ...said,
  ];
  return say`${changedMemberWords(item)}${parts.length > 0 ? say`: ${join(parts, ', ')}` : say``}`;
}

function memberWithTexts(item: MemberChange, { texts: all = [] }: ShownChange): Words {
  const texts = all.filter((one) => changedName(one) === changedName(item));
  const said = texts
    .slice(0, mostTexts)
    .map(({ member, difference }) => say`${placeWords(member)} ${quote(cut(differenceText(difference)))}`);
  return memberWords(item, texts, [...said, ...more(texts, mostTexts)]);
}

/** What was and what is; a list member by member, unless its members are listed apart. */
export function changedWords(change: ShownChange, isListed = false): Words {
  const { before, after } = change;
  const last = dayOf(before?.seen_until ?? '');
  if (memberChangesOf(change).length === 0) {
    const told = before && toldApart(change, before);
    if (told) return say`${titleOf(change)}: ${told}`;
    const [was, is] = before ? wasAndIs(change, before) : [say``, seenValue(change, after)];
    const since = before?.unanswered_since;
    const then = since ? say`since ${dayOf(since)}` : own('then');
    return say`${titleOf(change)}: ${was} until ${last}, ${then} ${is}`;
  }
  const shown = memberChangesOf(change).slice(0, mostItems);
  const said = shown.map((item) => memberWithTexts(item, change));
  const what = isListed ? own('changed') : join([...said, ...moreThan(countOf(change), mostItems)], '; ');
  return say`${titleOf(change)}: ${what}; last seen without these changes on ${last}`;
}

/** Which members of a list were added, removed or changed; none of another kind of change. */
export const memberChangesOf = ({ kind, items = [] }: ShownChange): readonly MemberChange[] =>
  surfaceOf(kind) ? (items as readonly MemberChange[]) : [];

const mostSeen = 3;

function seenWords({ is_first, changes }: ReturnType<typeof toCheck>, kind: string | undefined): Words[] {
  const seen = changes.filter(isSeen);
  if (seen.length === 0) return [];
  if (is_first) return [kind ? own('first check') : say`first check: ${count(seen.length, 'fact')}`];
  const shown = seen
    .slice(0, mostSeen)
    .map((change) => say`${titleOf(change)}: ${seenValue(change, change.after)}`);
  return [say`known for the first time: ${join([...shown, ...more(seen, mostSeen)], '; ')}`];
}

/** Events of a claim; for the first four, something was shown. */
const claimEvents: Readonly<Record<ClaimEvent['type'], string>> = {
  activated: 'claimed',
  rotated: 'claimed with another secret key',
  restored: 'claim in force again',
  moved: 'claim moved',
  suspended: 'claim suspended',
  revoked: 'a secret key of the claim was revoked',
  listing_withdrawn: 'no longer listed',
  listing_restored: 'listed again',
  keys_changed: 'keys for receipts changed',
};

const claimReasons: Readonly<Record<string, string>> = {
  proof_missing: 'what proved it is no longer there',
  repository_changed: 'the record names another repository',
  host_unreachable_30d: 'where it was proven could not be read for 30 days',
  withdrawn: 'the listing or its last secret key was withdrawn',
  secret_published: 'it was published in the claim file',
  optout: 'an opt-out line was read',
  optout_removed: 'the opt-out line is gone',
};

function whyOfClaim({ type, kind, reason, keys }: ClaimEvent): Words {
  if (/^(?:activated|rotated|restored|moved)$/.test(type))
    return say`${ours(claimMethods[kind].control)} was shown`;
  if (keys) return say`${keys.published} published, ${keys.ended} ended`;
  return reason ? ours(ownMember(claimReasons, reason) ?? toLabel(reason)) : say``;
}

/** What happened to a claim and why, with the account or domain and the commit that was read. */
export function claimWords(event: ClaimEvent): Words {
  const { type, root, commit } = event;
  const why = whyOfClaim(event);
  const read = commit ? say`commit ${code(commit.slice(0, 12))}` : say``;
  const where = join([root ? code(root) : say``, read], ', ');
  const what = say`${ours(claimEvents[type])}${isEmpty(why) ? why : say`: ${why}`}`;
  return isEmpty(where) ? what : say`${what} (${where})`;
}

function recordedWords(event: Exclude<HistoryEvent, { type: 'check' }>): Words {
  if (event.type === 'version.published') return within(versionMoveWords(event.data.moved));
  const { type, at, data, claim } = event;
  if (claim) return claimWords(claim);
  return changeWithVersion({ type, at, data, handle: '' });
}

/** The facts that a check saw become others. */
export const changedOf = (event: HistoryEvent): readonly ShownChange[] =>
  event.type === 'check' ? event.changes.filter(isChanged) : [];

/** What a check saw for the first time, or anything else than a check, in words; `kind` is what the history was asked for. */
export const wordsOf = (event: HistoryEvent, kind: string | undefined): Words[] =>
  event.type === 'check' ? seenWords(event, kind) : [recordedWords(event)];

/** The entry of the log that an event has, if it has one. */
export const logIndexOf = (event: HistoryEvent): unknown =>
  event.type === 'check' ? event.log_index : 'log_index' in event.data ? event.data.log_index : undefined;

/** An event in words, a line for each fact that changed. */
export function toHistoryLines(event: HistoryEvent, kind: string | undefined): Words[] {
  const said = [...changedOf(event).map((change) => changedWords(change)), ...wordsOf(event, kind)];
  const index = logIndexOf(event);
  const entry = index === undefined ? say`` : say` (log index ${ours(String(index))})`;
  return said.map((words) => say`${dayOf(event.at)} ${words}${entry}`);
}
