import { ownerTexts } from '../namespace.ts';
import { counted } from '../text/plural.ts';
import {
  type ComparedListing,
  type Criterion,
  decided,
  type Finding,
  numberCriterion,
  plainCriterion,
  recordedFinding,
  signalOf,
} from './criterion.ts';

const evidence = 'imported';

/** A finding with the source and date of an imported signal; with those of the record if there is no such signal. */
function signalFinding(
  compared: ComparedListing,
  kind: string,
  found: Pick<Finding, 'result' | 'fact'>,
): Finding {
  const signal = signalOf(compared, kind);
  if (!signal) return recordedFinding(compared, found);
  return { ...found, source: signal.source, as_of: signal.observed_at.slice(0, 10) };
}

const sameOwner = 'namespace.matches_repository_owner';
const namespaceMatches = plainCriterion(
  { evidence, label: 'Namespace and repository have the same owner' },
  (compared) => {
    const signal = signalOf(compared, sameOwner);
    if (signal?.state !== 'observed')
      return signalFinding(compared, sameOwner, { result: 'unknown', fact: ownerTexts.not_comparable });
    const holds = signal.value === true;
    const fact = holds ? ownerTexts.yes : ownerTexts.no;
    return signalFinding(compared, sameOwner, { result: decided(holds), fact });
  },
);

const concentration = 'publisher.listings';
const publisherListingsAtMost = numberCriterion(
  { evidence, label: 'Publisher has at most {} listing(s)', max: 100_000 },
  (compared, most) => {
    const count = signalOf(compared, concentration)?.value;
    if (typeof count !== 'number')
      return signalFinding(compared, concentration, {
        result: 'unknown',
        fact: 'The listings of this publisher were not counted.',
      });
    const fact = `${counted(count, 'listing')} of this namespace ${count === 1 ? 'is' : 'are'} stored here, this one included.`;
    return signalFinding(compared, concentration, { result: decided(count <= most), fact });
  },
);

/** Criteria judged by imported signals, each with its source and date; never by ratings. */
export const signalCriteria = {
  namespace_matches_repository_owner: namespaceMatches,
  publisher_listings_at_most: publisherListingsAtMost,
} as const satisfies Record<string, Criterion>;
