import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { partOf } from '../support/long.ts';
import { legacy, type Message, modern } from '../support/mcp-requests.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';

const requests = partOf(4000, 10_000);
/** Fixed, so that a failure comes again; a new one is a new run. */
const seed = 20_261_121;
const handle = 'co.webhook/webhook';

const rating = ratingOf(handle, {
  interaction_id: 'fuzz-1',
  interaction_at: new Date().toISOString(),
  score: 4,
  comment: 'Worked.',
  tags: ['fast'],
  evidence: [{ kind: 'receipt', value: 'r-1' }],
});
const calls: readonly (readonly [tool: string, input: object])[] = [
  ['get_agent', { handle }],
  ['search_agents', { query: 'webhook', tags: ['webhooks'], transport: 'streamable-http', limit: 5 }],
  ['list_tags', {}],
  ['list_ratings', { handle }],
  [
    'compare_agents',
    { handles: [handle, 'com.politicalcomms/api'], criteria: [{ criterion: 'tag', value: 'x' }] },
  ],
  ['submit_rating', rating],
  ['withdraw_rating', { rating_id: '019aa5f2-0000-7000-8000-000000000000', reason: 'wrong' }],
  ['submit_feedback', { message: 'A word', category: 'data', handle, found_it: true }],
  ['claim_agent', { handle, rotate: true }],
  ['get_proof', { log_index: 0 }],
  ['resolve_agents', { handles: [handle, 'npm:tool@1.2.3', 'https://mcp.webhook.co/mcp'] }],
];
const methods: readonly (readonly [method: string, params: object])[] = [
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
  ],
  ['ping', {}],
  ['server/discover', {}],
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: `agent://${handle}` }],
  ['resources/read', { uri: 'agent://tags/webhooks' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'weigh_before_purchase', arguments: { handle } }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'weigh_before_purchase' }, argument: { name: 'handle', value: 'co' } },
  ],
  ['logging/setLevel', { level: 'debug' }],
  ['notifications/cancelled', { requestId: 1 }],
];

/** A good request to begin with: where it goes, its headers, its body. */
interface Request extends Message {
  readonly path: string;
}
const overMcp = (message: Message): Request => ({ path: '/api/mcp', ...message });
const good: readonly Request[] = [
  ...calls.flatMap(([name, input]) => [
    overMcp(legacy('tools/call', { name, arguments: input })),
    overMcp(modern('tools/call', { name, arguments: input })),
    {
      path: `/api/tools/${name}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    },
  ]),
  ...methods.flatMap(([method, params]) => [
    overMcp(legacy(method, params)),
    overMcp(modern(method, params)),
  ]),
];

/** Values that take a place of a good body. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    -0,
    Number.MAX_SAFE_INTEGER + 1,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    '../..',
    "' OR 1=1 --",
    '"*" NEAR (',
    'a'.repeat(5000),
    '\u202e\u200b',
    '9999-12-31T23:59:59Z',
    [],
    {},
    [[[]]],
    { a: { b: {} } },
  ),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
);
type Change = (value: unknown, pick: number, other: unknown) => unknown;
const entriesOf = (value: object) => Object.entries(value);
/** Changes of one place of a JSON value, found by walking down at random. */
const changes: readonly Change[] = [
  (_, __, other) => other,
  (value) => [value, value],
  (value) => ({ value }),
  (value, pick) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(entriesOf(value).filter((_, at) => at !== pick % entriesOf(value).length))
      : undefined,
  (value, pick, other) =>
    typeof value === 'object' && value !== null
      ? { ...value, [['extra', '__proto__', 'toString'][pick % 3] ?? '']: other }
      : String(value),
];
function changed(
  value: unknown,
  picks: readonly number[],
  [change, other]: readonly [Change, unknown],
): unknown {
  const [pick = 0, ...rest] = picks;
  const isLeaf = typeof value !== 'object' || value === null || entriesOf(value).length === 0;
  if (isLeaf || rest.length === 0) return change(value, pick, other);
  const copy = structuredClone(value) as Record<string, unknown>;
  const key = Object.keys(copy)[pick % Object.keys(copy).length] ?? '';
  copy[key] = changed(copy[key], rest, [change, other]);
  return copy;
}

/** Changes of the text itself: bytes cut, doubled, replaced. */
const bent = (body: string, [at, kind]: readonly [number, number]): string => {
  const place = at % (body.length + 1);
  const before = body.slice(0, place);
  const after = body.slice(place);
  return (
    [
      before,
      after,
      before + after.slice(1),
      `${before}\u0000${after}`,
      body + body,
      `[${body}]`,
      `${before}{${after}`,
    ][kind % 7] ?? body
  );
};

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const changeable = [
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'authorization',
  'accept',
  'content-type',
  'origin',
];

const mutated = fc
  .record({
    request: fc.constantFrom(...good),
    picks: fc.array(fc.nat(20), { minLength: 2, maxLength: 6, size: 'max' }),
    change: fc.tuple(fc.constantFrom(...changes), odd),
    bend: rarely(fc.tuple(fc.nat(), fc.nat())),
    drop: rarely(fc.constantFrom('mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept')),
    header: rarely(fc.tuple(fc.constantFrom(...changeable), fc.stringMatching(/^[ -~]{0,30}$/))),
    isOwner: fc.boolean(),
  })
  .map(({ request, picks, change, bend, drop, header, isOwner }) => {
    const body = JSON.stringify(changed(JSON.parse(request.body), picks, change)) ?? '';
    const headers: Record<string, string> = { ...request.headers };
    if (drop) delete headers[drop];
    if (header) headers[header[0]] = header[1];
    return { path: request.path, headers, body: bend ? bent(body, bend) : body, isOwner };
  });

/** Timers that a request which hangs or never ends would leave behind. */
const openTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

const known = new Set([200, 202, 400, 401, 403, 404, 405, 406, 410, 413, 415, 422]);

async function sendAll(directory: ClaimedDirectory, capability: string, bodies: readonly (typeof sample)[]) {
  const statuses = new Map<number, number>();
  for (let at = 0; at < bodies.length; at += 8) {
    const answers = await Promise.all(
      bodies.slice(at, at + 8).map(async ({ path, headers, body, isOwner }) => {
        const more: Record<string, string> = isOwner ? { 'x-agent-capability': capability } : {};
        const answer = await directory.app.request(path, {
          method: 'POST',
          headers: { ...headers, ...more },
          body,
        });
        const text = await answer.text();
        const isWrong =
          !known.has(answer.status) || /"internal"|-32603|\.ts:\d|node_modules|SQLITE/.test(text);
        return { status: answer.status, wrong: isWrong ? `${path} ${body} -> ${answer.status} ${text}` : '' };
      }),
    );
    for (const { status, wrong } of answers) {
      expect(wrong).toBe('');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  return statuses;
}
declare const sample: ReturnType<typeof mutated.generate>['value'];

it(`${requests} mutated requests: no failure, no hang, no timer left behind`, async () => {
  const directory = await opened(openClaimedDirectory());
  const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
  const bodies = fc.sample(mutated, { numRuns: requests, seed });
  await sendAll(directory, capability, bodies.slice(0, requests / 4));
  const before = openTimers();
  const statuses = await sendAll(directory, capability, bodies.slice(requests / 4));
  // A few are the test's own; one left behind by each request of a kind would be hundreds.
  await expect.poll(openTimers).toBeLessThan(before + 10);
  // The requests are mutations of good ones, not noise: many still work, many are refused for what they say.
  expect(statuses.get(200)).toBeGreaterThan(400);
  expect(statuses.get(400)).toBeGreaterThan(200);
  expect(statuses.get(422)).toBeGreaterThan(200);
  const { headers, body } = legacy('tools/call', { name: 'get_agent', arguments: { handle } });
  const after = await directory.app.request('/api/mcp', { method: 'POST', headers, body });
  expect(await after.json()).toMatchObject({ result: { structuredContent: { handle } } });
});
