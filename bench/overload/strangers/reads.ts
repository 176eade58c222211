import { post, send, type Target } from './calls.ts';
import { alternating, repeating } from './changing.ts';
import { heavyHandles, manyVersions } from './listings.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const neighbours = upTo(16).map((at) => `203.0.113.${at}`);

const get = (path: string) => ({ method: 'GET' as const, path, headers: { 'accept-encoding': 'gzip, br' } });

/** Pages and documents that grow with the directory, from one /24 within its limits. */
export const readLargePages = (target: Target): Promise<string> =>
  send(target, {
    requests: upTo(40).flatMap((at) => [
      get(at % 2 === 0 ? '/sitemap.xml' : `/sitemap.xml?${at}`),
      get(`/v0.1/servers?limit=100&search=${'aeiou'[at % 5]}`),
      get(`/agents?shown=200&x=${at}`),
      get(`/tags?x=${at}`),
    ]),
    networks: neighbours,
    atOnce: 100,
    perSecond: 60,
  });

/** Each with another beginning, so that no answer is in a cache. */
export const readHistory = (target: Target): Promise<string> =>
  send(target, {
    requests: upTo(200).flatMap((at) => [
      post('/api/tools/get_history', { handle: alternating, since: `2026-01-01T00:00:00.${100 + at}Z` }),
      post('/api/tools/get_history', {
        handle: repeating,
        kind: 'tools',
        since: `2026-01-01T00:00:00.${100 + at}Z`,
      }),
      get(`/agents/${alternating}/history?since=2026-01-01T00:00:00.${100 + at}Z`),
      get(`/agents/${alternating}/tools?x=${at}`),
    ]),
    networks: neighbours,
    atOnce: 60,
    perSecond: 20,
  });

/** A listing of 10,000 versions, and its neighbours. */
export const readVersions = (target: Target): Promise<string> =>
  send(target, {
    requests: upTo(100).flatMap((at) => [
      get(`/agents/${manyVersions}/versions?x=${at}`),
      get(`/v0.1/servers/${encodeURIComponent(manyVersions)}/versions?cursor=${at}`),
      get(`/v0.1/servers/${encodeURIComponent(manyVersions)}/versions/1.${at}.0`),
      get(`/agents/${manyVersions}.json?x=${at}`),
    ]),
    networks: neighbours,
    atOnce: 60,
    perSecond: 30,
  });

/** The heaviest records that an import accepts, by every way to read a listing or a list of them. */
export const readHeavyRecords = (target: Target): Promise<string> =>
  send(target, {
    requests: heavyHandles.flatMap((handle, at) => [
      post('/api/tools/get_agent', { handle }),
      post('/api/tools/get_agent', { handle, detail: 'full' }),
      post('/api/tools/resolve_agents', { handles: heavyHandles }),
      post('/api/tools/compare_agents', { handles: heavyHandles.slice(0, 8), criteria: ['has_endpoint'] }),
      post('/api/tools/check_offer', { handle, offer: { payTo: 'nobody', amount: `${at}` } }),
      get(`/badge/${handle}?x=${at}`),
      get(`/agents/${handle}?x=${at}`),
      get(`/agents/${handle}.md?x=${at}`),
      get(`/v0.1/servers?search=heavy&limit=100&x=${at}`),
      get(`/v0.1/servers/${encodeURIComponent(handle)}/versions?x=${at}`),
    ]),
    networks: neighbours,
    atOnce: 100,
    perSecond: 30,
  });

const letters = (seed: number): string =>
  upTo(40)
    .map((at) => String.fromCharCode(97 + ((seed * 7 + at * (seed % 11)) % 26)))
    .join('');

/** Lists of tags that nothing has, and other searches without words that match nothing. */
export const searchWithoutWords = (target: Target): Promise<string> =>
  send(target, {
    requests: upTo(200).flatMap((at) => [
      post('/api/tools/search_agents', { tags: upTo(5).map((tag) => letters(at * 5 + tag)) }),
      post('/api/tools/search_agents', { publisher: letters(at), facets: true }),
      post('/api/tools/search_agents', {
        answered: true,
        needs_secret: false,
        tags: [letters(at)],
        sort: 'updated',
      }),
      get(`/agents?tag=${letters(at)}`),
    ]),
    networks: neighbours,
    atOnce: 80,
    perSecond: 60,
  });
