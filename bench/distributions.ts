import { readFileSync } from 'node:fs';

/** How many rows had each value, most frequent first. */
export type Counts<T> = readonly (readonly [value: T, count: number])[];

/** Statistics of real registry rows; no single row can be recovered from them. */
export interface Distributions {
  /** Listings of each publisher with 50 or more, of how many in all. */
  readonly bigPublishers: readonly number[];
  readonly listings: number;
  /** Listings a publisher has, for all smaller ones. */
  readonly publisherSizes: Counts<number>;
  /** First two labels of namespaces, as `io.github`, `com`. */
  readonly roots: Counts<string>;
  readonly months: Counts<string>;
  readonly versions: Counts<number>;
  /** Words of descriptions, and pairs that often stand together; the rest of the words are in `rareWords`. */
  readonly words: Counts<string>;
  /** Uses of words that are not listed, and how many different ones there were. */
  readonly rareWords: { readonly uses: number; readonly distinct: number };
  /** Lengths at each twentieth, shortest first. */
  readonly descriptionLengths: readonly number[];
  readonly nameLengths: readonly number[];
  /** `remote types|package type:transport:variables,...` of a record. */
  readonly shapes: Counts<string>;
  readonly shares: Readonly<
    Record<'title' | 'website' | 'repository' | 'sharedRepository' | 'deprecated', number>
  >;
}

/** The committed table (measure-distributions.ts makes it). */
export const readDistributions = (): Distributions =>
  JSON.parse(readFileSync(new URL('distributions.json', import.meta.url), 'utf8')) as Distributions;
