import type { EndpointLook } from '../../observation/endpoint-look.ts';
import type { ObservationState } from '../../observation/observation.ts';
import { withholding } from '../endpoint/withholding.ts';

/** Statuses that a later look may not meet: too many requests, and errors of the server. */
const isPassing = (status: number) => status === 429 || status >= 500;

/** Why an endpoint that answered has no list of tools: it was not read to its end, it is withheld, or there is none. */
export function withoutList(endpoint: EndpointLook): {
  readonly value: null;
  readonly state: ObservationState;
  readonly reason: string;
} {
  const { unread, responses } = endpoint;
  if (unread) return { value: null, state: unread.result, reason: unread.reason };
  const held = withholding(endpoint);
  const failed = responses.find(({ status }) => isPassing(status));
  if (failed && !held) {
    const reason = `The endpoint answered with HTTP status ${failed.status} and no list of tools.`;
    return { value: null, state: 'unreachable', reason };
  }
  const reason = 'The endpoint sent no list of tools that Dossier could read.';
  return { value: null, state: 'not_found', reason, ...held };
}
