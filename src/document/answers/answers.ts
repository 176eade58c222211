import { isHandle } from '../../core/handle.ts';
import { isOfReversedDomain } from '../../core/identity.ts';
import {
  code,
  day,
  isEmpty,
  join,
  ours,
  own,
  phrase,
  say,
  sentence,
  source,
  toMarkdown,
  toText,
  type Words,
  within,
} from '../../core/words.ts';
import { type Outcome, outcomeWords } from '../../observations/asked/outcome.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import { packageAdvisories } from '../../observations/known/kinds/packages/advisories.ts';
import { repositorySupersededBy } from '../../observations/known/kinds/repository.ts';
import { askedOf, kindOf, kinds } from '../../observations/known/kinds.ts';
import { priceOffers } from '../../observations/known/prices/offers.ts';
import { beforeWords } from '../../observations/known/to-observations.ts';
import { checkedBefore, type ListingDocument, partAsked } from '../listing-document.ts';
import { recorded, type TextFact } from '../recorded-facts.ts';
import {
  isAbsent,
  isChecked,
  isKnown,
  isSaidFirst,
  type JudgedListing,
  shareOf,
  toKnown,
  toSeen,
} from '../seen.ts';
import { endedByText, notKnownWords, toSplitKinds } from '../sentences.ts';
import { factTitle, unique } from '../words.ts';
import { type LineName, lineNames, lineTitles, toFacts } from './lines.ts';
import { type StandOut, toStandsOut } from './stands-out.ts';

export const gapTitles = {
  not_there: 'Not there',
  unseen: 'Could not be seen',
  unstated: 'Not stated',
  unchecked: 'Not checked',
} as const;
type GapName = keyof typeof gapTitles;
export const gapNames = Object.keys(gapTitles) as GapName[];

export type ListingAnswer = ReturnType<typeof toAnswer>;

const countsAsUnstated = (kind: string) => isAlwaysAsked(kind) && askedOf(kind)?.isSeldom === true;

const isShown = ({ detail }: JudgedListing, kind: string) => detail === 'full' || !askedOf(kind)?.isSeldom;

const isInLines = (kind: string): boolean => askedOf(kind)?.line !== undefined;

/** Buyers ask for these about every listing, even if few have them. */
const isAlwaysAsked = (kind: string): boolean => askedOf(kind)?.unstated !== undefined;

/** Of an absent package or repository, no other fact is stated. */
const isOfAbsent = ({ seen }: JudgedListing, kind: string, subject?: string): boolean =>
  kinds.some(
    (one) =>
      one.existsAs !== undefined &&
      one.existsAs === askedOf(kind)?.restsOn &&
      seen(one).some((fact) => isAbsent(fact) && (subject === undefined || fact.subject === subject)),
  );

const isNotThere = ({ outcome }: { readonly outcome: Outcome }) =>
  outcome === 'absent' || outcome === 'nothing';

function notSeenOf(judged: JudgedListing, areNotThere: boolean): TextFact[] {
  const { not_seen, observations } = judged.listing;
  // The seven lines give their reasons.
  const inOthers = observations.filter(({ kind }) => isInLines(kind));
  const reasons = new Set(inOthers.map(({ reason = say`` }) => toText(reason)));
  const split = toSplitKinds(observations);
  const items = not_seen.filter(
    ({ kind, outcome, subject, reason }) =>
      isNotThere({ outcome }) === areNotThere &&
      !isInLines(kind) &&
      (split.has(kind) ||
        (isShown(judged, kind) && !countsAsUnstated(kind)) ||
        (isAlwaysAsked(kind) && !areNotThere)) &&
      // Most facts have this outcome if an endpoint asks for credentials or a payment.
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

interface Gaps {
  /** In no line. */
  readonly kinds: ReadonlySet<unknown>;
  /** What is not checked is said once for all lines. */
  readonly isUnchecked: boolean;
}

function notKnownOf(
  judged: JudgedListing,
  state: 'not_stated' | 'not_checked',
  { kinds: gaps, isUnchecked }: Gaps,
): TextFact[] {
  const { not_known, not_seen, observations } = judged.listing;
  const answered = new Set<unknown>(
    not_seen.flatMap((one) => (isNotThere(one) ? (kindOf(one.kind)?.answers ?? []) : [])),
  );
  const items = not_known.filter(
    (one) =>
      one.state === state &&
      (one.kind === toolsSurface.kind ||
        gaps.has(one.kind) ||
        !isInLines(one.kind) ||
        (isUnchecked && state === 'not_checked')) &&
      (state === 'not_stated' ||
        isShown(judged, one.kind) ||
        answered.has(one.kind) ||
        (judged.detail !== 'short' && !askedOf(one.kind)?.unchecked?.isOfAll)) &&
      // Of these Dossier asks elsewhere than at the registry of the package.
      (one.kind === packageAdvisories.kind || !isOfAbsent(judged, one.kind)),
  );
  const known = new Set(observations.filter(isKnown).map(({ kind }) => kind));
  const unseen = not_seen.filter(
    (one) => countsAsUnstated(one.kind) && isNotThere(one) && !known.has(one.kind),
  );
  const all = state === 'not_stated' ? [...items, ...unseen] : items;
  const text = join(unique(all.map(({ kind }) => notKnownWords({ kind, state }))), ', ');
  return isEmpty(text) ? [] : [recorded(judged, text, 'not_known')];
}

const replacement =
  /\b(?:replaced (?:by|with)|superseded by|succeeded by|(?:moved|renamed) to|use|see)[\s:“"'`]+([\w.-]+\/[\w.-]+)/gi;

/** Named in the claim file or, if its publisher ends it, in the status message or the description. */
export function successorOf(listing: ListingDocument): string | undefined {
  const { handle, origin_status, status_message = '', description } = listing;
  const named = toSeen(listing)(repositorySupersededBy).find((one) => isKnown(one) && !one.details?.isThis);
  if (named?.value) return named.value;
  const isByText = endedByText(listing) !== undefined;
  if (origin_status !== 'deprecated' && !isByText) return undefined;
  return [...(isByText ? description : status_message).matchAll(replacement)]
    .map(([, word = '']) => word.replace(/\.$/, ''))
    .find((word) => isHandle(word) && isOfReversedDomain(word) && word !== handle);
}

/** Of such a listing, what may be used instead is asked for. HTTP 403 may refuse Dossier alone. */
const isEnding = (standsOut: readonly StandOut[]): boolean =>
  standsOut.some(
    ({ key, fact }) =>
      ['deprecated', 'package_deprecated', 'redirected', 'no_answer', 'not_there', 'no_repository'].includes(
        key,
      ) && !(key === 'no_answer' && /^4/.test(String(fact?.response?.status ?? ''))),
  );

export const standOutsOf = (listing: ListingDocument) => toStandsOut(toJudged(listing, 'short'));

export const needsReplacement = (listing: ListingDocument): boolean =>
  successorOf(listing) !== undefined || isEnding(standOutsOf(listing));

/** `successor`: as successorOf, if it is listed. */
export function nextOf(listing: ListingDocument, standsOut: readonly StandOut[], successor?: string): string {
  const judged = toJudged(listing, 'short');
  const { known, seen } = judged;
  const hasFailed = seen(endpointAnswers).some((one) => !isEmpty(shareOf(judged, one)?.failed ?? own('')));
  const has = (...keys: readonly StandOut['key'][]) => standsOut.some(({ key }) => keys.includes(key));
  const isGone = isEnding(standsOut) || endedByText(listing) !== undefined;
  const isReplaced = isGone || successorOf(listing) !== undefined;
  const isFirstCheck = listing.being_checked !== undefined && !isChecked({ listing });
  return [
    ...(isFirstCheck ? ['get_agent again in 10 seconds'] : []),
    ...(has('changed', 'returned') || hasFailed ? ['get_history'] : []),
    ...(successor ? [`get_agent ${successor}, which its publisher names as its successor`] : []),
    ...(isReplaced ? ['search_agents, similar_to this one'] : []),
    ...(listing.signals.native.ratings > 0 ? ['list_ratings'] : []),
    // An offer in a form that Dossier does not know is not compared.
    ...(known(priceOffers).length > 0 ? ['check_offer before a payment'] : []),
    ...(known(toolsSurface).length > 0 && !isGone ? ['check_surface'] : []),
  ].join('; ');
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

function toJudged(listing: ListingDocument, detail: JudgedListing['detail']): JudgedListing {
  const seen = toSeen(listing);
  return { listing, seen, known: toKnown(seen), detail };
}

function uncheckedWords(listing: ListingDocument): Words {
  const { [checkedBefore]: before, [partAsked]: part, observations } = listing;
  if (before) return beforeWords(before);
  if (part) return own('Dossier has checked nothing of this part of the listing.');
  // Only after a check, an observation names what it is about.
  const wasChecked = observations.some(({ subject }) => subject !== undefined);
  return say`Dossier has checked nothing of ${own(wasChecked ? 'what this listing records now' : 'this listing')}.`;
}

export function toAnswer(listing: ListingDocument, detail: JudgedListing['detail'] = 'page') {
  const judged = toJudged(listing, detail);
  const standsOut = toStandsOut(judged);
  const all = lineNames.map((name) => [name, toFacts[name](judged)] as const);
  const isUnchecked = isSaidFirst(judged);
  const { [checkedBefore]: before } = listing;
  const isGap = ({ gap }: TextFact) =>
    gap !== undefined &&
    listing.not_known.some(
      ({ kind, state }) => kind === gap && (detail === 'short' || (isUnchecked && state === 'not_checked')),
    );
  const gaps = {
    kinds: new Set(all.flatMap(([, facts]) => facts.filter(isGap).map(({ gap }) => gap))),
    isUnchecked,
  };
  return {
    notes: notesOf(listing),
    standsOut,
    /** Said where nothing else stands out, which would mislead. */
    ofNoCheck: isChecked(judged) ? [] : [{ key: 'unchecked', text: uncheckedWords(listing) }],
    lines: Object.fromEntries(
      all.map(([name, facts]) => [name, facts.filter((fact) => !isGap(fact))]),
    ) as unknown as Readonly<Record<LineName, readonly TextFact[]>>,
    gaps: {
      not_there: notSeenOf(judged, true),
      unseen: notSeenOf(judged, false),
      unstated: notKnownOf(judged, 'not_stated', gaps),
      unchecked: [
        ...notKnownOf(judged, 'not_checked', gaps),
        ...(before && detail === 'short'
          ? [recorded(judged, within(phrase(beforeWords(before))), 'not_known')]
          : []),
      ],
    },
  };
}

function sourceOf({ state, source: by, date, isSignal }: TextFact): Words {
  if (state === 'not_known' || by === 'this service') return say``;
  return by === 'record' && !isSignal ? source(by) : source(by, date);
}

/** Consecutive facts of one source and date share one note, after the last. */
function toPhrases(facts: readonly TextFact[]): Words[] {
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

export const lineWords = (facts: readonly TextFact[]): Words => join(toPhrases(facts).map(sentence), ' ');

/** The source of facts marked `(record)`. */
export const recordWords = ({ origin, observed_at }: ListingDocument): Words =>
  say`${ours(origin)}, as of ${day(observed_at)}`;

export const gapWords = ({ gaps }: ListingAnswer) =>
  Object.fromEntries(gapNames.map((name) => [name, join(toPhrases(gaps[name]), '; ')])) as Record<
    GapName,
    Words
  >;

export interface AnswerWords extends Readonly<Partial<Record<GapName, Words | undefined>>> {
  readonly stands_out: readonly Words[];
  readonly lines: Readonly<Partial<Record<LineName, Words>>>;
}

export const toAnswerWords = (answer: ListingAnswer): AnswerWords => ({
  stands_out: answer.standsOut.map(({ text }) => text),
  lines: Object.fromEntries(lineNames.map((name) => [name, lineWords(answer.lines[name])])),
  ...gapWords(answer),
});

export function toAnswerLines({ stands_out, ...said }: AnswerWords): string[] {
  const line = (title: string, words: Words | undefined) =>
    words && !isEmpty(words) ? [`* ${title}: ${toMarkdown(words)}`] : [];
  return [
    ...(stands_out.length > 0 ? [`Stands out: ${toMarkdown(join(stands_out, ' '))}`] : []),
    ...lineNames.flatMap((name) => line(lineTitles[name], said.lines[name])),
    ...gapNames.flatMap((name) => line(gapTitles[name], said[name])),
  ];
}
