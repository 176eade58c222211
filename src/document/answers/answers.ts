import { isHandle } from '../../core/handle.ts';
import { isOfReversedDomain } from '../../core/identity.ts';
import {
  code,
  isEmpty,
  join,
  ours,
  own,
  say,
  sentence,
  source,
  toMarkdown,
  toText,
  type Words,
} from '../../core/words.ts';
import { toolsSurface } from '../../observations/kinds/lists/tools.ts';
import { repositorySupersededBy } from '../../observations/kinds/repository.ts';
import { askedOf, kinds } from '../../observations/kinds.ts';
import { type Outcome, outcomeWords } from '../../observations/outcome.ts';
import { type Fact, recorded } from '../fact.ts';
import type { ListingDocument } from '../listing-document.ts';
import { isAbsent, isChecked, isKnown, isNowhere, type Judged, toKnown, toSeen } from '../seen.ts';
import { notKnownWords, toSplitKinds } from '../sentences.ts';
import { factTitle, unique } from '../words.ts';
import { type LineName, lineNames, lineTitles, toFacts } from './lines.ts';
import { type StandOut, toStandsOut } from './stands-out.ts';
import { publisherFacts } from './whose.ts';

/** The lines after the seven: what else was not found, what is not stated, what was not checked. */
export const gapTitles = {
  not_there: 'Not there',
  unseen: 'Could not be seen',
  unstated: 'Not stated',
  unchecked: 'Not checked',
} as const;
type GapName = keyof typeof gapTitles;
export const gapNames = Object.keys(gapTitles) as GapName[];

/** What is said of a listing, once: text, JSON, Markdown and page are renderings of it. */
export type Answer = ReturnType<typeof toAnswer>;

const isShown = ({ detail }: Judged, kind: string) => detail === 'full' || !askedOf(kind)?.isSeldom;

/** Whether the seven lines of an answer say its facts, and what is not known of them. */
const isInLines = (kind: string): boolean => askedOf(kind)?.line !== undefined;

/** Whether buyers ask for it of every listing, however few have it. */
const isAlwaysAsked = (kind: string): boolean => askedOf(kind)?.unstated !== undefined;

/** Whether a fact is about a package or repository that is not there: that is said once. */
const isOfAbsent = ({ seen }: Judged, kind: string, subject?: string): boolean =>
  kinds.some(
    (one) =>
      one.existsAs !== undefined &&
      one.existsAs === askedOf(kind)?.restsOn &&
      seen(one).some((fact) => isAbsent(fact) && (subject === undefined || fact.subject === subject)),
  );

/** Whether it was looked for, and is not there. */
const isNotThere = ({ outcome }: { readonly outcome: Outcome }) =>
  outcome === 'absent' || outcome === 'nothing';

function notSeenOf(judged: Judged, areNotThere: boolean): Fact[] {
  const { not_seen, observations } = judged.listing;
  // The lines say these.
  const inOthers = observations.filter(({ kind }) => isInLines(kind));
  const reasons = new Set(inOthers.map(({ reason = say`` }) => toText(reason)));
  const split = toSplitKinds(observations);
  const items = not_seen.filter(
    ({ kind, outcome, subject, reason }) =>
      isNotThere({ outcome }) === areNotThere &&
      !isInLines(kind) &&
      (isShown(judged, kind) || split.has(kind) || (isAlwaysAsked(kind) && !areNotThere)) &&
      // Every endpoint that asks for credentials first has that.
      (isAlwaysAsked(kind) || outcome !== 'asks') &&
      !isOfAbsent(judged, kind, subject) &&
      (areNotThere || isAlwaysAsked(kind) || !reasons.has(toText(reason))),
  );
  const nameOf = ({ kind, subject }: (typeof items)[number]): Words => {
    const name = ours(askedOf(kind)?.name ?? factTitle(kind));
    return subject !== undefined && split.has(kind) ? say`${name} at ${code(subject)}` : name;
  };
  const groups = Map.groupBy(items, ({ outcome, asks_for, by, as_of }) =>
    [areNotThere || outcome, asks_for, by, as_of].join('\n'),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const how = areNotThere ? say`` : say`: ${outcomeWords(first)}`;
    const names = join(unique([first, ...others].map(nameOf)), ', ');
    return [{ text: say`${names}${how}`, state: 'not_there', source: first.by, date: first.as_of }];
  });
}

/** `gaps`: kinds that no line names. */
function notKnownOf(judged: Judged, state: 'not_stated' | 'not_checked', gaps: ReadonlySet<unknown>): Fact[] {
  const { not_known, not_seen, observations } = judged.listing;
  const items = not_known.filter(
    (one) =>
      one.state === state &&
      (one.kind === toolsSurface.kind ? !isNowhere(judged) : gaps.has(one.kind) || !isInLines(one.kind)) &&
      (state === 'not_stated' || isShown(judged, one.kind)) &&
      !isOfAbsent(judged, one.kind),
  );
  // What hardly any listing has, as terms of use, is not stated either where it was looked for.
  const known = new Set(observations.filter(isKnown).map(({ kind }) => kind));
  const unseen = not_seen.filter(
    (one) => isAlwaysAsked(one.kind) && !isShown(judged, one.kind) && isNotThere(one) && !known.has(one.kind),
  );
  const all = state === 'not_stated' ? [...items, ...unseen] : items;
  const text = join(unique(all.map(({ kind }) => notKnownWords({ kind, state }))), ', ');
  return isEmpty(text) ? [] : [recorded(judged, text, 'not_known')];
}

/** How publishers name what replaces a deprecated listing. */
const replacement =
  /\b(?:replaced (?:by|with)|superseded by|succeeded by|moved to|use|see)[\s:“"'`]+([\w.-]+\/[\w.-]+)/gi;

/**
 * The handle that the publisher names in place of a listing: in the claim file, or in the message on why it
 * is deprecated.
 */
export function successorOf(listing: ListingDocument): string | undefined {
  const { handle, status_message = '' } = listing;
  const named = toSeen(listing)(repositorySupersededBy).find((one) => isKnown(one) && !one.details?.isThis);
  if (named?.value) return named.value;
  if (listing.origin_status !== 'deprecated') return undefined;
  return [...status_message.matchAll(replacement)]
    .map(([, word = '']) => word.replace(/\.$/, ''))
    .find((word) => isHandle(word) && isOfReversedDomain(word) && word !== handle);
}

function nextOf({ listing, known }: Judged, standsOut: readonly StandOut[]): string {
  const has = (...keys: readonly StandOut['key'][]) => standsOut.some(({ key }) => keys.includes(key));
  const isGone = has('deprecated', 'no_answer', 'not_there');
  const isFirstCheck = listing.being_checked !== undefined && !isChecked({ listing });
  const steps = [
    ...(isFirstCheck ? ['get_agent again in 10 seconds'] : []),
    ...(has('changed') ? ['get_history'] : []),
    // It also says whether a listing that the publisher names in place of this one is listed.
    ...(isGone || successorOf(listing) ? ['search_agents, similar_to this one'] : []),
    ...(listing.signals.native.ratings > 0 ? ['list_ratings'] : []),
    ...(known(toolsSurface).length > 0 && !isGone ? ['check_surface'] : []),
  ];
  return [...steps, ...(isFirstCheck ? [] : ['detail full'])].join('; ');
}

function notesOf({ sample, moderation = [], appeal, being_checked }: ListingDocument): Words[] {
  return [
    ...(being_checked ? [ours(being_checked)] : []),
    ...(sample ? [own('Sample listing.')] : []),
    ...moderation.map(
      ({ statement, log_index }) => say`${ours(statement)} Log index ${ours(String(log_index))}.`,
    ),
    ...(appeal ? [ours(appeal)] : []),
  ];
}

function toJudged(listing: ListingDocument, detail: Judged['detail']): Judged {
  const seen = toSeen(listing);
  return { listing, seen, known: toKnown(seen), detail };
}

/**
 * Everything that is said of a listing first: what stands out, seven lines, what is not known; in full with
 * every place.
 */
export function toAnswer(listing: ListingDocument, detail: Judged['detail'] = 'page') {
  const judged = toJudged(listing, detail);
  const standsOut = toStandsOut(judged);
  const all = lineNames.map((name) => [name, toFacts[name](judged)] as const);
  const isGap = ({ gap }: Fact) =>
    detail === 'short' && gap !== undefined && listing.not_known.some(({ kind }) => kind === gap);
  const gaps = new Set(all.flatMap(([, facts]) => facts.filter(isGap).map(({ gap }) => gap)));
  return {
    /**
     * Statements about the listing that come before all else: that it is being checked, a sample, what the
     * operator did.
     */
    notes: notesOf(listing),
    standsOut,
    lines: Object.fromEntries(
      all.map(([name, facts]) => [name, facts.filter((fact) => !isGap(fact))]),
    ) as unknown as Readonly<Record<LineName, readonly Fact[]>>,
    gaps: {
      not_there: notSeenOf(judged, true),
      unseen: notSeenOf(judged, false),
      unstated: notKnownOf(judged, 'not_stated', gaps),
      unchecked: notKnownOf(judged, 'not_checked', gaps),
    },
    next: nextOf(judged, standsOut),
  };
}

/**
 * Whose word a fact is, as of when; of what is neither stated nor checked, and of what this service stores,
 * nothing.
 */
function sourceOf({ state, source: by, date, isSignal }: Fact): Words {
  if (state === 'not_known' || by === 'this service') return say``;
  return by === 'record' && !isSignal ? source(by) : source(by, date);
}

/** Facts of one source and date together, which are named once behind them. */
function toPhrases(facts: readonly Fact[]): Words[] {
  const groups: { by: Words; key: string; facts: Words[] }[] = [];
  for (const fact of facts) {
    const by = sourceOf(fact);
    const key = JSON.stringify(by);
    const last = groups.at(-1);
    if (last?.key === key) last.facts.push(fact.text);
    else groups.push({ by, key, facts: [fact.text] });
  }
  return groups.map(({ by, facts: same }) => say`${join(same, '; ')}${by}`);
}

/** A line in sentences. */
export const lineWords = (facts: readonly Fact[]): Words => join(toPhrases(facts).map(sentence), ' ');

/** Whose a listing is, as a comparison says before its criteria. */
export const publisherWords = (listing: ListingDocument): Words =>
  lineWords(publisherFacts(toJudged(listing, 'short')));

/** What was not seen or is not known. */
export const gapWords = ({ gaps }: Answer) =>
  Object.fromEntries(gapNames.map((name) => [name, join(toPhrases(gaps[name]), '; ')])) as Record<
    GapName,
    Words
  >;

/** An answer as text and page show it; a line without words has nothing to say. */
export interface AnswerWords extends Readonly<Partial<Record<GapName, Words | undefined>>> {
  readonly stands_out: readonly Words[];
  readonly lines: Readonly<Partial<Record<LineName, Words>>>;
}

export const toAnswerWords = (answer: Answer): AnswerWords => ({
  stands_out: answer.standsOut.map(({ text }) => text),
  lines: Object.fromEntries(lineNames.map((name) => [name, lineWords(answer.lines[name])])),
  ...gapWords(answer),
});

/** An answer as lines of Markdown. */
export function toAnswerLines({ stands_out, ...said }: AnswerWords): string[] {
  const line = (title: string, words: Words | undefined) =>
    words && !isEmpty(words) ? [`* ${title}: ${toMarkdown(words)}`] : [];
  return [
    ...(stands_out.length > 0 ? [`Stands out: ${toMarkdown(join(stands_out, ' '))}`] : []),
    ...lineNames.flatMap((name) => line(lineTitles[name], said.lines[name])),
    ...gapNames.flatMap((name) => line(gapTitles[name], said[name])),
  ];
}
