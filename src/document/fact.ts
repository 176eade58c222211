import { day, withoutStop } from '../core/text.ts';
import { toText } from '../core/words.ts';
import type { CopyField } from '../imports/import-run.ts';
import type { DatedObservation } from '../observations/observation.ts';
import { outcomeWords } from '../observations/outcome.ts';
import { copyLacksSentence } from './record.ts';
import { isKnown, type Judged, reasonOf, sinceThen } from './seen.ts';

/**
 * One fact in words, in one of the three states of knowing: known; looked for and not there; not checked, or not stated. Texts of
 * others are in “ ” or in code spans (core/text.ts).
 */
export interface Fact {
  readonly text: string;
  readonly state: 'known' | 'not_there' | 'not_known';
  /** Whose word it is: the record of the listing, a check of Dossier, or what this service stores itself. */
  readonly source: 'record' | 'Dossier' | 'this service';
  /** The day that it is known as of; of the record, the day it was read. */
  readonly date: string;
  /** Whether it is an imported signal, which the JSON has apart. */
  readonly isSignal?: true;
  /** The kind under which the short answer names it among what is not known, in place of the line. */
  readonly gap?: string;
}

/** What the record says. */
export const recorded = ({ listing }: Judged, text: string, state: Fact['state'] = 'known'): Fact => ({
  ...{ text, state, source: 'record', date: day(listing.observed_at) },
});

/** What this service stores itself. */
export const ofService = ({ listing }: Judged, text: string, state: Fact['state'] = 'known'): Fact => ({
  ...{ text, state, source: 'this service', date: listing.evidence_snapshot_date },
});

/** What a check of Dossier saw, or did not see. */
export const observed = (judged: Judged, one: DatedObservation, text: string): Fact => ({
  text: `${text}${sinceThen(judged, one)}`,
  state: isKnown(one) ? 'known' : 'not_there',
  source: 'Dossier',
  date: day(one.observed_at),
});

/** Why it was not seen. */
export const whyOf = (one: DatedObservation) => reasonOf(one) || toText(outcomeWords(one));

/** That the record has none, or that the copy has it of no listing. */
export const noneRecorded = (judged: Judged, field: CopyField, none: string, gap?: string): Fact => {
  const lacks = copyLacksSentence(judged.listing.copy_lacks, field);
  if (lacks) return recorded(judged, withoutStop(lacks), 'not_known');
  return { ...recorded(judged, none, 'not_known'), ...(gap && { gap }) };
};

/** What the record does not state, or may state in a field that Dossier does not read. */
export function unknownOf(judged: Judged, kind: string, notStated: string): Fact {
  const item = judged.listing.not_known.find((one) => one.kind === kind);
  const text = item?.state === 'not_checked' ? withoutStop(item.reason) : notStated;
  return { ...recorded(judged, text, 'not_known'), gap: kind };
}
