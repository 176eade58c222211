import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import type { Change } from '../../evidence/change.ts';
import { readStatus } from '../../resources/status.ts';
import { listTags } from '../../tools/list-tags.ts';
import { toHomePage } from '../../views/pages/home-page.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment } from '../environment.ts';
import { answerPage } from '../response/answers.ts';
import { statusPolicy } from './about.ts';

/** Changes read for the first page, which shows those of a few listings. */
const newestChanges = 60;

/** The newest changes of listings that are not withdrawn. */
async function readChanges({ store: { changes, listings } }: Context): Promise<Change[]> {
  const newest = await changes.newest(newestChanges);
  const found = await listings.byHandles([...new Set(newest.map(({ handle }) => handle))]);
  const shown = new Set(found.filter(({ withdrawn }) => !withdrawn).map(({ handle }) => handle));
  return newest.filter(({ handle }) => shown.has(handle));
}

/** The first page: agent://status, list_tags and the newest changes. */
export const createHomeRoutes = ({ site }: Face) =>
  new Hono<HttpEnvironment>().get('/', async (c) => {
    const status = await readStatus(c.get('context'));
    const { tags } = await call(c, listTags, {});
    return answerPage(
      c,
      toHomePage(site, { tags, status, changes: await readChanges(c.get('context')) }),
      statusPolicy,
    );
  });
