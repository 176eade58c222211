import { Hono } from 'hono';
import { isHandle } from '../../core/handle.ts';
import { Problem } from '../../core/problem.ts';
import { type Change, isChangeId, takesTag } from '../../log/change.ts';
import { findListing, refuseUnknownTag } from '../../tools/find-listing.ts';
import { type FeedSubject, toFeed } from '../../views/feed.ts';
import {
  findOwned,
  registerWebhook,
  registrationLimit_bytes,
  toShownWebhook,
} from '../../webhooks/register.ts';
import type { Face, HttpEnvironment, Request } from '../call.ts';
import { readJson } from '../request.ts';
import { answerOnce, answerWithETag } from '../response.ts';

const page = 1000;
const beginning = '0';

/** Whether a text is what `since` may be. Throws invalid_input. */
function readSince(since: string): string {
  if (since === beginning || isChangeId(since)) return since;
  const message = 'is 0, or the id of the last change that you have';
  throw new Problem('invalid_input', { fields: [{ field: 'since', message }], detail: `since ${message}.` });
}

/** The changes after one. Throws position_gone if the stream does not have that change. */
async function readAfter(since: string, c: Request): Promise<readonly Change[]> {
  const { changes } = c.get('context').store;
  if (since === beginning) return changes.after(0, page);
  const [known, ...later] = await changes.after(Number.parseInt(since, 10) - 1, page + 1);
  if (known?.id !== since) throw new Problem('position_gone');
  return later;
}

/** One page of changes as JSON lines; a header repeats the id of the last one, after which the next page begins. */
async function answerLines(c: Request): Promise<Response> {
  const since = readSince(c.req.query('since') ?? beginning);
  const changes = await readAfter(since, c);
  c.header('Access-Control-Allow-Origin', '*');
  c.header('Dossier-Next-Since', changes.at(-1)?.id ?? since);
  const body = changes.map((change) => `${JSON.stringify(change)}\n`).join('');
  return answerWithETag(c, { type: 'application/jsonl; charset=utf-8', body });
}

/** The stream of changes as JSON lines (docs/changes.md). */
export const createChangeRoutes = () => new Hono<HttpEnvironment>().get('/changes', answerLines);

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

const toHowTo = ({ site: { config } }: Face) => `Webhooks: changes as POST requests to an address of yours.

${config.publicUrl}/changes lists the same changes, feed.atom and feed.json beside a page are its feeds.

1. Let your https address answer a POST of the type webhook.challenge with status 200 and {"challenge": "<the same text>"}.
2. curl -s ${config.publicUrl}/api/webhooks -H 'Content-Type: application/json' -d '{"url": "https://you.example/hook", "handle": "co.webhook/webhook"}'
   handle, publisher, tag or view says what it is about; none of them: every change.
   The answer has the id and the secret, which is never shown again. A secret of your own (whsec_...) can be sent as "secret".
3. Check webhook-id, webhook-timestamp and webhook-signature of each POST with a library of Standard Webhooks 1.0
   (https://www.standardwebhooks.com), and answer with a status of 200 to 299 within 15 seconds. 410 ends the webhook.
4. Its state: curl -s ${config.publicUrl}/api/webhooks/<id> -H 'Authorization: Bearer whsec_...'; with -X DELETE it ends.

A change is sent at least once, and those of one listing in their order: ignore a webhook-id that you had.
`;

const secretOf = (c: Request) => (c.req.header('authorization') ?? '').replace(/^bearer +/i, '');

const owned = (c: Request) => findOwned(c.req.param('id') ?? '', secretOf(c), c.get('context'));

async function register(c: Request): Promise<Response> {
  const webhook = await registerWebhook(await readJson(c, registrationLimit_bytes), c.get('context'));
  return answerOnce(c, { ...toShownWebhook(webhook), secret: webhook.secret });
}

async function remove(c: Request): Promise<Response> {
  const { id } = await owned(c);
  await c.get('context').store.write((tx) => tx.webhooks.remove(id));
  return answerOnce(c, { id, state: 'removed' });
}

/** Webhooks over HTTP: register, look at one's own, end it (docs/changes.md). */
export const createWebhookRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/api/webhooks', (c) => c.text(toHowTo(face)))
    .post('/api/webhooks', register)
    .get('/api/webhooks/:id', async (c) => answerOnce(c, toShownWebhook(await owned(c))))
    .delete('/api/webhooks/:id', remove);
