import type { EndpointLook } from '../../observation/endpoint-look.ts';
import type { ObservationState } from '../../observation/observation.ts';

const reasons: Readonly<Record<number, { state: ObservationState; reason: string }>> = {
  401: {
    state: 'auth_first',
    reason: 'The endpoint asks for credentials (HTTP 401) before it shows anything; Dossier sends none.',
  },
  402: {
    state: 'refused',
    reason: 'The endpoint asks for a payment (HTTP 402) before it shows anything; Dossier never pays.',
  },
  403: { state: 'refused', reason: 'The endpoint refused Dossier (HTTP 403).' },
};

/** Why an endpoint that answered showed nothing, by its last status: 401, 402 or 403; undefined for any other. */
export function withholding({ responses }: EndpointLook) {
  const held = responses.find(({ status }) => reasons[status] !== undefined);
  return held && reasons[held.status];
}
