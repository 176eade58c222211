import { type ClaimEvent, claimEvents } from '../../claims/claim.ts';
import { claimMethods } from '../../claims/methods.ts';
import { reasonText } from '../../claims/standing.ts';
import { difference, differenceWords } from '../../core/difference/difference.ts';
import { differenceText } from '../../core/difference/word-difference.ts';
import {
  code,
  count,
  dayOf,
  fromDayToDay,
  isEmpty,
  join,
  listed,
  number,
  onDayAfter,
  ours,
  own,
  quote,
  say,
  sinceDayOf,
  toText,
  type Words,
  within,
} from '../../core/words.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import type { ShownChange } from '../../observations/known/changes/history.ts';
import type { FactKind } from '../../observations/known/kind.ts';
import { accessRequired } from '../../observations/known/kinds/access.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import {
  changedMemberWords,
  changedName,
  type MemberChange,
} from '../../observations/known/kinds/lists/member-changes.ts';
import { toolsCount, toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import {
  changedVersionWords,
  standingWords,
  versionMoveWords,
} from '../../observations/known/kinds/moves.ts';
import { noticesOfArrival } from '../../observations/known/kinds/packages/newest-version.ts';
import { subjectWords } from '../../observations/known/kinds/packages/packages.ts';
import { kindOf, surfaceOf } from '../../observations/known/kinds.ts';
import { changeWithVersion, changeWords } from '../changes.ts';
import { turnsWords } from '../seen.ts';
import { toLabel } from '../words.ts';
import { valueWords } from './all-facts.ts';
import { type FollowedChange, type HistoryEvent, isChanged, isReread, isSeen } from './history-events.ts';

const titleOf = ({ kind, subject }: ShownChange): Words => {
  const title = ours(kindOf(kind)?.title ?? toLabel(kind));
  return subject === undefined ? title : say`${title} (${subjectWords(subject)})`;
};

/** For the middle of a sentence. */
export const topicWords = ({ topic, title }: FactKind): Words => topic ?? within(ours(title));

const longestValue = 300;
const cut = (text: string) =>
  text.length > longestValue ? `${text.slice(0, longestValue).toWellFormed()} …` : text;

/** Cut before it is quoted, so that its closing quotation mark stays. */
const seenValue = ({ kind }: ShownChange, { value, ...found }: ShownChange['after']): Words =>
  valueWords({ kind, ...found, value: typeof value === 'string' ? cut(value) : value });

const digestWords = ({ value, value_digest = canonicalDigest({ value }) }: ShownChange['after']): Words =>
  say`SHA-256 ${ours(value_digest.slice(0, 12))}`;

const exactWords = (one: ShownChange['after']): Words =>
  typeof one.value === 'string' ? code(cut(one.value)) : digestWords(one);

function wasAndIs(change: ShownChange, before: ShownChange['after']): readonly [Words, Words] {
  const sayPair = (way: (one: ShownChange['after']) => Words) => [way(before), way(change.after)] as const;
  const isTold = ([was, is]: readonly [Words, Words]) => toText(was) !== toText(is);
  const said = sayPair((one) => seenValue(change, one));
  if (isTold(said)) return said;
  const exact = sayPair(exactWords);
  return isTold(exact) ? exact : sayPair(digestWords);
}

function toldApart(change: ShownChange, before: NonNullable<ShownChange['before']>): Words | undefined {
  const { sayChange, isToldByChange } = kindOf(change.kind) ?? {};
  const isAlike = toText(seenValue(change, before)) === toText(seenValue(change, change.after));
  const last = say`the other was last seen on ${dayOf(before.seen_until)}`;
  const isTold = isAlike || (isToldByChange && before.value !== null);
  const { items, counts } = change;
  const from = items && counts ? { ...before, difference: { items: [...items], counts } } : before;
  const said = isTold ? sayChange?.(from, change.after, last) : undefined;
  if (said) return within(said);
  const [was, is] = [before, change.after].map((one) => (one.value_digest ? undefined : one.value));
  if (!isAlike || typeof (was ?? 0) !== 'object' || typeof (is ?? 0) !== 'object') return undefined;
  return say`${differenceWords(difference(was, is))}; ${last}`;
}

const mostItems = 10;
const mostTexts = 5;
const moreThan = (count: number, most: number): Words[] =>
  count > most ? [say`and ${count - most} more`] : [];
const more = (items: readonly unknown[], most: number) => moreThan(items.length, most);

/** `items` holds at most 100 of the changed members. */
export const countOf = ({ items = [], counts }: ShownChange) =>
  counts ? Object.values(counts).reduce((sum, count) => sum + count, 0) : items.length;

/** A hint in this form cannot imitate our words, so only other texts have quotation marks. */
const hint = /^[A-Za-z]{1,20}Hint: (?:true|false|absent) -> (?:true|false|absent)$/;

/** Shown as plain words, all others as code. */
const protocolMembers = [
  ...(['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const),
  ...(['arguments', 'mimeType', 'frontmatter', 'resources'] as const),
] as const;
const placeWords = (member: string): Words => {
  const known = protocolMembers.find((one) => one === member);
  return known === undefined ? code(member) : own(known);
};

/** Other classes do not say what the named arguments are. */
const isOfArguments = /^(?:secret|required)$/;

/** Without those of `texts`, which are shown separately. */
export function memberWords(
  item: MemberChange,
  texts: ShownChange['texts'] = [],
  said: readonly Words[] = [],
) {
  const { members = [], annotations = [], arguments: names = [] } = item;
  const required = item.change === 'added' ? own('requires') : own('newly required argument');
  const others = members.filter((member) => !texts.some((text) => text.member.split('.')[0] === member));
  const parts = [
    ...names.map((name) => (isOfArguments.test(item.class) ? code(name) : say`${required} ${code(name)}`)),
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

/** Of a list, at most so many changed members; for 0, only that it changed. */
export function changedWords(change: ShownChange, most = mostItems): Words {
  const { alternates_since: since, turns, seen_until, later } = change;
  const logged =
    since !== undefined &&
    say`${turnsWords({ since, states: 2, changes: 3 })}; later ones have no entry of the log${later && laterWords(change, later)}`;
  const until = seen_until !== undefined && say`; seen so until ${dayOf(seen_until)}`;
  const state = say`${stateWords(change, most)}${logged}${turnsWords(turns)}${until}`;
  return join([state, ...noticesOfArrival(change).map(({ text }) => text)], '. ');
}

function laterWords(change: ShownChange, { at, turns, after }: NonNullable<ShownChange['later']>): Words {
  const did = turns.changes % 2 === 0 ? own('took this change back') : own('made this change again');
  const value = !surfaceOf(change.kind) && say`: ${seenValue(change, after)}`;
  return say`; the last of ${number(turns.changes)}, on ${dayOf(at)}, ${did}${value}`;
}

function stateWords(change: ShownChange, most: number): Words {
  const { before, after } = change;
  const last = dayOf(before?.seen_until ?? '');
  if (memberChangesOf(change).length === 0) {
    const told = before && toldApart(change, before);
    if (told) return say`${titleOf(change)}: ${told}`;
    const [was, is] = before ? wasAndIs(change, before) : [say``, seenValue(change, after)];
    const { since, confirmed_at } = change;
    const then = since ? sinceDayOf(since, before?.seen_until ?? '') : own('then');
    const confirmed = since && confirmed_at ? say` (confirmed ${onDayAfter(confirmed_at, since)})` : own('');
    const colon = since !== undefined && kindOf(change.kind)?.unit === 'date' && own(':');
    return say`${titleOf(change)}: ${was} until ${last}, ${then}${colon} ${is}${confirmed}`;
  }
  const shown = memberChangesOf(change).slice(0, most);
  const said = shown.map((item) => memberWithTexts(item, change));
  const what = most === 0 ? own('changed') : join([...said, ...moreThan(countOf(change), most)], '; ');
  return say`${titleOf(change)}: ${what}; last seen without these changes on ${last}`;
}

export const memberChangesOf = ({ kind, items = [] }: ShownChange): readonly MemberChange[] =>
  surfaceOf(kind) ? (items as readonly MemberChange[]) : [];

const mostSeen = 3;

type CheckEvent = Extract<HistoryEvent, { type: 'check' }>;

function rereadWords({ changes }: CheckEvent): Words[] {
  const titles = changes.filter(isReread).map(titleOf);
  return titles.length > 0
    ? [say`found by another method than before, and not compared: ${listed(titles, mostSeen)}`]
    : [];
}

/** Of a list, neither the names nor those that were elsewhere may be stored any more. */
function againWords(change: ShownChange, { until, elsewhere }: NonNullable<ShownChange['again']>): Words {
  const { kind, after } = change;
  const isList = surfaceOf(kind) !== undefined;
  const now = !isList && say`: ${seenValue(change, after)}`;
  const other =
    elsewhere && (isList ? own('others') : seenValue(change, { ...after, value: elsewhere.value }));
  return say`${titleOf(change)}${now}, as on ${dayOf(until)}${other && say`; elsewhere, until ${dayOf(elsewhere.until)}: ${other}`}`;
}

function seenWords({ is_first, changes }: CheckEvent, kind: string | undefined): Words[] {
  const back = changes.flatMap((change) => (change.again ? [againWords(change, change.again)] : []));
  if (back.length > 0)
    return [
      say`named again by the record, and seen again: ${join([...back.slice(0, mostSeen), ...moreThan(back.length, mostSeen)], '; ')}`,
    ];
  const seen = changes.filter(isSeen);
  if (seen.length === 0) return [];
  if (is_first) return [kind ? own('first check') : say`first check: ${count(seen.length, 'fact')}`];
  // What hardly any listing has is no news where it is not there.
  const told = seen.filter(({ kind: one, after }) => after.value !== null || !kindOf(one)?.isSeldom);
  if (told.length === 0) return [];
  const shown = told
    .slice(0, mostSeen)
    .map((change) => say`${titleOf(change)}: ${seenValue(change, change.after)}`);
  return [say`known for the first time: ${join([...shown, ...more(told, mostSeen)], '; ')}`];
}

function whyOfClaim({ type, kind, reason, keys }: ClaimEvent): Words {
  if (/^(?:activated|rotated|restored|moved)$/.test(type))
    return say`${ours(claimMethods[kind].control)} was shown`;
  if (keys) return say`${keys.published} published, ${keys.ended} ended`;
  return reason ? ours(reasonText(reason)) : say``;
}

export function claimWords(event: ClaimEvent): Words {
  const { type, root, commit } = event;
  const why = whyOfClaim(event);
  const read = commit ? say`commit ${code(commit.slice(0, 12))}` : say``;
  const where = join([root ? code(root) : say``, read], ', ');
  const what = say`${ours(claimEvents[type].words)}${isEmpty(why) ? why : say`: ${why}`}`;
  return isEmpty(where) ? what : say`${what} (${where})`;
}

function versionsWords({ moved, since }: Extract<HistoryEvent, { type: 'version.published' }>['data']) {
  const oldest = since.at(-1);
  if (!oldest) return versionMoveWords(moved);
  const dates = say`published ${fromDayToDay(oldest.published_at ?? '', moved.published_at ?? '')}`;
  const values = Object.entries(moved.values ?? {}).flatMap(([field, [, is]]) => {
    const [was] = oldest.values?.[field] ?? [is];
    return was === is ? [] : [[field, [was, is]]];
  });
  const whole = { ...moved, values: Object.fromEntries(values) };
  return say`${count(since.length + 1, 'version')}, ${code(oldest.version)} to ${code(moved.version)} (${dates}${standingWords(moved)}), ${changedVersionWords(whole)}${moved.unchanged ? own('') : own(', and no endpoint, transport, package name, argument value, repository or secret')}`;
}

function recordedWords(event: Exclude<HistoryEvent, { type: 'check' }>): Words {
  if (event.type === 'version.published') return within(versionsWords(event.data));
  if (event.type === 'version.status') {
    const { version, status, says } = event.data;
    return say`the entry of version ${code(version)} changed in its registry; its status is ${ours(status)}${says !== undefined && say`; its publisher says ${quote(says)}`}`;
  }
  const { type, at, data, claim } = event;
  if (claim) return claimWords(claim);
  return changeWithVersion({ type, at, data, handle: '' });
}

export const changedOf = (event: HistoryEvent): readonly ShownChange[] =>
  event.type === 'check' ? event.changes.filter(isChanged) : [];

export type FoldedChange = ReturnType<typeof foldedOf>[number];

const mayStandOut = (change: ShownChange): boolean => {
  const { kind, after } = change;
  const { existsAs, standsOutAs, sayChange } = kindOf(kind) ?? {};
  return existsAs
    ? after.value === null
    : (standsOutAs ?? sayChange) !== undefined || noticesOfArrival(change).length > 0;
};

/** Of what went to and fro as the endpoint began and ceased to ask first: that change of the endpoint. */
function askingFirst(change: ShownChange, changed: readonly ShownChange[]): ShownChange | undefined {
  const isByAsking = ({ before, after }: ShownChange) =>
    (before?.outcome === 'asks') !== (after.outcome === 'asks');
  const isCause = (one: ShownChange) => one.subject === change.subject && !isByAsking(one);
  const isTurn = change.turns ?? change.alternates_since;
  const others = isTurn && isByAsking(change) ? changed.filter(isCause) : [];
  const [access] = others.filter(({ kind }) => kind === accessRequired.kind);
  return access ?? others.find(({ kind }) => kind === endpointAnswers.kind);
}

/** Other facts follow from these: whether the endpoint asks for a sign-in, and whether it answers. */
const causes: readonly string[] = [endpointAnswers.kind, accessRequired.kind];
const leadOf = (change: ShownChange): number =>
  1 + causes.indexOf(change.kind) || Number(mayStandOut(change)) / 2;

/** Causes come first and then what may stand out, because a title names two of them. */
export function foldedOf(event: HistoryEvent) {
  const changed = changedOf(event);
  const ended = changed.filter(({ kind, after }) => kindOf(kind)?.existsAs && after.value === null);
  const isOfToldList = ({ kind, subject, before, after }: ShownChange) =>
    kind === toolsCount.kind &&
    before?.value !== null &&
    after.value !== null &&
    changed.some(
      (one) => one.kind === toolsSurface.kind && one.subject === subject && memberChangesOf(one).length > 0,
    );
  const endOf = (change: ShownChange) =>
    change.after.value !== null || ended.includes(change)
      ? undefined
      : ended.find(({ subject = '' }) =>
          [subject, URL.parse(subject)?.hostname].includes(change.subject?.split(' in ')[0]),
        );
  const causeOf = (change: ShownChange) => endOf(change) ?? askingFirst(change, changed);
  return changed
    .filter((change) => causeOf(change) === undefined && !isOfToldList(change))
    .toSorted((a, b) => leadOf(b) - leadOf(a))
    .map((change) => ({ change, gone: changed.filter((other) => causeOf(other) === change) }));
}

/** Empty if nothing ended or began with the change. */
export function goneWords({ gone }: FoldedChange): Words {
  const titled = (some: readonly ShownChange[]) =>
    listed(some.map(({ kind }) => within(ours(kindOf(kind)?.title ?? toLabel(kind)))));
  const ended = titled(gone.filter(({ before, after }) => before?.value != null && after.value === null));
  const again = titled(gone.filter(({ after }) => after.value !== null));
  return say`${!isEmpty(ended) && say`; no longer seen either: ${ended}`}${!isEmpty(again) && say`; seen again: ${again}`}`;
}

/** All but the changed facts. */
export const wordsOf = (event: HistoryEvent, kind: string | undefined): Words[] =>
  event.type === 'check'
    ? [...rereadWords(event), ...seenWords(event, kind)]
    : [say`${recordedWords(event)}${event.recorded && say`; it ${event.recorded}`}`];

export const logIndexOf = (event: HistoryEvent): unknown =>
  event.type === 'check' ? event.log_index : 'log_index' in event.data ? event.data.log_index : undefined;

const foldedWords = (one: FoldedChange, most = mostItems): Words =>
  say`${changedWords(one.change, most)}${goneWords(one)}`;

export const saidOf = (
  event: HistoryEvent,
  kind?: string,
  more: (one: FoldedChange) => Words = () => say``,
): Words[] => [
  ...foldedOf(event).map((one) => say`${foldedWords(one)}${more(one)}`),
  ...wordsOf(event, kind),
];

const mostSaid = 20;

/** Without texts that `addTexts` finds. */
export function toldWords(event: HistoryEvent): Words[] {
  const said = saidOf(event);
  return [...said.slice(0, mostSaid), ...more(said, mostSaid)];
}

const mostInTitle = 2;

/** For a title or one line. */
export function titleWords({ change, event }: FollowedChange): Words {
  if ('claim' in event && event.claim) return claimWords(event.claim);
  if (event.type === change.type) return changeWords({ ...change, data: event.data });
  const said = [...foldedOf(event).map((one) => foldedWords(one, mostInTitle)), ...wordsOf(event, undefined)];
  const malware = change.data.malware === true ? [own('a package is reported as malicious code')] : [];
  return join([...malware, ...said.slice(0, mostInTitle), ...more(said, mostInTitle)], '; ');
}

export const entryWords = (log_index: unknown): Words =>
  log_index === undefined ? say`` : say` (log index ${ours(String(log_index))})`;

export function toHistoryLines(event: HistoryEvent, kind: string | undefined): Words[] {
  const entry = entryWords(logIndexOf(event));
  return saidOf(event, kind).map((words) => say`${dayOf(event.at)} ${words}${entry}`);
}
