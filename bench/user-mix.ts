import type { Sent } from './load.ts';
import { inNewEra, inOldEra, toCall } from './mcp-requests.ts';
import type { Asked } from './paced.ts';
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

/** The service takes 2,000 a day from everybody together. */
const mostFeedback = 1500;

const json = { 'content-type': 'application/json' };

/** Some made-up listings share a repository with their rater, who is then told so. */
const isAnswer = (status: number, text: string) =>
  status === 200 ? !text.includes('"isError":true') : status === 422 && text.includes('"code":"self_rating"');

const post = (path: string, body: object, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
});

/** Who asks about what: handles of listings, the first ones claimed by the holders of the capabilities. */
export interface Users {
  readonly handles: readonly string[];
  readonly capabilities: readonly string[];
  readonly listings: number;
}

/**
 * Requests as users make them, without end: half of get_agent in each era, listings by how well known they are (every
 * second request is for one of the best known twentieth). Beyond the feedback that one day takes, a rating is sent instead.
 */
export function createUserMix({ handles, capabilities, listings }: Users): () => Asked {
  const random = createRandom(11);
  const pickKind = createPicker(mix);
  const searches = toSearches(2000, listings);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const known = handles.slice(0, Math.ceil(handles.length / 20));
  const pickHandle = () => oneOf(random() < 0.5 ? known : handles);
  const rated = handles.slice(capabilities.length * 2);
  const make: Readonly<Record<Kind, () => Sent>> = {
    get_agent: () => (random() < 0.5 ? inOldEra : inNewEra)('tools/call', toCall(pickHandle())),
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
    return { kind, request: make[kind](), isRight: isAnswer };
  };
}
