import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { asMembers, isJsonObject, mapMembers } from '../core/json.ts';
import { problemTable } from '../core/problem.ts';
import { listingDocument } from '../document/listing-document.ts';
import { changeTypes } from '../log/change.ts';
import { claimGithub } from '../tools/claim-agent.ts';
import { tools } from '../tools/index.ts';
import { submitFeedback } from '../tools/submit-feedback.ts';
import { type Tool, toInputSchema, toOutputSchema } from '../tools/tool.ts';
import { registrationInput, shownWebhook } from '../webhooks/register.ts';
import table from './openapi.json' with { type: 'json' };

const problem = {
  description: 'A problem. `code` identifies it, and `detail` says what to do next.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const timestamp = z.string().describe('RFC 3339 UTC');

const change = z.object({
  id: z.string().describe('Identifies this change. Send it to /changes as `since` to get later changes'),
  seq: z.int().describe('Position in the stream of changes'),
  type: z.enum(changeTypes),
  handle: z.string().describe('The listing whose evidence changed'),
  at: timestamp,
  data: z.looseObject({}).describe('The entry of the log, or the fields that changed'),
  timestamp,
});
const challenge = z.object({ type: z.literal('webhook.challenge'), timestamp, challenge: z.string() });
const secret = z.string().describe('whsec_ and base64; never shown again');

const post = (tool: Tool, operationId = tool.name) => ({
  post: {
    operationId,
    summary: tool.title,
    description: tool.description,
    security: tool.needsCapability && [{ bearer: [] }, { header: [] }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: toInputSchema(tool.input), example: tool.example } },
    },
    responses: {
      '200': {
        description: 'The answer.',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${tool.name}` } } },
      },
      default: problem,
    },
  },
});

const otherPaths = mapMembers(table.paths, (path) =>
  mapMembers(path as object, (one) =>
    isJsonObject(one) ? { ...one, responses: { ...asMembers(one.responses), default: problem } } : one,
  ),
);

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
  untrusted_fields: z.array(z.string()).optional(),
  retry_after_s: z.int().optional(),
});

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
    '/api/claim-github': post(claimGithub, 'claim_github'),
    '/api/feedback': post(submitFeedback, 'feedback'),
    ...otherPaths,
  },
  webhooks: table.webhooks,
  components: {
    schemas: {
      ...Object.fromEntries(tools.map(({ name, output }) => [name, toOutputSchema(output)])),
      ListingDocument: toOutputSchema(listingDocument),
      Change: toOutputSchema(change),
      WebhookChallenge: toOutputSchema(challenge),
      ChallengeAnswer: toOutputSchema(challenge.pick({ challenge: true })),
      WebhookRegistration: toInputSchema(registrationInput),
      Webhook: toOutputSchema(shownWebhook),
      RegisteredWebhook: toOutputSchema(shownWebhook.extend({ secret })),
      RemovedWebhook: toOutputSchema(z.object({ id: z.string(), state: z.literal('removed') })),
      Problem: toOutputSchema(problemDocument),
    },
    securitySchemes: table.securitySchemes,
  },
});
