import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { wrongField } from '../../core/problem.ts';
import { untoldNews } from '../../document/answers/for-publisher.ts';
import { withEvents } from '../../document/answers/history-events.ts';
import { endOfDay } from '../../document/record.ts';
import { beginning, readAfter } from '../../listings/changes.ts';
import { readExampleHandles, withExamples } from '../../listings/publishers.ts';
import { isChangeId } from '../../log/change.ts';
import { requireSelection } from '../../selections/members.ts';
import { type ChangeSubject, readNewest } from '../../tools/find/changes.ts';
import { isDay } from '../../tools/find/listing.ts';
import { toAtomFeed, toJsonFeed } from '../../views/feed.ts';
import {
  findOwned,
  registerWebhook,
  registrationLimit_bytes,
  removeOwned,
  toShownWebhook,
} from '../../webhooks/register.ts';
import { messageLife } from '../../webhooks/webhook.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { readJson } from '../request.ts';
import { answerOnce, answerWithETag } from '../response.ts';

const page = 1000;

function readPeriod({ since = beginning, until }: Readonly<Record<string, string>>) {
  const of = 'a day, such as 2026-11-03';
  if (since !== beginning && !isChangeId(since) && !isDay(since))
    throw wrongField('since', `must be 0, the id of the last change that you have, or ${of}`);
  if (until !== undefined && !isDay(until)) throw wrongField('until', `must be ${of}`);
  return { since, end: until === undefined ? '9' : endOfDay(until) };
}

async function answerLines(c: Request): Promise<Response> {
  const { since, end } = readPeriod(c.req.query());
  const changes = (await readAfter(since, page, c.get('context'))).filter(({ at }) => at <= end);
  c.header('Dossier-Next-Since', changes.at(-1)?.id ?? since);
  const body = changes.map((change) => `${JSON.stringify(change)}\n`).join('');
  return answerWithETag(c, { type: 'application/jsonl; charset=utf-8', body });
}

const formats = {
  atom: { type: 'application/atom+xml; charset=utf-8', write: toAtomFeed },
  json: { type: 'application/feed+json; charset=utf-8', write: toJsonFeed },
};

const answerFeed = (format: keyof typeof formats, kind: ChangeSubject['kind']) => async (c: Request) => {
  const context = c.get('context');
  const { namespace, name, tag } = c.req.param() as Readonly<Record<string, string | undefined>>;
  const view = kind === 'view' ? requireSelection(c.req.param('view') ?? '', context) : undefined;
  const value = view?.name ?? tag ?? [namespace, name].filter(Boolean).join('/');
  const title = view?.title ?? (kind === 'all' ? 'All changes' : `${kind === 'tag' ? 'Tag ' : ''}${value}`);
  const path = c.req.path.replace(/\/feed\.\w+$/, '') || '/';
  const changes = await withEvents(await readNewest({ kind, value }, context), context);
  const { type, write } = formats[format];
  const body = write(context.config, { title, path, now: context.clock(), changes });
  return answerWithETag(c, { type, body, cachePolicy: { cacheTags: 'all' } });
};

const toHowTo = ({
  publicUrl,
  ...config
}: Context['config']) => `A webhook sends changes as POST requests to an address of yours.

${publicUrl}/changes lists the same changes. Pages with feeds have them at feed.atom and feed.json.

1. Let your https address answer a POST of the type webhook.challenge with status 200 and {"challenge": "<the same text>"}.
2. curl -s ${publicUrl}/api/webhooks -H 'Content-Type: application/json' -d '{"url": "https://you.example/hook", "handle": "co.webhook/webhook"}'
   handle, publisher, tag or view says what it is about. Without any of them, it is about every change.
   The answer has the id and the secret, which is never shown again. A secret of your own (whsec_...) can be sent as "secret".
3. Check webhook-id, webhook-timestamp and webhook-signature of each POST with a library of Standard Webhooks 1.0
   (https://www.standardwebhooks.com), and answer with a status of 200 to 299 within 15 seconds. A status of 410 ends the webhook.
4. Show its state: curl -s ${publicUrl}/api/webhooks/<id> -H 'Authorization: Bearer whsec_...' (-X DELETE ends it)

${messageLife}
What was given up, or changed before a new registration, is in the stream: read ${publicUrl}/changes?since=<id of the last
change that you have>. "position" of step 4 is the seq up to which each change was accepted, waits to be sent again or was given up.

A change may be sent more than once: ignore a message whose webhook-id you have already received. The changes of one listing are sent in their order.
${untoldNews(config).join('')}
`;

const secretOf = (c: Request) => (c.req.header('authorization') ?? '').replace(/^bearer +/i, '');

const owned = (c: Request) => findOwned(c.req.param('id') ?? '', secretOf(c), c.get('context'));

async function register(c: Request): Promise<Response> {
  const webhook = await registerWebhook(
    await readJson(c, { bodyLimit_bytes: registrationLimit_bytes }),
    c.get('context'),
  );
  return answerOnce(c, { ...toShownWebhook(webhook), secret: webhook.secret });
}

/** docs/changes.md */
export const changeRoutes = new Hono<HttpEnvironment>()
  .get('/changes', answerLines)
  .get('/api/webhooks', async (c) => {
    const context = c.get('context');
    return c.text(withExamples(toHowTo(context.config), await readExampleHandles(context)));
  })
  .post('/api/webhooks', register)
  .get('/api/webhooks/:id', async (c) => answerOnce(c, toShownWebhook(await owned(c))))
  .delete('/api/webhooks/:id', async (c) => {
    const id = c.req.param('id');
    await removeOwned(id, secretOf(c), c.get('context'));
    return answerOnce(c, { id, state: 'removed' });
  });
for (const format of ['atom', 'json'] as const)
  changeRoutes
    .get(`/feed.${format}`, answerFeed(format, 'all'))
    .get(`/agents/:namespace/:name/feed.${format}`, answerFeed(format, 'handle'))
    .get(`/publishers/:namespace/feed.${format}`, answerFeed(format, 'publisher'))
    .get(`/tags/:tag/feed.${format}`, answerFeed(format, 'tag'))
    .get(`/views/:view/feed.${format}`, answerFeed(format, 'view'));
