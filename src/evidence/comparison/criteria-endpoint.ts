import type { Observation } from '../observation/observation.ts';
import {
  absentFinding,
  type ComparedListing,
  type Criterion,
  type Finding,
  observedFinding,
  plainCriterion,
  unseenFinding,
} from './criterion.ts';

/** An endpoint that the record names, looked at or not. */
export interface RecordedEndpoint {
  /** What was observed of it; undefined if that was not looked for. */
  factOf(kind: string): Observation | undefined;
}

/** Every endpoint that the record names, each address once. */
export const endpointsOf = ({ listing }: ComparedListing): RecordedEndpoint[] =>
  [...new Set(listing.remotes.map(({ url }) => url))].map((url) => ({
    factOf: (kind) => listing.observations.find((one) => one.kind === kind && one.subject === url),
  }));

/** The finding about endpoints where the record names none: a service that is run as a package cannot be reached. */
export const notForPackages = (compared: ComparedListing): Finding =>
  absentFinding(compared, 'endpoint', {
    result: 'not_applicable',
    fact: 'No remote endpoint is recorded.',
  });

/** What keeps Dossier from saying that an endpoint asks for no payment: undefined once it introduced itself without one. */
export function unseenPriceOf({ factOf }: RecordedEndpoint): Observation | 'nothing' | undefined {
  const [challenge, tools] = [factOf('price.challenge'), factOf('price.tool')];
  if (challenge?.state !== 'no_price_seen') return challenge ?? 'nothing';
  return tools && !['no_price_seen', 'not_found'].includes(tools.state) ? tools : undefined;
}

/** An endpoint answers if it introduces itself, or asks to sign in or to pay (evidence/kinds/endpoint/answers.ts). */
function judgeOne(compared: ComparedListing, { factOf }: RecordedEndpoint): Finding {
  const check = factOf('endpoint.answers');
  if (check?.state === 'observed')
    return observedFinding(check, {
      result: 'met',
      fact: 'A recorded endpoint introduced itself to Dossier, or asked it to sign in or to pay.',
    });
  if (check?.state !== 'unreachable' && check?.state !== 'not_found')
    return unseenFinding(compared, 'Dossier has not seen whether the endpoint answers', check);
  const fact = 'The endpoint neither introduced itself to Dossier nor asked it to sign in or to pay.';
  return observedFinding(check, { result: 'not_met', fact });
}

const best = ['met', 'unknown', 'not_met'] as const;

const endpointObservedAlive = plainCriterion(
  { evidence: 'observed', label: 'Endpoint was observed to answer' },
  (compared) => {
    const found = endpointsOf(compared).map((endpoint) => judgeOne(compared, endpoint));
    const shown = best.flatMap((wanted) => found.find(({ result }) => result === wanted) ?? []);
    return shown[0] ?? notForPackages(compared);
  },
);

/** Criteria judged by whether the recorded endpoints answered Dossier. */
export const endpointCriteria = {
  endpoint_observed_alive: endpointObservedAlive,
} as const satisfies Record<string, Criterion>;
