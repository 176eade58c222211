import type { Sent } from './load.ts';

let interactions = 0;

/** A valid rating of a new interaction. */
export const toRating = (handle: string) => ({
  handle,
  interaction_id: `bench-${process.pid}-${interactions++}`,
  interaction_at: new Date().toISOString(),
  outcome: 'succeeded',
  protocol: 'mcp',
  relationship: 'customer',
  score: 4,
  latency_ms: 230,
  comment: 'Answered as its description says, twice out of two calls.',
});

/** A request that rates a listing with a capability, each time for a new interaction. */
export function toRatingRequest(capability: string, handle: string): Sent {
  const request: Sent = {
    method: 'POST',
    path: '/api/tools/submit_rating',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${capability}` },
    body: JSON.stringify(toRating(handle)),
  };
  return { ...request, setupRequest: (sent) => ({ ...sent, body: JSON.stringify(toRating(handle)) }) };
}
