import type { ClaimEvent } from '../claims/claim.ts';
import type { Context } from '../context.ts';
import { code, counted, day, named, quoted } from '../core/text.ts';
import { differenceText } from '../core/word-difference.ts';
import { type Change, changeText } from '../log/change.ts';
import { readRuns } from '../observations/history.ts';
import type { ShownChange, ToolChange } from '../observations/kinds/tools.ts';
import { stateWords } from '../observations/observation.ts';
import { kindOf } from '../observations/recorded-kinds.ts';
import { observedText } from './all-facts.ts';
import type { ListingFacts } from './record.ts';
import { toLabel } from './words.ts';

/** What a history can be asked for: facts by the question that they help to answer, and what is recorded here. */
export const historyKinds = [
  'price',
  'reach',
  'tools',
  'access',
  'publisher',
  'code',
  'upkeep',
  'terms',
  'record',
  'claim',
  'ratings',
  'operator',
  'views',
] as const;
export type HistoryKind = (typeof historyKinds)[number];

/** A check that saw facts become others, or saw some for the first time. */
interface CheckEvent {
  readonly type: 'check';
  readonly at: string;
  readonly vantage: string;
  readonly log_index: number;
  /** Whether no check before it saw anything. */
  readonly is_first: boolean;
  readonly changes: readonly ShownChange[];
}

/** A change of the record, a claim, a rating, an action of the operator, or a move in a view. */
interface RecordedEvent extends Pick<Change, 'type' | 'at' | 'data'> {
  /** If it is an event of the claim. */
  readonly claim?: ClaimEvent;
}

/** One event in the history of a listing. */
export type HistoryEvent = CheckEvent | RecordedEvent;

/** A place in a history: events before this change of the stream, and checks before this log index. */
export type HistoryPlace = readonly [seq: number, log_index: number];

/** Which events: of one kind, at or after a time, after a place. */
export interface HistoryQuery {
  readonly kind?: HistoryKind | undefined;
  readonly since?: string | undefined;
  readonly after?: HistoryPlace | undefined;
  readonly limit: number;
}

const kindsByPrefix: Readonly<Record<string, HistoryKind>> = {
  listing: 'record',
  claim: 'claim',
  capability: 'claim',
  rating: 'ratings',
  moderation: 'operator',
  view: 'views',
};

const kindOfFact = ({ kind }: ShownChange) => kindOf(kind)?.question;

/** An event with only what is of a kind; undefined if nothing is. */
function only(kind: HistoryKind | undefined, event: HistoryEvent): HistoryEvent | undefined {
  if (event.type !== 'check')
    return kind === undefined || kindsByPrefix[event.type.split('.')[0] ?? ''] === kind ? event : undefined;
  if (kind === undefined) return event;
  const changes = event.changes.filter((change) => kindOfFact(change) === kind);
  return changes.length > 0 ? { ...event, changes } : undefined;
}

/** What was not known before has not changed. */
const isChanged = ({ before }: ShownChange) => before !== undefined && before.state !== 'not_checked';
/** That something was not looked at yet is no event. */
const isSeen = (change: ShownChange) => !isChanged(change) && change.after.state !== 'not_checked';

type Run = Awaited<ReturnType<typeof readRuns>>['runs'][number];

const toCheck = ({ at, vantage, log_index, changes }: Run, is_first: boolean): CheckEvent => ({
  ...{ type: 'check', at, vantage, log_index, is_first, changes },
});

function toRecorded({ type, at, data }: Change, claims: readonly ClaimEvent[]): RecordedEvent {
  const claim = claims.find(({ log_index }) => log_index === data.log_index);
  return { type, at, data, ...(claim && { claim }) };
}

/** Runs, and changes of the stream, that are read for one page; of those that a filter leaves out, a page has fewer. */
const readAtOnce = 100;

/** Two lists, each newest first, as one. */
const newestFirst = (a: { readonly at: string }, b: { readonly at: string }) =>
  a.at < b.at ? 1 : a.at > b.at ? -1 : 0;

/** What changed about a listing, newest first, and the place after which older events begin; undefined at the end. */
export async function readHistory(
  { listing, claimHistory }: Pick<ListingFacts, 'listing' | 'claimHistory'>,
  { kind, since = '', after = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], limit }: HistoryQuery,
  context: Pick<Context, 'store'>,
): Promise<{ readonly events: readonly HistoryEvent[]; readonly next: HistoryPlace | undefined }> {
  const { handle } = listing;
  const { runs, first } = await readRuns(handle, { before: after[1], limit: readAtOnce }, context);
  const changes = await context.store.changes.ofRecord(handle, { before: after[0], limit: readAtOnce });
  const all = [
    ...runs.map((run) => ({
      at: run.at,
      place: (at: HistoryPlace): HistoryPlace => [at[0], run.log_index],
      event: toCheck(run, run.log_index === first),
    })),
    ...changes.map((change) => ({
      at: change.at,
      place: (at: HistoryPlace): HistoryPlace => [change.seq, at[1]],
      event: toRecorded(change, claimHistory),
    })),
  ].toSorted(newestFirst);
  const events: HistoryEvent[] = [];
  let place = after;
  // Behind the first hundred of both, one of them may have more than was read.
  for (const { at, place: toPlace, event } of all.slice(0, readAtOnce)) {
    if (at < since) return { events, next: undefined };
    if (events.length === limit) return { events, next: place };
    place = toPlace(place);
    const asked = only(kind, event);
    if (asked) events.push(asked);
  }
  return { events, next: all.length > readAtOnce ? place : undefined };
}

const toName = (name: string) => kindOf(name)?.title.toLowerCase() ?? toLabel(name);
const titleOf = ({ kind, subject }: ShownChange) =>
  `${kindOf(kind)?.title ?? toLabel(kind)}${subject === undefined ? '' : ` (${named(subject)})`}`;

const longestValue = 300;
const cut = (text: string) =>
  text.length > longestValue ? `${text.slice(0, longestValue).toWellFormed()} …` : text;

const valueText = ({ kind }: ShownChange, { value, state, details }: ShownChange['after']): string =>
  value === null ? stateWords[state] : cut(observedText({ kind, value, state, ...(details && { details }) }));

const mostItems = 10;
const mostTexts = 5;
const more = (items: readonly unknown[], most: number) =>
  items.length > most ? [`and ${items.length - most} more`] : [];

/** A hint of the protocol that changed needs no quotes; any other name is its publisher's. */
const hint = /^[A-Za-z]{1,20}Hint: (?:true|false|absent) -> (?:true|false|absent)$/;

function toolText(
  { tool, change, members = [], annotations = [] }: ToolChange,
  texts: ShownChange['texts'] = [],
) {
  if (change !== 'changed') return `${code(tool)} ${change}`;
  const worded = texts
    .slice(0, mostTexts)
    .map(({ member, difference }) => `${named(member)} ${quoted(cut(differenceText(difference)))}`);
  const others = members.filter((member) => !texts.some((text) => text.member.split('.')[0] === member));
  const parts = [
    ...annotations.map((text) => (hint.test(text) ? text : quoted(text))),
    ...others.map(named),
    ...worded,
    ...more(texts, mostTexts),
  ];
  return `${code(tool)} changed: ${parts.join(', ')}`;
}

/** What was and what is: a set of tools tool by tool, anything else by its value. */
function changedText(change: ShownChange): string {
  const { before, after, items = [], texts = [] } = change;
  const until = before ? ` until ${day(before.seen_until)}` : '';
  if (change.kind !== 'tools.surface' || items.length === 0)
    return `${titleOf(change)}: ${before ? valueText(change, before) : ''}${until}, now ${valueText(change, after)}`;
  const tools = (items as readonly ToolChange[]).slice(0, mostItems);
  const said = tools.map((item) =>
    toolText(
      item,
      texts.filter(({ tool }) => tool === item.tool),
    ),
  );
  return `${titleOf(change)}: ${[...said, ...more(items, mostItems)].join('; ')}; as before${until}`;
}

const mostSeen = 3;

function seenText({ is_first, changes }: CheckEvent): string[] {
  const seen = changes.filter(isSeen);
  if (seen.length === 0) return [];
  if (is_first) return [`first check: ${counted(seen.length, 'fact')}`];
  const shown = seen
    .slice(0, mostSeen)
    .map((change) => `${titleOf(change)}: ${valueText(change, change.after)}`);
  return [`seen for the first time: ${[...shown, ...more(seen, mostSeen)].join('; ')}`];
}

/** What the claim was shown at, and at which commit. */
const claimText = ({ type, kind, root, commit, reason }: ClaimEvent) =>
  [
    `claim ${toLabel(type)} (${[toLabel(kind), root].filter(Boolean).join(', ')})`,
    commit && `at commit ${commit.slice(0, 12)}`,
    reason && toLabel(reason),
  ]
    .filter(Boolean)
    .join(' ');

function recordedText({ type, at, data, claim }: RecordedEvent): string {
  if (claim) return claimText(claim);
  const version = typeof data.version === 'string' ? `; version ${named(data.version)}` : '';
  return `${changeText({ type, at, data, handle: '' }, toName)}${version}`;
}

/** The facts that a check saw become others. */
export const changedOf = (event: HistoryEvent): readonly ShownChange[] =>
  event.type === 'check' ? event.changes.filter(isChanged) : [];

/** What a check saw for the first time, or anything else than a check, in words. */
export const wordsOf = (event: HistoryEvent): string[] =>
  event.type === 'check' ? seenText(event) : [recordedText(event)];

/** An event in words, a line for each fact that changed; texts of others are in “ ”. */
export function toHistoryLines(event: HistoryEvent): string[] {
  const changed = changedOf(event).map(changedText);
  const said = [...changed, ...wordsOf(event)];
  const index = event.type === 'check' ? event.log_index : event.data.log_index;
  const entry = index === undefined ? '' : ` (log index ${index})`;
  return said.map((text) => `${day(event.at)} ${text}${entry}`);
}
