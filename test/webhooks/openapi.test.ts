import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Json }[];
  readonly requestBody: { content: Record<string, { schema: Json }> };
  readonly responses: Record<string, { content: Record<string, { schema: Json }> }>;
}
interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, { post: Operation }>;
  readonly components: Json;
}

let receiver: Receiver;
let service: Directory;
let document: OpenApi;
beforeEach(async () => {
  receiver = await startReceiver();
  service = await openDirectory({
    entries: [registryEntry('com.example/one')],
    environment: { LIMITS: 'off', WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': receiver.url }) },
  });
  document = (await (await service.app.request('/openapi.json')).json()) as OpenApi;
});
afterEach(async () => {
  await receiver.close();
  await service.close();
});

/** Faults of a value by a schema of the document. */
function faultsOf(schema: Json | undefined, value: unknown): unknown {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile({ ...schema, components: document.components });
  return validate(value) ? [] : (validate.errors ?? 'no schema');
}
const bodyOf = (operation: Operation | undefined) =>
  operation?.requestBody.content['application/json']?.schema;
const answerOf = (operation: Operation | undefined) =>
  operation?.responses['200']?.content['application/json']?.schema;
const call = async (method: string, path: string, { body, secret }: { body?: object; secret?: string }) => {
  const answer = await service.app.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(secret && { authorization: `Bearer ${secret}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Json;
};

it('/openapi.json describes registering, looking at and ending a webhook as the service does it', async () => {
  const { post } = document.paths['/api/webhooks'] ?? {};
  const { get, delete: remove } = document.paths['/api/webhooks/{id}'] ?? {};
  const body = { url: 'https://hook.example/in', handle: 'com.example/one' };
  expect(faultsOf(bodyOf(post), body)).toEqual([]);
  expect(faultsOf(bodyOf(post), { handle: 'com.example/one' })).not.toEqual([]);
  const registered = await call('POST', '/api/webhooks', { body });
  expect(faultsOf(answerOf(post), registered)).toEqual([]);
  const { id, secret } = registered as { id: string; secret: string };
  const shown = await call('GET', `/api/webhooks/${id}`, { secret });
  expect(faultsOf(answerOf(get), shown)).toEqual([]);
  expect(Object.keys(shown)).not.toContain('secret');
  expect(faultsOf(answerOf(remove), await call('DELETE', `/api/webhooks/${id}`, { secret }))).toEqual([]);
});

it('/openapi.json describes the messages and headers that are posted', async () => {
  const body = { url: 'https://hook.example/in' };
  const { secret } = (await call('POST', '/api/webhooks', { body })) as { secret: string };
  receiver.secret = secret;
  await service.importEntries([
    registryEntry('com.example/one', { description: 'New' }, { updatedAt: '2026-11-01T08:00:00Z' }),
  ]);
  await service.deliver();
  const [asked, changed] = receiver.requests;
  const { challenge, change } = document.webhooks;
  for (const [operation, sent] of [
    [challenge?.post, asked],
    [change?.post, changed],
  ] as const) {
    expect(faultsOf(bodyOf(operation), JSON.parse(sent?.body ?? 'null'))).toEqual([]);
    expect(operation?.parameters.map(({ name }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    for (const { name, in: place, required, schema } of operation?.parameters ?? [])
      expect([place, required, faultsOf(schema, sent?.headers[name])]).toEqual(['header', true, []]);
  }
  expect(
    faultsOf(bodyOf(change?.post), { ...JSON.parse(changed?.body ?? '{}'), type: 'no.such' }),
  ).not.toEqual([]);
});
