import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  completable,
  fromJsonSchema,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Fixtures } from '../../src/mcp/http.ts';
import { registerInputFixtures, requestState } from './input-fixtures.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const description = 'A fixture of the conformance suite.';
const text = (value: string) => ({ type: 'text' as const, text: value });
const image = { type: 'image' as const, data: png, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
});

const contents: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  },
  test_reconnection: { content: [text('Reconnection test completed.')] },
};

async function logSteps({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const step of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', step);
    await sleep(50);
  }
  return { content: [text('Logged.')] };
}

async function reportProgress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { content: [text('No progress was asked for.')] };
  for (const progress of [0, 50, 100]) {
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, total: 100 },
    });
    await sleep(50);
  }
  return { content: [text(String(progressToken))] };
}

const dialectSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;
const headerSchema = {
  type: 'object',
  properties: { message: { type: 'string', 'x-mcp-header': 'Message' } },
  required: ['message'],
} as const;

function registerTools(server: McpServer, announce: (what: 'tools' | 'prompts') => void): void {
  for (const [name, result] of Object.entries(contents))
    server.registerTool(name, { description }, () => result);
  server.registerTool('test_tool_with_logging', { description }, logSteps);
  server.registerTool('test_logging_tool', { description }, logSteps);
  server.registerTool('test_tool_with_progress', { description }, reportProgress);
  for (const [name, inputSchema] of [
    ['json_schema_2020_12_tool', fromJsonSchema(dialectSchema)],
    ['test_custom_header_tool', fromJsonSchema(headerSchema)],
  ] as const)
    server.registerTool(name, { description, inputSchema }, (args) => ({
      content: [text(JSON.stringify(args))],
    }));
  for (const what of ['tools', 'prompts'] as const)
    server.registerTool(`test_trigger_${what.slice(0, -1)}_change`, { description }, () => {
      announce(what);
      return { content: [text('Announced.')] };
    });
}

function registerResources(server: McpServer): void {
  const one = (uri: string, mimeType: string, content: { text: string } | { blob: string }) =>
    server.registerResource(uri, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }));
  one('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  one('test://static-binary', 'image/png', { blob: png });
  one('test://watched-resource', 'text/plain', { text: 'Watched resource content' });
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }));
}

function registerPrompts(server: McpServer): void {
  const user = <T>(content: T) => ({ role: 'user' as const, content });
  const argument = completable(z.string(), (typed) =>
    ['test1', 'test2'].filter((value) => value.startsWith(typed)),
  );
  server.registerPrompt('test_simple_prompt', { description }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: z.object({ arg1: argument, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
}

/**
 * The tools, resources and prompts that @modelcontextprotocol/conformance calls, under the names it expects.
 */
export const fixtures: Fixtures = {
  options: { requestState },
  register(server, announce) {
    server.server.registerCapabilities({
      logging: {},
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true },
    });
    server.server.setRequestHandler('resources/subscribe', () => ({}));
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
    registerTools(server, announce);
    registerResources(server);
    registerPrompts(server);
    registerInputFixtures(server);
  },
  needsStream: ({ method, params }) =>
    (method === 'tools/call' || method === 'prompts/get') && String(params?.name).startsWith('test_'),
};
