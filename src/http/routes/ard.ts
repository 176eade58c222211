import { Hono } from 'hono';
import { retrieveEntry, searchEntries } from '../../tools/find/ard.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { openToAll } from '../cors.ts';
import type { RequestTurns } from '../limits.ts';
import { readJson } from '../request.ts';
import { answerJson, answerOnce } from '../response.ts';

async function answerSearch(c: Request, inTurn: RequestTurns): Promise<Response> {
  const sent = await readJson(c);
  return answerOnce(
    c,
    await inTurn<object>(c, () => searchEntries(sent, c.get('context'), c.req.raw.signal)),
  );
}

/** ARD (7.3) names this status. */
const noExplore = {
  errorCode: 'NOT_IMPLEMENTED',
  message: 'This registry does not count entries. The tool search_agents counts what it finds by facet.',
};

/** docs/registry.md */
export const createArdRoutes = (inTurn: RequestTurns) =>
  new Hono<HttpEnvironment>()
    .use('/ard/*', openToAll('GET, POST, OPTIONS'))
    .post('/ard/search', (c) => answerSearch(c, inTurn))
    .post('/ard/explore', (c) => c.json(noExplore, 501))
    .get('/ard/agents/:identifier', async (c) => {
      const { handle, entry } = await retrieveEntry(c.req.param('identifier'), c.get('context'));
      return answerJson(c, entry, { cacheTags: [handle] });
    });
