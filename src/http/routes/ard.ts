import { Hono } from 'hono';
import { exploreEntries, retrieveEntry, searchEntries } from '../../tools/find/ard.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { openToAll } from '../cors.ts';
import type { RequestTurns } from '../limits.ts';
import { readJson } from '../request.ts';
import { answerJson, answerOnce } from '../response.ts';

const answerPost =
  (work: typeof searchEntries | typeof exploreEntries, inTurn: RequestTurns) => async (c: Request) => {
    const sent = await readJson(c);
    return answerOnce(c, await inTurn<object>(c, () => work(sent, c.get('context'), c.req.raw.signal)));
  };

/** The registry of Agentic Resource Discovery over our listings (docs/registry.md). */
export const createArdRoutes = (inTurn: RequestTurns) =>
  new Hono<HttpEnvironment>()
    .use('/ard/*', openToAll('GET, POST, OPTIONS'))
    .post('/ard/search', answerPost(searchEntries, inTurn))
    .post('/ard/explore', answerPost(exploreEntries, inTurn))
    .get('/ard/agents/:identifier', async (c) => {
      const { handle, entry } = await retrieveEntry(c.req.param('identifier'), c.get('context'));
      return answerJson(c, entry, { cacheTags: [handle] });
    });
