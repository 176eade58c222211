import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { problemTable } from '../core/problem.ts';
import { listingDocument } from '../document/listing-document.ts';
import { changeTypes } from '../log/change.ts';
import { claimGithub } from '../tools/claim-agent.ts';
import { tools } from '../tools/index.ts';
import { submitFeedback } from '../tools/submit-feedback.ts';
import { type Tool, toInputSchema, toOutputSchema } from '../tools/tool.ts';
import { registrationInput, shownWebhook } from '../webhooks/register.ts';

const json = (schema: object, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** The answer to everything that is wrong. */
const problem = {
  description: 'A problem: `code` identifies it, `detail` tells what to do next.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** The answers of an operation: what it says, or a problem. */
const answer = (schema: object) => ({
  '200': { description: 'The answer.', content: json(schema) },
  default: problem,
});

/** The answers of an operation that answers with text of a type. */
const text = (type: string) => ({
  '200': { description: 'The text.', content: { [type]: { schema: { type: 'string' } } } },
  default: problem,
});

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
const webhookSchemas = () => ({
  Change: toOutputSchema(change),
  WebhookChallenge: toOutputSchema(challenge),
  Webhook: toOutputSchema(shownWebhook),
  RegisteredWebhook: toOutputSchema(registered),
});

/** How the owner of a webhook shows that it is theirs. */
const webhookSecret = {
  type: 'http',
  scheme: 'bearer',
  description: 'The secret of the webhook, whsec_...',
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const security = [{ webhookSecret: [] }];

/** Registering a webhook, looking at one's own, and ending it (docs/changes.md). */
const webhookPaths = () => ({
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
const sentWebhooks = {
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

const post = (tool: Tool, operationId = tool.name) => ({
  post: {
    operationId,
    summary: tool.title,
    description: tool.description,
    ...(tool.needsCapability && { security: [{ bearer: [] }, { header: [] }] }),
    requestBody: { required: true, content: json(toInputSchema(tool.input), tool.example) },
    responses: answer({ $ref: `#/components/schemas/${tool.name}` }),
  },
});

const handleParameters = ['namespace', 'name'].map((name) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
}));

const get = (
  operationId: string,
  summary: string,
  responses: object,
  parameters: readonly object[] = [],
) => ({
  get: { operationId, summary, ...(parameters.length > 0 && { parameters }), responses },
});

const otherPaths = () => ({
  '/api/claim-github': post(claimGithub, 'claim_github'),
  '/api/feedback': post(submitFeedback, 'feedback'),
  '/agents/{namespace}/{name}.json': get(
    'listing_json',
    'The listing document, as get_agent answers it with detail: full',
    answer({ $ref: '#/components/schemas/ListingDocument' }),
    handleParameters,
  ),
  '/agents/{namespace}/{name}.md': get(
    'listing_markdown',
    'The listing as Markdown',
    text('text/markdown'),
    handleParameters,
  ),
  '/badge/{namespace}/{name}': get(
    'badge',
    'The badge of a listing: what evidence there is, as of when',
    text('image/svg+xml'),
    handleParameters,
  ),
  '/llms.txt': get('llms_txt', 'Instructions for agents', text('text/plain')),
});

const problemDocument = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(problemTable)),
  fields: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  near: z.array(z.string()).optional(),
  others: z.array(z.string()).optional(),
  candidates: z.array(z.object({ handle: z.string(), differs: z.string() })).optional(),
  retry_after_s: z.int().optional(),
});

/** The HTTP face as OpenAPI 3.1, generated from the tool definitions. */
export const toOpenApi = ({ serviceName, version, publicUrl }: Config): Record<string, unknown> => ({
  openapi: '3.1.0',
  info: {
    title: serviceName,
    version,
    description:
      'Independent evidence before an agent-service purchase. A listing is not verification, not a recommendation and not a score.',
  },
  servers: [{ url: publicUrl }],
  paths: {
    ...Object.fromEntries(tools.map((tool) => [`/api/tools/${tool.name}`, post(tool)])),
    ...otherPaths(),
    ...webhookPaths(),
  },
  webhooks: sentWebhooks,
  components: {
    schemas: {
      ...Object.fromEntries(tools.map(({ name, output }) => [name, toOutputSchema(output)])),
      ListingDocument: toOutputSchema(listingDocument),
      ...webhookSchemas(),
      Problem: toOutputSchema(problemDocument),
    },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'The capability of a claimed listing' },
      header: { type: 'apiKey', in: 'header', name: 'X-Agent-Capability' },
      webhookSecret,
    },
  },
});
