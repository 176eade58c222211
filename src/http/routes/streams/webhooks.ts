import { Hono } from 'hono';
import { findOwned, toShownWebhook } from '../../../webhooks/owned.ts';
import { registerWebhook, registrationLimit_bytes } from '../../../webhooks/register.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { readJson } from '../../request/body.ts';
import { answerOnce } from '../../response/answers.ts';

/** What a GET of the endpoint says. */
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

/** Webhooks over HTTP: register, look at one's own, end it (docs/webhooks.md). */
export const createWebhookRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/api/webhooks', (c) => c.text(toHowTo(face)))
    .post('/api/webhooks', register)
    .get('/api/webhooks/:id', async (c) => answerOnce(c, toShownWebhook(await owned(c))))
    .delete('/api/webhooks/:id', remove);
