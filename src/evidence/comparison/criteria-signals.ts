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

const answers = 'endpoint.answers';
const unchecked = 'Dossier has not checked whether the endpoint answers.';

/** What Dossier itself saw of the recorded endpoints. */
function observedAnswer(compared: ComparedListing): Finding {
  const looks = compared.listing.observations.filter(({ kind }) => kind === answers);
  const checked = looks.filter(({ state }) => state !== 'not_checked');
  const look = checked.find(({ value }) => value !== null) ?? checked[0] ?? looks[0];
  if (!look) return recordedFinding(compared, { result: 'unknown', fact: unchecked });
  const from = { source: look.source, as_of: look.observed_at.slice(0, 10) };
  if (look.state === 'not_checked') return { result: 'unknown', fact: unchecked, ...from };
  if (look.value !== null) return { result: 'met', fact: 'A recorded endpoint answered Dossier.', ...from };
  return look.state === 'unreachable'
    ? { result: 'not_met', fact: 'No recorded endpoint answered Dossier.', ...from }
    : { result: 'unknown', fact: 'A check of the endpoint gave no result.', ...from };
}

const endpointObservedAlive = plainCriterion(
  { evidence, label: 'Endpoint was observed to answer' },
  (compared) => {
    if (compared.listing.remotes.length === 0)
      return recordedFinding(compared, { result: 'not_met', fact: 'No remote endpoint is recorded.' });
    return observedAnswer(compared);
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
  endpoint_observed_alive: endpointObservedAlive,
  publisher_listings_at_most: publisherListingsAtMost,
} as const satisfies Record<string, Criterion>;
