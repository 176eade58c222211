import {
  count,
  day,
  dayOf,
  isEmpty,
  join,
  ours,
  own,
  say,
  sentence,
  toText,
  type Words,
} from '../core/words.ts';
import { proofTexts } from '../ratings/proof.ts';
import type { NativeSignals, RatingCounts } from '../ratings/rating.ts';
import { countedWords } from './words.ts';

interface CountedSources {
  readonly ratings: number;
  readonly independent: { readonly ratings: number; readonly sources: number };
}

export function ratingParts({ ratings, independent }: CountedSources) {
  const apart = ratings - independent.ratings;
  const isNone = independent.sources === 0;
  const sources = isNone ? own('no independent source') : count(independent.sources, 'independent source');
  return {
    sources,
    from: isNone ? sources : say`${sources}, ${count(independent.ratings, 'rating')}`,
    apart: apart === 0 ? [] : [say`${count(apart, 'rating')} set apart`],
  };
}

/** For a notice; empty if nothing was rated. */
export function ratedWords(native: NativeSignals): Words[] {
  if (native.ratings === 0) return [];
  const { sources, from, apart } = ratingParts(native);
  const { independent } = native;
  const newest = countedWords(independent.source_outcomes);
  const ofSources = () =>
    independent.sources === independent.ratings
      ? say`${from} (${newest})`
      : say`${sources} (newest of each: ${newest}), ${count(independent.ratings, 'rating')}`;
  return [say`Rated by ${join([isEmpty(newest) ? from : ofSources(), ...apart], '; ')}`];
}

/** Sources before ratings, so that many ratings by one source are recognized. */
export function sourcesFirst(native: CountedSources): Words {
  const { from, apart } = ratingParts(native);
  return join([from, ...apart], '; ');
}

/** Undefined if the group is empty. */
export function groupParts(of: RatingCounts) {
  const { ratings, sources, source_handles, outcomes, source_outcomes, scores, by_proof, last_at } = of;
  if (!last_at) return undefined;
  const proofName = (key: string) => proofTexts[key as keyof typeof proofTexts].name.toLowerCase();
  const given = Object.entries(scores).filter(([, times]) => times > 0);
  return {
    sources: count(sources, 'source'),
    ratings: count(ratings, 'rating'),
    listings: count(source_handles, 'listing'),
    outcomes: countedWords(outcomes),
    /** Empty if each source rated once. */
    newest: sources < ratings ? countedWords(source_outcomes) : say``,
    scores: join(
      given.map(([score, times]) => say`${ours(score)} (${count(times, 'time')})`),
      ', ',
    ),
    /** Empty if no rating has a proof. */
    proof: by_proof.none < ratings ? countedWords(by_proof, proofName) : say``,
    last: day(last_at),
  };
}

/**
 * Example: `independent: 2 sources, 2 ratings: 1 succeeded, 1 failed; none with a proof; last 2026-03-09`.
 */
export function groupWords(name: string, of: RatingCounts, detail: 'short' | 'full' = 'short'): Words {
  const parts = groupParts(of);
  if (!parts) return say`${ours(name)}: none`;
  const { sources, ratings, listings, outcomes, newest, scores, proof, last } = parts;
  const isFull = detail === 'full';
  const from = say`${sources}, ${ratings}${isFull ? say` from ${listings}` : say``}: ${outcomes}`;
  const all = [
    say`${ours(name)}: ${from}`,
    isEmpty(newest) ? newest : say`newest of each source ${newest}`,
    isFull && !isEmpty(scores) ? say`scores as their sources gave them: ${scores}` : say``,
    isEmpty(proof) ? own('none with a proof') : proof,
    say`last ${last}`,
  ];
  return join(all, '; ');
}

export const whatAListingIsNot = own('A listing is not verification and not a recommendation to buy.');

/** The specification's sentence ("What the service does", 6; docs/contract.md). `date` is YYYY-MM-DD. */
export function snapshotWords(handle: string, native: CountedSources, date: string): Words {
  const evidence = native.ratings === 0 ? own('no rating evidence') : say`${sourcesFirst(native)},`;
  // A handle has no characters that could imitate our words.
  return say`${ours(handle)} is listed with ${evidence} as of ${dayOf(date)}. ${whatAListingIsNot}`;
}

type Totals = CountedSources & Pick<NativeSignals, 'voided' | 'hidden'>;

export const nativeWords = (totals: Totals, said = sourcesFirst(totals)): Words =>
  join(
    [
      totals.ratings === 0
        ? own('No ratings here; that matters for a purchase.')
        : say`${sentence(said)} Each rating is one sourced signal, never a final verdict.`,
      totals.voided > 0 && say`Not counted: ${count(totals.voided, 'rating')} that the operator voided.`,
      totals.hidden > 0 && say`The operator has hidden the texts of ${count(totals.hidden, 'rating')}.`,
    ],
    ' ',
  );

export const nativeStatement = (totals: Totals): string => toText(nativeWords(totals));
