import type { CheckedRequest } from '../paced.ts';
import { toSearches } from '../search-mix.ts';

/** Searches as people make them, each another one, so that hardly any is answered from a cache. */
export function toRequests(listings: number): () => CheckedRequest {
  const searches = toSearches(20_000, listings);
  let at = 0;
  return () => {
    const { kind, words } = searches[at++ % searches.length] ?? { kind: 'server', words: ['server'] };
    const body = JSON.stringify({ query: words.join(' ') });
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', path: '/api/tools/search_agents', headers, body } as const;
    return { kind, request, isCorrect: (status) => status === 200 };
  };
}
