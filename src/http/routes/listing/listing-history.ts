import { Hono } from 'hono';
import type { Context } from '../../../context.ts';
import { changedEndpoints, withTexts } from '../../../evidence/kinds/tools/history-texts.ts';
import { toListingChanges } from '../../../evidence/observation/listing-history.ts';
import { getListing } from '../../../tools/get-agent.ts';
import { toHistoryPage } from '../../../views/history/history-page.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { handleOf, orRedirect } from '../../request/listing-path.ts';
import { answerJson, answerPage } from '../../response/answers.ts';

/** Looks that a page shows, and one answer of JSON. */
const mostLooks = 100;

/** Which changes: of one kind if it is named, older than a log index if it is given. */
interface Wanted {
  readonly kind?: string | undefined;
  readonly before?: number | undefined;
}

/** The `next_before` of the answer before; anything else asks for the newest. */
function toWanted(c: Request): Wanted {
  const { kind, before = '' } = c.req.query();
  return { kind, before: /^\d{1,15}$/.test(before) ? Number(before) : undefined };
}

/** Changes of a listing, newest first, those of tools with the texts that differ. */
async function readChanges(handle: string, { kind, before }: Wanted, { store }: Context) {
  const looks = await store.observations.history(handle, { before, limit: mostLooks });
  const changes = toListingChanges(looks, kind);
  const endpoints = changedEndpoints(changes);
  const sets = await Promise.all(endpoints.map((endpoint) => store.observations.surfaces(handle, endpoint)));
  const stored = new Map(endpoints.map((endpoint, at) => [endpoint, sets[at] ?? []]));
  const isMore = looks.length === mostLooks;
  return { changes: withTexts(changes, stored), ...(isMore && { next_before: looks.at(-1)?.log_index }) };
}

/** The changes of a listing: as page, or as JSON, there as `kind` and `before` ask. */
const show = (c: Request, { site }: Face, ending: string) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const context = c.get('context');
    const listing = await getListing(handle, context);
    const found = await readChanges(handle, ending ? toWanted(c) : {}, context);
    const cachePolicy = { cacheTags: [handle] };
    if (!ending) return answerPage(c, toHistoryPage(site, listing, found.changes), cachePolicy);
    const claim = listing.claim?.history ?? listing.history ?? [];
    return answerJson(c, { handle, ...found, claim }, cachePolicy);
  });
};

/** The page of what changed about a listing. */
export const createListingHistoryRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name/history', (c) => show(c, face, ''))
    .get('/agents/:namespace/:name/history.json', (c) => show(c, face, '.json'));
