import { z } from 'zod';
import { changeTypes } from '../../evidence/change.ts';
import { toInputSchema, toOutputSchema } from '../../tools/support/json-schema.ts';
import { shownWebhook } from '../../webhooks/owned.ts';
import { registrationInput } from '../../webhooks/register.ts';
import { answer, json, text } from './openapi-parts.ts';

const timestamp = z.string().describe('RFC 3339 UTC');

const change = z.object({
  id: z.string().describe('Names this change: the since of /changes to go on from'),
  seq: z.int().describe('Position in the stream of changes'),
  type: z.enum(changeTypes),
  handle: z.string().describe('The listing whose evidence changed'),
  at: timestamp,
  data: z.looseObject({}).describe('The entry of the log, or the fields that changed'),
  timestamp,
});
const challenge = z.object({ type: z.literal('webhook.challenge'), timestamp, challenge: z.string() });
const registered = shownWebhook.extend({
  secret: z.string().describe('whsec_ and base64; never shown again'),
});
const removed = z.object({ id: z.string(), state: z.literal('removed') });

/** The documents of webhooks: what is sent, and what the operations answer. */
export const webhookSchemas = () => ({
  Change: toOutputSchema(change),
  WebhookChallenge: toOutputSchema(challenge),
  Webhook: toOutputSchema(shownWebhook),
  RegisteredWebhook: toOutputSchema(registered),
});

/** How the owner of a webhook shows that it is theirs. */
export const webhookSecret = {
  type: 'http',
  scheme: 'bearer',
  description: 'The secret of the webhook, whsec_...',
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const security = [{ webhookSecret: [] }];

/** Registering a webhook, looking at one's own, and ending it (docs/webhooks.md). */
export const webhookPaths = () => ({
  '/api/webhooks': {
    get: { operationId: 'webhooks_how_to', summary: 'How webhooks work', responses: text('text/plain') },
    post: {
      operationId: 'register_webhook',
      summary: 'Have changes posted to an address',
      description:
        'The address first gets a webhook.challenge and must answer it. handle, publisher, tag or view says what it is about; none of them: every change.',
      requestBody: {
        required: true,
        content: json(toInputSchema(registrationInput), {
          url: 'https://you.example/hook',
          handle: 'co.webhook/webhook',
        }),
      },
      responses: answer(ref('RegisteredWebhook')),
    },
  },
  '/api/webhooks/{id}': {
    parameters: [id],
    get: {
      operationId: 'get_webhook',
      summary: 'The state of a webhook',
      ...{ security, responses: answer(ref('Webhook')) },
    },
    delete: {
      operationId: 'remove_webhook',
      summary: 'End a webhook',
      ...{ security, responses: answer(toOutputSchema(removed)) },
    },
  },
});

const header = (name: string, description: string, pattern: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string', pattern },
});
/** Those of Standard Webhooks 1.0. */
const headers = [
  header('webhook-id', 'The same at every attempt: ignore one that you had', '^evt_'),
  header('webhook-timestamp', 'Of the attempt, in seconds since 1970', '^[0-9]+$'),
  header(
    'webhook-signature',
    'v1, and the HMAC-SHA256 of "<id>.<timestamp>.<body>" with the secret, in base64',
    '^v1,[A-Za-z0-9+/]{43}=$',
  ),
];

const message = (operationId: string, summary: string, schema: string) => ({
  ...{ operationId, summary, parameters: headers },
  requestBody: { required: true, content: json(ref(schema)) },
});

/** What is posted to registered addresses (OpenAPI 3.1, "webhooks"). */
export const sentWebhooks = {
  change: {
    post: {
      ...message('receive_change', 'A change of the evidence about a listing, as /changes has it', 'Change'),
      responses: {
        '2XX': { description: 'It was accepted; within 15 seconds.' },
        '410': { description: 'Ends the webhook.' },
        default: { description: 'It is tried again, ten times in about three days.' },
      },
    },
  },
  challenge: {
    post: {
      ...message('receive_challenge', 'Sent once, before a webhook is registered', 'WebhookChallenge'),
      responses: {
        '200': {
          description: 'The address takes webhooks. Any other answer: nothing is registered.',
          content: json(toOutputSchema(challenge.pick({ challenge: true }))),
        },
      },
    },
  },
};
