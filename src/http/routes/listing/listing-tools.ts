import { Hono } from 'hono';
import { readListedTools } from '../../../resources/listing-tools.ts';
import { toToolsPage } from '../../../views/observed/tools-page.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { handleOf, orRedirect } from '../../request/listing-path.ts';
import { answerJson, answerPage } from '../../response/answers.ts';

/** The tools of a listing as they were listed to this service, as page or JSON. */
const show = (c: Request, { site, context }: Face, ending: string) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const listed = await readListedTools(handle, context);
    const cachePolicy = { cacheTags: [handle] };
    return ending
      ? answerJson(c, listed, cachePolicy)
      : answerPage(c, toToolsPage(site, listed), cachePolicy);
  });
};

/** The page of a listing's tools. */
export const createListingToolsRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name/tools', (c) => show(c, face, ''))
    .get('/agents/:namespace/:name/tools.json', (c) => show(c, face, '.json'));
