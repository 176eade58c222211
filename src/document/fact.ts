import { dayText } from '../core/text.ts';
import { phrase, type Source, say, type Words, within } from '../core/words.ts';
import type { CopyField } from '../imports/import-run.ts';
import { outcomeWords } from '../observations/asked/outcome.ts';
import type { AskedKind, Kind } from '../observations/known/kind.ts';
import { kinds } from '../observations/known/kinds.ts';
import type { DatedObservation } from '../observations/known/observation.ts';
import { whyNoneRead } from './record.ts';
import { atPlace, isKnown, type JudgedListing, reasonOf, sinceThen } from './seen.ts';

export interface TextFact {
  readonly text: Words;
  readonly state: 'known' | 'not_there' | 'not_known';
  readonly source: Source | 'this service';
  /** The fact is known as of this day. */
  readonly date: string;
  readonly isSignal?: true;
  /** If `not_known` lists this kind, the short answer names it there and not in its line. */
  readonly gap?: string;
}

export const recorded = (
  { listing }: JudgedListing,
  text: Words,
  state: TextFact['state'] = 'known',
): TextFact => ({
  text,
  state,
  source: 'record',
  date: dayText(listing.observed_at),
});

export const ofService = (
  { listing }: JudgedListing,
  text: Words,
  state: TextFact['state'] = 'known',
): TextFact => ({
  text,
  state,
  source: 'this service',
  date: listing.evidence_snapshot_date,
});

export const observed = (judged: JudgedListing, one: DatedObservation, text: Words): TextFact => ({
  text: say`${text}${sinceThen(judged, one)}`,
  state: isKnown(one) ? 'known' : 'not_there',
  source: 'Dossier',
  date: dayText(one.observed_at),
});

export function whyOf(one: DatedObservation): Words {
  const reason = reasonOf(one);
  return reason ? within(phrase(reason)) : outcomeWords(one);
}

/** Not `none` if the field is not read, or if the copy of the registry has it for no listing. */
export const noneRecorded = (
  judged: JudgedListing,
  field: CopyField,
  none: Words,
  gap?: string,
): TextFact => {
  const why = whyNoneRead(judged.listing, field);
  if (why) return recorded(judged, within(phrase(why)), 'not_known');
  return { ...recorded(judged, none, 'not_known'), ...(gap && { gap }) };
};

export function unknownOf(judged: JudgedListing, { kind }: AskedKind, notStated: Words): TextFact {
  const item = judged.listing.not_known.find((one) => one.kind === kind);
  const text = item?.state === 'not_checked' ? phrase(item.reason) : notStated;
  return { ...recorded(judged, text, 'not_known'), gap: kind };
}

export type FactsOf = (judged: JudgedListing) => TextFact[];

/** The most endpoints or packages that an answer names for a kind, unless its detail is `full`. */
export const mostPlaces = 3;

/** Each is followed by the words that `note` returns. */
export function saidIn(
  line: NonNullable<Kind['saidIn']>,
  note: (one: DatedObservation, judged: JudgedListing) => Words = () => say``,
): FactsOf {
  const ofLine = kinds.filter((kind) => kind.saidIn === line);
  return (judged) =>
    ofLine.flatMap((kind) => {
      const all = judged.known(kind);
      const places = kind.restsOn === 'package' ? judged.listing.packages : all;
      return all.slice(0, judged.detail === 'full' ? all.length : mostPlaces).flatMap((one) => {
        const said = kind.sayInLine?.(one);
        return said ? [observed(judged, one, say`${said}${atPlace(one, places)}${note(one, judged)}`)] : [];
      });
    });
}
