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

/**
 * What is said first of ratings, in its parts: the sources, these with their ratings, and what is set apart,
 * if anything is.
 */
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

/**
 * What is said first of ratings, so that many by one source look like what they are: `1 independent source,
 * 243 ratings`.
 */
export function sourcesFirst(native: CountedSources): Words {
  const { from, apart } = ratingParts(native);
  return join([from, ...apart], '; ');
}

/** What is said of a group of ratings, in its parts; undefined if nobody rated in it. */
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
    /** The newest of each source, where a source rated more than once. */
    newest: sources < ratings ? countedWords(source_outcomes) : say``,
    /** Each score as its source gave it. */
    scores: join(
      given.map(([score, times]) => say`${ours(score)} (${count(times, 'time')})`),
      ', ',
    ),
    /** Empty if none has a proof. */
    proof: by_proof.none < ratings ? countedWords(by_proof, proofName) : say``,
    last: day(last_at),
  };
}

/**
 * A group of ratings, the sources first: `independent: 4 sources, 5 ratings: 3 succeeded, 2 failed; …`; in
 * full with listings and scores.
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

/**
 * The evidence snapshot sentence of a day, YYYY-MM-DD: this service knows its own ratings and claims as of
 * now (specification, "What the service does", 6; docs/contract.md).
 */
export function snapshotWords(handle: string, native: CountedSources, date: string): Words {
  const evidence = native.ratings === 0 ? own('no rating evidence') : say`${sourcesFirst(native)},`;
  // A handle has no character that could speak for us.
  return say`${ours(handle)} is listed with ${evidence} as of ${dayOf(date)}. A listing is not verification and not a recommendation to buy.`;
}

/** The same as a text. */
export const snapshotSentence = (...of: Parameters<typeof snapshotWords>): string =>
  toText(snapshotWords(...of));

type Totals = CountedSources & Pick<NativeSignals, 'voided' | 'hidden'>;

/**
 * The statement about the ratings made here of a listing, which begins with `said`; for none, it points out
 * that this matters.
 */
export const nativeWords = (totals: Totals, said = sourcesFirst(totals)): Words =>
  join(
    [
      totals.ratings === 0
        ? own('No ratings here; that matters for a purchase.')
        : say`${sentence(said)} Each rating is one sourced signal, never a final verdict.`,
      totals.voided > 0
        ? say`Not counted: ${count(totals.voided, 'rating')} that the operator voided.`
        : say``,
      totals.hidden > 0
        ? say`The operator has hidden the texts of ${count(totals.hidden, 'rating')}.`
        : say``,
    ],
    ' ',
  );

/** The same as a text. */
export const nativeStatement = (totals: Totals): string => toText(nativeWords(totals));
