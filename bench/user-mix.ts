import type { Sent } from './load.ts';
import { toCall, toLegacy, toModern } from './mcp-requests.ts';
import type { CheckedRequest } from './paced.ts';
import { createPicker, createRandom } from './random.ts';
import { toRating } from './rating-requests.ts';
import { toSearches } from './search-mix.ts';

/** What a hundred requests of users are. */
const mix = [
  ['get_agent', 70],
  ['search', 10],
  ['badge', 10],
  ['page', 8],
  ['submit_rating', 1.5],
  ['submit_feedback', 0.5],
] as const;

type Kind = (typeof mix)[number][0];

/** Below the limit of 2,000 a day for all callers together. */
const mostFeedback = 1500;

const json = { 'content-type': 'application/json' };

/**
 * A rating of a listing that shares a repository with its rater is refused with self_rating, which is correct
 * here.
 */
const isAnswer = (status: number, text: string) =>
  status === 200 ? !text.includes('"isError":true') : status === 422 && text.includes('"code":"self_rating"');

const post = (path: string, body: object, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
});

/** What users request: handles of listings, of which the first ones are claimed with the capabilities. */
export interface Users {
  readonly handles: readonly string[];
  readonly capabilities: readonly string[];
  readonly listings: number;
}

/**
 * Requests as users make them, without end: half of get_agent in each era, listings by how well known they
 * are (every second request is for one of the best known twentieth). Beyond the feedback that one day takes,
 * a rating is sent instead.
 */
export function createUserMix({ handles, capabilities, listings }: Users): () => CheckedRequest {
  const random = createRandom(11);
  const pickKind = createPicker(mix);
  const searches = toSearches(2000, listings);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const known = handles.slice(0, Math.ceil(handles.length / 20));
  const pickHandle = () => oneOf(random() < 0.5 ? known : handles);
  const rated = handles.slice(capabilities.length * 2);
  const make: Readonly<Record<Kind, () => Sent>> = {
    get_agent: () => (random() < 0.5 ? toLegacy : toModern)('tools/call', toCall(pickHandle())),
    search: () => post('/api/tools/search_agents', { query: oneOf(searches).words.join(' ') }),
    badge: () => ({ path: `/badge/${pickHandle()}.svg` }),
    page: () => ({ path: `/agents/${pickHandle()}`, headers: { 'accept-encoding': 'gzip, br' } }),
    submit_rating: () =>
      post('/api/tools/submit_rating', toRating(oneOf(rated)), {
        authorization: `Bearer ${oneOf(capabilities)}`,
      }),
    submit_feedback: () =>
      post('/api/feedback', { message: 'The description is out of date.', category: 'data' }),
  };
  let feedbacks = 0;
  return () => {
    const picked = pickKind(random);
    const kind = picked === 'submit_feedback' && ++feedbacks > mostFeedback ? 'submit_rating' : picked;
    return { kind, request: make[kind](), isCorrect: isAnswer };
  };
}
