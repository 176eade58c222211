import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { changedEndpoints, withTexts } from '../../evidence/kinds/tools/history-texts.ts';
import { toListingChanges } from '../../evidence/observation/listing-history.ts';
import { getListing } from '../../tools/get-agent.ts';
import { toHistoryPage } from '../../views/history/history-page.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { handleOf, orRedirect } from '../request/listing-path.ts';
import { answerJson, answerPage } from '../response/answers.ts';

/** Looks that a page shows. */
const mostLooks = 100;

/** The changes of a listing, newest first, of one kind if it is named; those of tools with the texts that differ. */
async function readChanges(handle: string, kind: string | undefined, { store }: Context) {
  const looks = await store.observations.history(handle, { limit: mostLooks });
  const changes = toListingChanges(looks, kind);
  const endpoints = changedEndpoints(changes);
  const sets = await Promise.all(endpoints.map((endpoint) => store.observations.surfaces(handle, endpoint)));
  return withTexts(changes, new Map(endpoints.map((endpoint, at) => [endpoint, sets[at] ?? []])));
}

/** The changes of a listing: as page, or as JSON, there of one kind if `kind` names it. */
const show = (c: Request, { site }: Face, ending: string) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const context = c.get('context');
    const listing = await getListing(handle, context);
    const changes = await readChanges(handle, ending ? c.req.query('kind') : undefined, context);
    const cachePolicy = { cacheTags: [handle] };
    if (!ending) return answerPage(c, toHistoryPage(site, listing, changes), cachePolicy);
    const claim = listing.claim?.history ?? listing.history ?? [];
    return answerJson(c, { handle, changes, claim }, cachePolicy);
  });
};

/** The page of what changed about a listing. */
export const createListingHistoryRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name/history', (c) => show(c, face, ''))
    .get('/agents/:namespace/:name/history.json', (c) => show(c, face, '.json'));
