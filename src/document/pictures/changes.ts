import { dayText } from '../../core/text.ts';
import { count, fromDayToDay, join, ours, own, say, source, type Words } from '../../core/words.ts';
import type { ShownChange } from '../../observations/known/changes/history.ts';
import { kindOf, surfaceOf } from '../../observations/known/kinds.ts';
import { changeClasses } from '../../observations/known/observation.ts';
import type { OfferChange } from '../../observations/known/prices/difference.ts';
import { priceOffers } from '../../observations/known/prices/offers.ts';
import { changedWords, foldedOf, goneWords, wordsOf } from '../answers/history.ts';
import { type HistoryEvent, historyKindTexts, kindOfEvent } from '../answers/history-events.ts';

export const laneTitles = {
  record: 'Record',
  endpoint: 'Endpoint',
  tools: 'Tools',
  price: 'Price',
  payee: 'Payee',
  package: 'Package',
  claim: 'Claim',
  ratings: 'Ratings',
  operator: 'Operator',
} as const;
export type Lane = keyof typeof laneTitles;
const lanes = Object.keys(laneTitles) as Lane[];

/** What changed in one lane on one day (UTC). */
export interface Mark {
  readonly lane: Lane;
  /** Of the newest event. */
  readonly at: string;
  /** The position of that event; the newest has 0. */
  readonly event: number;
  readonly changes: number;
  /** 1 to 3. */
  readonly weight: number;
  /** Of the weightiest change. */
  readonly words: Words;
}

function weightOf({ kind, before, after, items = [], counts }: ShownChange): number {
  const { weighChange, standsOutAs, existsAs } = kindOf(kind) ?? {};
  if (!weighChange || !before) return (standsOutAs ?? existsAs) ? 3 : 1;
  const most = surfaceOf(kind) ? changeClasses.length : 4;
  const told = { ...before, ...(counts && { counts, difference: { items: [...items], counts } }) };
  const weight = weighChange(told, after);
  return 1 + Math.min(2, Math.round((2 * weight) / most));
}

function lanesOf({ kind, items = [] }: ShownChange): Lane[] {
  if (kind !== priceOffers.kind) return [historyKindTexts[kindOf(kind)?.question ?? 'record'].lane];
  const all = items as readonly OfferChange[];
  const isPaid = all.some((one) => one.class.includes('payee'));
  const isPrice = all.some(({ class: of, was, is }) => !of.includes('payee') || was?.amount !== is?.amount);
  return [...(isPaid ? (['payee'] as const) : []), ...(isPrice || !isPaid ? (['price'] as const) : [])];
}

const weighty = /^(?:listing\.(?:withdrawn|restored)|claim\.suspended|moderation\.applied)$/;

function marksOf(event: HistoryEvent, at: number): Mark[] {
  const mark = { at: event.at, event: at, changes: 1 };
  if (event.type === 'check')
    return foldedOf(event).flatMap((one) => {
      const said = {
        weight: weightOf(one.change),
        words: say`${changedWords(one.change, 0)}${goneWords(one)}`,
      };
      return lanesOf(one.change).map((lane) => ({ ...mark, ...said, lane }));
    });
  const lane =
    event.type === 'listing.new' ? undefined : historyKindTexts[kindOfEvent(event) ?? 'views'].lane;
  const weight = weighty.test(event.type) ? 3 : event.type.startsWith('rating') ? 1 : 2;
  return lane ? wordsOf(event, undefined).map((words) => ({ ...mark, lane, weight, words })) : [];
}

/** Of events that begin with the newest; in each lane the newest first. */
export function toMarks(events: readonly HistoryEvent[]): Mark[] {
  const byDay = Map.groupBy(events.flatMap(marksOf), ({ lane, at }) => `${lane} ${dayText(at)}`);
  const marks = [...byDay.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const heaviest = others.reduce((most, one) => (one.weight > most.weight ? one : most), first);
    return [{ ...heaviest, at: first.at, event: first.event, changes: 1 + others.length }];
  });
  return marks.toSorted((a, b) => lanes.indexOf(a.lane) - lanes.indexOf(b.lane));
}

/** `isCut`: older events were not read. */
export function marksWords(marks: readonly Mark[], isCut: boolean): Words {
  const times = marks.map(({ at }) => at).sort();
  const sum = (some: readonly Mark[]) => some.reduce((all, { changes }) => all + changes, 0);
  const named = [...Map.groupBy(marks, ({ lane }) => lane)].map(
    ([lane, some]) => say`${ours(laneTitles[lane].toLowerCase())} ${sum(some)}`,
  );
  const newest = isCut && own(', the newest of a longer history');
  const by = source(marks.every(({ lane }) => lane === 'record') ? 'record' : 'Dossier');
  return say`${count(sum(marks), 'change')} recorded ${fromDayToDay(times[0] ?? '', times.at(-1) ?? '')}${newest}: ${join(named, ', ')}${by}.`;
}
