import type { Json } from '../../core/json.ts';
import { factsOf } from '../kind.ts';
import { isQuote, priceOffers } from '../kinds/prices/offers.ts';
import type { ObservationChange, StoredObservation } from '../observation.ts';
import {
  allIn,
  hidesPayees,
  isAnotherEachTime,
  type Offer,
  offersSummary,
  type PlaceName,
  type StatedOffers,
} from '../prices/offer.ts';

/** The offers at a place in a span of time. */
export interface OfferSighting {
  /** Undefined if no offers were seen. */
  readonly value: readonly Offer[] | undefined;
  /** Undefined if the start of the span is not known. */
  readonly from: string | undefined;
  /** The last time at which the state was seen. */
  readonly until: string;
  /** The time of the check that no longer saw the state. */
  readonly ended?: string;
  /** How many checks saw the state, if Dossier counted them. */
  readonly checks?: number | undefined;
  readonly isNow: boolean;
  /** Some offers could not be read, or are not stored any more. */
  readonly isPart: boolean;
  /** These offers may pay others too. */
  readonly hidesPayees: boolean;
  /** The endpoint named other payees when it was asked twice. */
  readonly isAnother: boolean;
}

/** `rows` begin with the newest. `isAll` tells whether `rows` has the oldest row too. */
export interface OfferChanges {
  readonly rows: readonly { readonly at: string; readonly changes: readonly ObservationChange[] }[];
  readonly isAll: boolean;
  /** The time of the question. */
  readonly now: Date;
  /** Reads a whole value by its digest. */
  whole(digest: string): Promise<Json | undefined>;
  /** Of too many offers, those that are wanted are compared. */
  isWanted(offer: Offer): boolean;
}

type Stated = Pick<StoredObservation, 'value' | 'value_digest' | 'outcome'>;

/** At most this many offers of one state are compared, and of older states only those of the summary. */
const mostCompared = 1000;
const mostWhole = 5;

async function readOffers(
  { value: stored, value_digest = '', outcome }: Stated,
  { whole, isWanted }: OfferChanges,
  age: number,
) {
  const { data } = outcome === 'seen' ? offersSummary.safeParse(stored) : {};
  if (!data) return { value: undefined, isPart: false, hidesPayees: false, isAnother: false };
  const read = age < mostWhole && !allIn(data) ? await whole(value_digest) : undefined;
  const all = allIn(data) ?? (read as unknown as StatedOffers | undefined)?.offers;
  const ranked = all && all.length > mostCompared ? [...new Set([...all.filter(isWanted), ...all])] : all;
  const value = ranked?.slice(0, mostCompared) ?? data.offers;
  const isShort = value.length < data.count;
  return {
    value,
    isPart: isShort || data.unreadable !== undefined,
    hidesPayees: isShort || value.some(hidesPayees),
    isAnother: isAnotherEachTime(data),
  };
}

/** Begins with the newest. */
async function toSightings(fact: StoredObservation, changes: OfferChanges): Promise<OfferSighting[]> {
  const { first_seen_at: from, observed_at: until } = fact;
  const now = { ...(await readOffers(fact, changes, 0)), from, until, checks: fact.checks, isNow: true };
  const past = changes.rows.flatMap(({ at: ended, changes: all }) =>
    all
      .filter(({ kind, subject }) => kind === fact.kind && subject === fact.subject)
      .map(({ before }) => ({ ended, before })),
  );
  const before = past.map(async ({ before: was, ended }, index): Promise<OfferSighting[]> => {
    const when = { from: past[index + 1]?.ended, until: was?.seen_until ?? '', ended, isNow: false };
    return was ? [{ ...(await readOffers(was, changes, index + 1)), ...when }] : [];
  });
  return [now, ...(await Promise.all(before)).flat()];
}

/** What Dossier saw at one place. `quotes` begin with the newest. */
export interface SeenOffers {
  readonly now: Date;
  readonly endpoint: string | undefined;
  /** If there is no endpoint, this has no quotes; default `address`. */
  readonly unseen?: 'address' | 'listing' | undefined;
  readonly quotes: readonly OfferSighting[];
  /** The time since which all quotes are known; absent if they are known since the first check. */
  readonly since?: string;
}

export interface SeenPlace extends SeenOffers {
  readonly fact: StoredObservation;
  readonly place: PlaceName;
}

/** All places at which Dossier looked for the offers of the endpoints. */
export function toSeenPlaces(
  facts: readonly StoredObservation[],
  endpoints: readonly string[],
  changes: OfferChanges,
): Promise<SeenPlace[]> {
  const oldest = changes.rows.at(-1)?.at;
  const places = (factsOf(priceOffers, facts) as StoredObservation[]).map(
    async (fact): Promise<SeenPlace> => {
      const { data } = offersSummary.safeParse(fact.value);
      return {
        fact,
        place: isQuote(fact) ? 'quote' : (data?.place ?? 'capabilities'),
        now: changes.now,
        endpoint: fact.recorded ?? fact.subject,
        quotes: await toSightings(fact, changes),
        ...(!changes.isAll && oldest !== undefined && { since: oldest }),
      };
    },
  );
  const isThere = ({ endpoint = '' }: SeenPlace) => endpoints.includes(endpoint);
  return Promise.all(places).then((all) => all.filter(isThere));
}
