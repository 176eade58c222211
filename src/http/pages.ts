import { Hono } from 'hono';
import { toShortListing } from '../evidence/short-listing.ts';
import { Problem } from '../problem.ts';
import { tools } from '../tools/index.ts';
import { listTags } from '../tools/list-tags.ts';
import { searchAgents } from '../tools/search-agents.ts';
import { toAboutPage } from '../views/about-page.ts';
import { toHomePage } from '../views/home-page.ts';
import { toSearchPage, toTagPage } from '../views/search-page.ts';
import { toTagsPage } from '../views/tags-page.ts';
import { toToolsPage } from '../views/tools-page.ts';
import { answerPage, once } from './answers.ts';
import { call } from './call.ts';
import type { Face, HttpEnvironment, Request } from './environment.ts';

const shownAtHome = 5;
const tagsAtHome = 24;
const quarantinedShown = 20;

async function importsOf(c: Request) {
  const { imports, listings } = c.get('context').store;
  return { ...(await imports.last()), listings: await listings.count() };
}

const showHome = async (c: Request, { site }: Face) => {
  const { listings } = c.get('context').store;
  const newest = await listings.newest('published_at', shownAtHome);
  const updated = await listings.newest('updated_at', shownAtHome);
  const { tags } = await call(c, listTags, {});
  return answerPage(
    c,
    toHomePage(site, {
      tags: tags.slice(0, tagsAtHome),
      newest: newest.map((row) => toShortListing(row)),
      updated: updated.map((row) => toShortListing(row)),
      imports: await importsOf(c),
    }),
  );
};

const plainNames = ['transport', 'package', 'state', 'cursor'] as const;
const flagNames = ['has_endpoint', 'has_native_ratings'] as const;

/** The input of search_agents that an address holds; parameters the search does not know are passed over. */
function toSearchInput(address: URLSearchParams): Record<string, unknown> {
  const tags = address.getAll('tag').filter(Boolean);
  const plain = plainNames.flatMap((name) => (address.get(name) ? [[name, address.get(name)]] : []));
  const flags = flagNames.flatMap((name) => (address.get(name) === 'true' ? [[name, true]] : []));
  return {
    ...(address.get('q') && { query: address.get('q') }),
    ...(tags.length > 0 && { tags }),
    ...Object.fromEntries([...plain, ...flags]),
  };
}

const addressNames: ReadonlySet<string> = new Set(['q', 'tag', ...plainNames, ...flagNames]);

/** The part of an address that the search knows; `query`, as the tool calls it, is `q` here. */
const toSearchAddress = (address: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    [...address]
      .map(([name, value]): [string, string] => [name === 'query' ? 'q' : name, value])
      .filter(([name, value]) => addressNames.has(name) && value !== ''),
  );

const showSearch = async (c: Request, { site }: Face) => {
  const address = toSearchAddress(new URL(c.req.url).searchParams);
  return answerPage(c, toSearchPage(site, await call(c, searchAgents, toSearchInput(address)), address));
};

const showTag = async (c: Request, { site }: Face) => {
  const tag = c.req.param('tag') ?? '';
  const answer = await call(c, searchAgents, { tags: [tag] }).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'invalid_input' ? new Problem('not_found') : error;
  });
  if (answer.total.count === 0) throw new Problem('not_found', { detail: 'No listing has this tag.' });
  return answerPage(c, toTagPage(site, tag, answer));
};

const showTags = async (c: Request, { site }: Face) =>
  answerPage(c, toTagsPage(site, (await call(c, listTags, {})).tags));

const showAbout = async (c: Request, { site }: Face) => {
  const { imports } = c.get('context').store;
  const quarantined = await imports.quarantined(quarantinedShown);
  const reasons = await imports.quarantineReasons();
  return answerPage(c, toAboutPage(site, { imports: await importsOf(c), reasons, quarantined }));
};

/** The pages that are about no single listing. */
export function createPageRoutes(face: Face) {
  const toolsPage = once(() => String(toToolsPage(face.site, tools)));
  return new Hono<HttpEnvironment>()
    .get('/', (c) => showHome(c, face))
    .get('/agents', (c) => showSearch(c, face))
    .get('/tags', (c) => showTags(c, face))
    .get('/tags/:tag', (c) => showTag(c, face))
    .get('/tools', (c) => answerPage(c, toolsPage()))
    .get('/about', (c) => showAbout(c, face));
}
