import {
  type ComparedListing,
  type Criterion,
  type Finding,
  observedFinding,
  plainCriterion,
  recordedFinding,
  unseenFinding,
} from './criterion.ts';

const unchecked = 'Dossier has not checked whether the endpoint answers';

/** Met if one of the recorded endpoints answered. */
function ofAnswers(compared: ComparedListing): Finding {
  const looks = compared.listing.observations.filter(({ kind }) => kind === 'endpoint.answers');
  const checked = looks.filter(({ state }) => state !== 'not_checked');
  const look = checked.find(({ value }) => value !== null) ?? checked[0];
  if (!look) return unseenFinding(compared, unchecked, looks[0]);
  if (look.value !== null)
    return observedFinding(look, { result: 'met', fact: 'A recorded endpoint answered Dossier.' });
  return look.state === 'unreachable'
    ? observedFinding(look, { result: 'not_met', fact: 'No recorded endpoint answered Dossier.' })
    : observedFinding(look, { result: 'unknown', fact: 'A check of the endpoint gave no result.' });
}

const endpointObservedAlive = plainCriterion(
  { evidence: 'observed', label: 'Endpoint was observed to answer' },
  (compared) =>
    compared.listing.remotes.length === 0
      ? recordedFinding(compared, { result: 'not_met', fact: 'No remote endpoint is recorded.' })
      : ofAnswers(compared),
);

/** Criteria judged by whether the recorded endpoints answered Dossier. */
export const endpointCriteria = {
  endpoint_observed_alive: endpointObservedAlive,
} as const satisfies Record<string, Criterion>;
