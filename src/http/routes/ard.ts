import { Hono } from 'hono';
import { exploreEntries, retrieveEntry, searchEntries } from '../../tools/ard.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { readJson } from '../request.ts';
import { answerJson, answerOnce } from '../response.ts';

const bodyLimit_bytes = 64 * 1024;

const answerPost = (work: typeof searchEntries | typeof exploreEntries) => async (c: Request) =>
  answerOnce(c, await work(await readJson(c, bodyLimit_bytes), c.get('context')));

/** The registry of Agentic Resource Discovery over our listings (docs/registry.md). */
export const createArdRoutes = () =>
  new Hono<HttpEnvironment>()
    .post('/ard/search', answerPost(searchEntries))
    .post('/ard/explore', answerPost(exploreEntries))
    .get('/ard/agents/:identifier', async (c) => {
      const { handle, entry } = await retrieveEntry(c.req.param('identifier'), c.get('context'));
      return answerJson(c, entry, { cacheTags: [handle] });
    });
