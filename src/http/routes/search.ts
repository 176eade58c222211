import { Hono } from 'hono';
import { isHandle } from '../../evidence/handle.ts';
import { Problem } from '../../problem.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import type { SearchAddress, SearchAnswer } from '../../views/search/search-links.ts';
import { toSearchPage, toWrongSearchPage } from '../../views/search/search-page.ts';
import { maxShown, pageSize } from '../../views/search/search-results.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { answerPage } from '../response/answers.ts';
import { wantsPage } from '../response/problems.ts';

/** The largest `limit` of search_agents. */
const maxPerCall = 50;

const plainNames = ['transport', 'package', 'state', 'sort', 'cursor'] as const;
const flagNames = ['has_endpoint', 'has_native_ratings'] as const;

/** The input of search_agents that an address holds. */
function toSearchInput(address: SearchAddress): Record<string, unknown> {
  const tags = address.getAll('tag');
  const plain = plainNames.flatMap((name) => (address.get(name) ? [[name, address.get(name)]] : []));
  const flags = flagNames.flatMap((name) => (address.get(name) === 'true' ? [[name, true]] : []));
  return {
    ...(address.get('q') && { query: address.get('q') }),
    ...(tags.length > 0 && { tags }),
    ...Object.fromEntries([...plain, ...flags]),
  };
}

const textNames: ReadonlySet<string> = new Set(['q', 'tag', ...plainNames]);
const flagSet: ReadonlySet<string> = new Set(flagNames);

/** Whether a query parameter is valid; others are ignored. */
function isKnown(name: string, value: string): boolean {
  if (name === 'handle') return isHandle(value);
  if (name === 'from' || name === 'shown') return /^[1-9]\d{0,6}$/.test(value);
  return flagSet.has(name) ? value === 'true' : textNames.has(name) && value !== '';
}

/** One more than a search accepts, so that its error is shown; links with any number of tags would be endless. */
const maxTags = 6;
/** As many as a comparison takes, and one more, so that its error is shown. */
const maxHandles = 9;
/** Parameters that an address may have several times. */
const most: Readonly<Record<string, number>> = { tag: maxTags, handle: maxHandles };

/** The valid part of an address, without duplicates; `query`, the tool's name for it, becomes `q`. */
function toSearchAddress(address: URLSearchParams): SearchAddress {
  const known = new URLSearchParams();
  for (const [given, value] of address) {
    const name = given === 'query' ? 'q' : given;
    if (!isKnown(name, value) || known.has(name, value)) continue;
    if (known.getAll(name).length === most[name]) continue;
    if (most[name]) known.append(name, value);
    else known.set(name, value);
  }
  return known;
}

/** As many listings as the address shows (one page by default), by as many calls as needed. */
async function search(c: Request, address: SearchAddress): Promise<SearchAnswer> {
  const input = toSearchInput(address);
  const shown = Math.min(Number(address.get('shown') ?? pageSize), maxShown);
  const answer = await call(c, searchAgents, { ...input, limit: Math.min(shown, maxPerCall) });
  let { next_cursor, ...found } = answer;
  while (next_cursor && found.listings.length < shown) {
    const limit = Math.min(shown - found.listings.length, maxPerCall);
    const next = await call(c, searchAgents, { ...input, cursor: next_cursor, limit });
    found = { ...found, listings: [...found.listings, ...next.listings] };
    next_cursor = next.next_cursor;
  }
  return { ...found, next_cursor };
}

const showSearch = async (c: Request, { site }: Face) => {
  const address = toSearchAddress(new URL(c.req.url).searchParams);
  try {
    const page = toSearchPage(site, { answer: await search(c, address), address });
    return answerPage(c, page, { cacheTags: 'all' });
  } catch (problem) {
    const isWrong = problem instanceof Problem && problem.code === 'invalid_input' && wantsPage(c);
    if (!isWrong) throw problem;
    return c.html(String(toWrongSearchPage(site, address, problem)), 422, { 'Cache-Control': 'no-store' });
  }
};

/** The search page with its filters: search_agents. */
export const createSearchRoutes = (face: Face) =>
  new Hono<HttpEnvironment>().get('/agents', (c) => showSearch(c, face));
