import type { Config } from '../../config/config.ts';
import { listingDocument } from '../../evidence/listing/listing-document.ts';
import { problemTable } from '../../problem-table.ts';
import { claimGithub } from '../../tools/claim-github.ts';
import { tools } from '../../tools/index.ts';
import { submitFeedback } from '../../tools/submit-feedback.ts';
import { toInputSchema, toOutputSchema } from '../../tools/support/json-schema.ts';
import type { Tool } from '../../tools/tool.ts';
import { answer, json, text } from './openapi-parts.ts';
import { sentWebhooks, webhookPaths, webhookSchemas, webhookSecret } from './openapi-webhooks.ts';

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

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problemTable) },
    fields: {
      type: 'array',
      items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } },
    },
    near: { type: 'array', items: { type: 'string' } },
    retry_after_s: { type: 'integer' },
  },
};

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
      Problem: problemSchema,
    },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'The capability of a claimed listing' },
      header: { type: 'apiKey', in: 'header', name: 'X-Agent-Capability' },
      webhookSecret,
    },
  },
});
