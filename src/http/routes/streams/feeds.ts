import { Hono } from 'hono';
import { type Change, takesTag } from '../../../evidence/change.ts';
import { isHandle } from '../../../evidence/handle.ts';
import { Problem } from '../../../problem.ts';
import { findListing } from '../../../tools/support/find-listing.ts';
import { refuseUnknownTag } from '../../../tools/support/near-tags.ts';
import { type FeedSubject, toFeed } from '../../../views/text/feed.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { answerWithETag } from '../../response/answers.ts';

const newest = 50;
/** A tag's feed is picked from this many of the newest changes. */
const newestForTags = 500;

type Format = 'atom' | 'json';
const types = { atom: 'application/atom+xml; charset=utf-8', json: 'application/feed+json; charset=utf-8' };

function answer(
  c: Request,
  { site }: Face,
  [subject, changes, format]: [Omit<FeedSubject, 'now'>, readonly Change[], Format],
) {
  const now = c.get('context').clock();
  const feed = toFeed(site.config, { ...subject, now }, changes);
  const body = format === 'atom' ? feed.atom1() : feed.json1();
  c.header('Access-Control-Allow-Origin', '*');
  return answerWithETag(c, { type: types[format], body, cachePolicy: { cacheTags: 'all' } });
}

const readAll = (c: Request) => c.get('context').store.changes.newest(newest);

async function ofAll(c: Request, face: Face, format: Format) {
  return answer(c, face, [{ title: 'All changes', path: '/' }, await readAll(c), format]);
}

async function ofListing(c: Request, face: Face, format: Format) {
  const context = c.get('context');
  const handle = `${c.req.param('namespace')}/${c.req.param('name')}`;
  if (!isHandle(handle)) throw new Problem('invalid_handle');
  // A withdrawn listing's feed says so; an unknown one has none.
  await findListing(handle, context).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === 'listing_withdrawn')) throw error;
  });
  const changes = await context.store.changes.newest(newest, { handle });
  return answer(c, face, [{ title: handle, path: `/agents/${handle}` }, changes, format]);
}

async function ofPublisher(c: Request, face: Face, format: Format) {
  const namespace = c.req.param('namespace') ?? '';
  const { store } = c.get('context');
  const [known] = await store.listings.completions('namespace', namespace, 1);
  if (known !== namespace) throw new Problem('not_found', { detail: 'No listing has this namespace.' });
  const changes = await store.changes.newest(newest, { namespace });
  return answer(c, face, [{ title: namespace, path: `/publishers/${namespace}` }, changes, format]);
}

async function ofTag(c: Request, face: Face, format: Format) {
  const tag = c.req.param('tag') ?? '';
  const { store } = c.get('context');
  await refuseUnknownTag(tag, store.listings);
  const changes = await store.changes.newest(newestForTags);
  const handles = [...new Set(changes.map(({ handle }) => handle))];
  const tagged = new Set(
    (await store.listings.byHandles(handles))
      .filter(({ tags }) => tags.some((one) => one.tag === tag))
      .map(({ handle }) => handle),
  );
  const picked = changes
    .filter((change) => tagged.has(change.handle) || takesTag(change, tag))
    .slice(0, newest);
  return answer(c, face, [{ title: `Tag ${tag}`, path: `/tags/${encodeURIComponent(tag)}` }, picked, format]);
}

/** Atom and JSON Feed of all changes, and of those of a listing, a publisher and a tag. */
export const createFeedRoutes = (face: Face) => {
  const routes = new Hono<HttpEnvironment>();
  for (const format of ['atom', 'json'] as const)
    routes
      .get(`/feed.${format}`, (c) => ofAll(c, face, format))
      .get(`/agents/:namespace/:name/feed.${format}`, (c) => ofListing(c, face, format))
      .get(`/publishers/:namespace/feed.${format}`, (c) => ofPublisher(c, face, format))
      .get(`/tags/:tag/feed.${format}`, (c) => ofTag(c, face, format));
  return routes;
};
