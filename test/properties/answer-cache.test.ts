import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createUncached, post } from '../support/answer-cache.ts';
import { partOf } from '../support/long.ts';
import { legacy, type Message, modern } from '../support/mcp-requests.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const requests = partOf(500, 1500);
/** Fixed, so that a failure comes again; a new one is a new run. */
const seed = 20_261_121;
const handle = 'co.webhook/webhook';
const capability = `dossier_cap_${'A'.repeat(49)}`;

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });
const uncached = await opened(createUncached(directory.context));

const call = (name: string, input: object) => ['tools/call', { name, arguments: input }] as const;
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
};
/** Requests with the same answer each time; the tools that write refuse a caller without a capability. */
const repeatable: readonly (readonly [method: string, params: object])[] = [
  call('get_agent', { handle }),
  call('get_agent', { handle: 'com.politicalcomms/api' }),
  call('get_agent', { handle: 'co.webhook/none' }),
  call('list_ratings', { handle }),
  call('list_tags', {}),
  call('search_agents', { query: 'webhook', limit: 2 }),
  call('get_proof', { log_index: 0 }),
  call('withdraw_rating', { rating_id: 'x', reason: 'other' }),
  call('respond_to_rating', { rating_id: 'x', text: 'thanks' }),
  ['initialize', initialize],
  ['tools/list', {}],
  ['ping', {}],
  ['resources/read', { uri: `agent://${handle}` }],
  ['prompts/get', { name: 'weigh_before_purchase', arguments: { handle } }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'weigh_before_purchase' },
      argument: { name: 'handle', value: 'co.we' },
    },
  ],
  call('no_such_tool', {}),
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['server/discover', {}],
];
const messages = repeatable.flatMap(([method, params]) => [legacy(method, params), modern(method, params)]);

const reserved = 'io.modelcontextprotocol/';
const odd = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -0,
  1.5,
  1e21,
  '',
  'é',
  'x',
  '2026-07-28',
  '2025-11-25',
  'get_agent',
  'tools/list',
  handle,
  capability,
  'a'.repeat(300),
  [],
  [1],
  {},
  { x: {} },
  { handle },
  { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
);

/** Places of a message, as the names that lead there. */
const places: readonly (readonly string[])[] = [
  ['id'],
  ['jsonrpc'],
  ['method'],
  ['params'],
  ['more'],
  ['__proto__'],
  ['params', 'name'],
  ['params', 'arguments'],
  ['params', 'arguments', 'handle'],
  ['params', 'arguments', 'more'],
  ['params', 'arguments', 'limit'],
  ['params', 'cursor'],
  ['params', 'task'],
  ['params', 'protocolVersion'],
  ['params', 'capabilities'],
  ['params', 'clientInfo'],
  ['params', '_meta'],
  ['params', '_meta', 'progressToken'],
  ['params', '_meta', 'free'],
  ['params', '_meta', `${reserved}protocolVersion`],
  ['params', '_meta', `${reserved}clientInfo`],
  ['params', '_meta', `${reserved}clientCapabilities`],
  ['params', '_meta', `${reserved}logLevel`],
  ['params', '_meta', `${reserved}related-task`],
  ['params', '_meta', `${reserved}unknown`],
];

/** A copy with another value in a place, or without it; the same where there is no such place. */
function put(
  value: unknown,
  [name, ...rest]: readonly string[],
  other: { value: unknown } | undefined,
): unknown {
  if (name === undefined) return other?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([key]) => rest.length > 0 || key !== name);
  const inner = rest.length > 0 ? put((value as Record<string, unknown>)[name], rest, other) : other?.value;
  const others = members.map(([key, old]) => [key, key === name ? inner : old]);
  return Object.fromEntries(rest.length > 0 || !other ? others : [...others, [name, inner]]);
}

type Change = (message: Message) => Message;
const inBody =
  (change: (body: string) => string): Change =>
  ({ headers, body }) => ({ headers, body: change(body) });
const parsed = (change: (value: unknown) => unknown) =>
  inBody((body) => {
    try {
      return JSON.stringify(change(JSON.parse(body))) ?? '';
    } catch {
      return body;
    }
  });

const bodyChange = fc
  .tuple(
    fc.constantFrom(...places),
    fc.option(
      odd.map((value) => ({ value })),
      { nil: undefined },
    ),
  )
  .map(([place, other]) => parsed((value) => put(value, place, other)));

/** Changes of the text that parsers may read in two ways. */
const textChange = fc.constantFrom<Change>(
  inBody((body) => ` \n${body}\t`),
  inBody((body) => `\ufeff${body}`),
  inBody((body) => `${body}x`),
  inBody((body) => `[${body}]`),
  inBody((body) => body.slice(0, -1)),
  inBody((body) => body.replace('{', '{"id":9,')),
  inBody((body) => body.replace('{', '{"method":"ping",')),
  inBody((body) => `${body.slice(0, -1)},"id":"last"}`),
  inBody((body) => `${body.slice(0, -1)},"method":"tools/list"}`),
  inBody((body) => body.replace('co.webhook', 'co\\u002ewebhook')),
  inBody((body) => body.replace('"arguments":{', '"arguments":{"handle":"com.politicalcomms/api",')),
  inBody((body) => body.replace('co.webhook', 'co.\u200bwebhook')),
  inBody((body) => body.replace('tools/call', 'tools\\/call')),
  inBody((body) => body.replace('"id":1', '"id":1.0')),
  inBody((body) => body.replace('"id":1', '"id":1e0')),
  inBody((body) => body + ' '.repeat(5000)),
  inBody((body) => body + ' '.repeat(70_000)),
);

const headerValues: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'mcp-protocol-version': [
    undefined,
    '',
    '2025-11-25',
    '2024-11-05',
    '1999-01-01',
    '2026-07-28',
    '2026-07-28, 2026-07-28',
  ],
  'mcp-method': [undefined, '', 'tools/call', 'tools/list', 'TOOLS/CALL', 'initialize'],
  'mcp-name': [undefined, '', 'get_agent', 'list_tags', ' get_agent ', '=?base64?Z2V0X2FnZW50?=', capability],
  'mcp-param-handle': ['other'],
  'content-type': [
    undefined,
    'text/plain',
    'application/json; charset=utf-8',
    'application/json, application/json',
  ],
  'content-encoding': ['identity', 'gzip'],
  'content-length': [undefined, 'x', '-1'],
  accept: [undefined, '*/*', 'text/html', 'application/json'],
  'accept-encoding': ['gzip, br'],
  origin: ['https://inspector.example', 'null'],
  host: ['evil.example', 'localhost:1', '127.0.0.1', 'LOCALHOST'],
  authorization: ['Bearer x', `Bearer ${capability}`, 'Basic x'],
  'x-agent-capability': [capability, 'x, y'],
  'x-forwarded-for': ['192.0.2.1'],
};
const headerChange = fc
  .constantFrom(
    ...Object.entries(headerValues).flatMap(([name, values]) =>
      values.map((value) => [name, value] as const),
    ),
  )
  .map(
    ([name, value]): Change =>
      ({ headers, body }) => ({ body, headers: { ...headers, [name]: value } as Record<string, string> }),
  );

const mutated = fc
  .tuple(
    fc.constantFrom(...messages),
    fc.array(
      fc.oneof({ weight: 4, arbitrary: bodyChange }, { weight: 3, arbitrary: headerChange }, textChange),
      { maxLength: 3 },
    ),
  )
  .map(([message, changes]) => changes.reduce((made, change) => change(made), message));

it(`${requests} mutated requests are answered by the fast path as they are by the app`, async () => {
  // Fills the cache before anything is mutated.
  for (const message of [...messages, ...messages]) await post(directory.app, message);
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(mutated, async (message) => {
      const first = await post(directory.app, message);
      const plain = await post(uncached, message);
      expect(first).toEqual(plain);
      expect(await post(directory.app, message)).toEqual(plain);
      statuses.add(plain.status);
    }),
    { numRuns: requests, seed },
  );
  expect([...statuses].sort()).toEqual([200, 202, 400, 403, 404, 413, 415]);
});
