import { dayText } from '../core/text.ts';
import { phrase, type Source, say, type Words, within } from '../core/words.ts';
import type { CopyField } from '../imports/import-run.ts';
import type { AskedKind, Kind } from '../observations/kind.ts';
import { kinds } from '../observations/kinds.ts';
import type { DatedObservation } from '../observations/observation.ts';
import { outcomeWords } from '../observations/outcome.ts';
import { copyLacksWords } from './record.ts';
import { atPlace, isKnown, type Judged, reasonOf, sinceThen } from './seen.ts';

/**
 * One fact in words, in one of the three states of knowing: known; looked for and not there; not checked, or
 * not stated.
 */
export interface Fact {
  readonly text: Words;
  readonly state: 'known' | 'not_there' | 'not_known';
  /** Whose word it is: the record of the listing, a check of Dossier, or what this service stores itself. */
  readonly source: Source | 'this service';
  /** The day that it is known as of; of the record, the day it was read. */
  readonly date: string;
  /** Whether it is an imported signal, which the JSON has apart. */
  readonly isSignal?: true;
  /** The kind under which the short answer names it among what is not known, in place of the line. */
  readonly gap?: string;
}

/** What the record says. */
export const recorded = ({ listing }: Judged, text: Words, state: Fact['state'] = 'known'): Fact => ({
  text,
  state,
  source: 'record',
  date: dayText(listing.observed_at),
});

/** What this service stores itself. */
export const ofService = ({ listing }: Judged, text: Words, state: Fact['state'] = 'known'): Fact => ({
  text,
  state,
  source: 'this service',
  date: listing.evidence_snapshot_date,
});

/** What a check of Dossier saw, or did not see. */
export const observed = (judged: Judged, one: DatedObservation, text: Words): Fact => ({
  text: say`${text}${sinceThen(judged, one)}`,
  state: isKnown(one) ? 'known' : 'not_there',
  source: 'Dossier',
  date: dayText(one.observed_at),
});

/** Why it was not seen. */
export function whyOf(one: DatedObservation): Words {
  const reason = reasonOf(one);
  return reason ? within(phrase(reason)) : outcomeWords(one);
}

/** That the record has none, or that the copy has it of no listing. */
export const noneRecorded = (judged: Judged, field: CopyField, none: Words, gap?: string): Fact => {
  const lacks = copyLacksWords(judged.listing.copy_lacks, field);
  if (lacks) return recorded(judged, within(phrase(lacks)), 'not_known');
  return { ...recorded(judged, none, 'not_known'), ...(gap && { gap }) };
};

/** What the record does not state, or may state in a field that Dossier does not read. */
export function unknownOf(judged: Judged, { kind }: AskedKind, notStated: Words): Fact {
  const item = judged.listing.not_known.find((one) => one.kind === kind);
  const text = item?.state === 'not_checked' ? phrase(item.reason) : notStated;
  return { ...recorded(judged, text, 'not_known'), gap: kind };
}

/** The facts of one line. */
export type FactsOf = (judged: Judged) => Fact[];

/** So many endpoints or packages are named where not all are. */
export const mostPlaces = 3;

/** What kinds say of their values in a line, and of each what `note` says. */
export function saidIn(
  line: NonNullable<Kind['saidIn']>,
  note: (one: DatedObservation, judged: Judged) => Words = () => say``,
): FactsOf {
  const ofLine = kinds.filter((kind) => kind.saidIn === line);
  return (judged) =>
    ofLine.flatMap((kind) => {
      const all = judged.known(kind);
      // What is known of one of several packages is no fact about the others.
      const places = kind.restsOn === 'package' ? judged.listing.packages : all;
      return all.slice(0, judged.detail === 'full' ? all.length : mostPlaces).flatMap((one) => {
        const said = kind.sayInLine?.(one);
        return said ? [observed(judged, one, say`${said}${atPlace(one, places)}${note(one, judged)}`)] : [];
      });
    });
}
