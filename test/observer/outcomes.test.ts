import { afterAll, beforeAll, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type Endpoint, startEndpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';

type Answer = Parameters<typeof startEndpoint>[0];
const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_body, { url }, response) =>
    void response.writeHead(url === '/robots.txt' ? 404 : code, headers).end(body);
const html = { 'content-type': 'text/html' };

/**
 * What an endpoint sends, and what every adapter says of it: its outcome, and the words of hit, answer and
 * criterion.
 */
const cases: readonly (readonly [name: string, answer: Answer | 'nobody', said: Said])[] = [
  [
    'page',
    status(200, html, '<h1>Welcome</h1>'),
    other('a web page (HTTP 200)', { status: 200, media_type: 'text/html' }),
  ],
  [
    'challenge',
    status(403, { ...html, 'cf-mitigated': 'challenge' }),
    other('a challenge to bots (HTTP 403)', { status: 403, media_type: 'text/html' }),
  ],
  [
    'moved',
    status(308, { location: 'https://elsewhere.example/mcp' }),
    other('a redirect to another host, `elsewhere.example` (HTTP 308)', {
      status: 308,
      redirects_to: 'elsewhere.example',
    }),
  ],
  ['busy', status(429), silent('The endpoint returned HTTP 429', { status: 429 })],
  ['broken', status(503), silent('The endpoint returned HTTP 503', { status: 503 })],
  [
    'reset',
    (_body, _request, response) => void response.destroy(),
    silent('ended with a connection that broke off'),
  ],
  [
    'gone',
    status(404),
    {
      outcome: 'absent',
      hit: 'nothing there',
      first: 'Nothing was at',
      alive: 'not_met',
      response: { status: 404 },
    },
  ],
  ['locked', status(401), { outcome: 'seen', hit: 'answered', alive: 'met' }],
  [
    'paid',
    status(402, { 'content-type': 'application/json' }, '{"x402Version":2,"accepts":[]}'),
    { outcome: 'seen', hit: 'answered', alive: 'met' },
  ],
  [
    'paused',
    status(402, html, 'Payment required'),
    other('HTTP 402', { status: 402, media_type: 'text/html' }),
  ],
  [
    'shut',
    (_body, { url }, response) => void response.writeHead(url === '/robots.txt' ? 503 : 200).end(),
    silent('`shut.example.com` returned HTTP 503 even for its robots.txt', { status: 503 }),
  ],
  [
    'refusing',
    (_body, _request, response) => void response.writeHead(200).end('User-agent: *\nDisallow: /'),
    { outcome: 'refused', alive: 'unknown' },
  ],
  [
    'private',
    'nobody',
    { outcome: 'not_asked', alive: 'unknown', why: 'not asked: no request was sent to `10.0.0.1`' },
  ],
];

interface Said {
  readonly outcome: string;
  /** Of a search hit; absent if it says nothing of it. */
  readonly hit?: string;
  /** The beginning of what stands out; absent if nothing does. */
  readonly first?: string;
  readonly why?: string;
  readonly alive: string;
  /** The response as JSON has it, if one came. */
  readonly response?: object;
}

function other(what: string, response: object): Said {
  const first = `The endpoint returned ${what} instead of MCP`;
  return {
    outcome: 'otherwise',
    hit: 'returned something other than MCP',
    first,
    alive: 'not_met',
    response,
  };
}

function silent(why: string, response?: object): Said {
  const said = {
    outcome: 'silent',
    hit: 'no usable answer',
    first: 'No usable answer from the endpoint',
    why,
  };
  return { ...said, alive: 'not_met', ...(response && { response }) };
}

const endpoints: Endpoint[] = [];
let directory: Directory;
const handleOf = (name: string) => `com.${name}ends/mcp`;
const urlOf = (name: string) =>
  name === 'private' ? 'https://10.0.0.1/mcp' : `https://${name}.example.com/mcp`;

beforeAll(async () => {
  const overrides: Record<string, string> = {};
  for (const [name, answer] of cases) {
    if (answer === 'nobody') continue;
    const endpoint = await startEndpoint(answer);
    endpoints.push(endpoint);
    overrides[`${name}.example.com`] = endpoint.url;
  }
  const well = await startModernServer(() => [{ name: 'look', description: 'Looks' }]);
  endpoints.push(well);
  overrides['well.example.com'] = well.url;
  const remotes = (...names: string[]) => ({
    remotes: names.map((name) => ({ type: 'streamable-http', url: urlOf(name) })),
  });
  directory = await openDirectory({
    entries: [
      ...cases.map(([name]) => registryEntry(handleOf(name), remotes(name))),
      registryEntry('com.twofates/mcp', remotes('page', 'broken')),
      registryEntry('com.halfwell/mcp', remotes('page', 'well')),
    ],
    environment: { LIMITS: 'off', HOST_OVERRIDES: JSON.stringify(overrides) },
  });
});
afterAll(async () => {
  await directory.close();
  for (const endpoint of endpoints) await endpoint.close();
});

const post = async (tool: string, input: object) => {
  const answer = await directory.app.request(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return (await answer.json()) as Record<string, unknown>;
};
const textOf = async (path: string) => (await directory.app.request(path)).text();
const answerOf = async (handle: string) =>
  (await post('get_agent', { handle })) as { stands_out?: string[]; lines: Record<string, string> };
const aliveOf = async (handle: string) => {
  const other = 'com.halfwell/mcp';
  const criteria = [{ criterion: 'endpoint_observed_alive' }];
  return comparedOf(
    await post('compare_agents', {
      handles: [handle, handle === other ? handleOf('page') : other],
      criteria,
    }),
  )[0]?.observed?.[0]?.result;
};

it.each(cases)('%s ends in one outcome through every adapter', async (name, _answer, said) => {
  const handle = handleOf(name);
  await directory.observe(handle);
  const { observations } = JSON.parse(await textOf(`/agents/${handle}.json`)) as {
    observations: { kind: string; outcome: string; response?: object }[];
  };
  const { outcome, response } = observations.find(({ kind }) => kind === 'endpoint.answers') ?? {};
  expect({ outcome, response }).toEqual({ outcome: said.outcome, response: said.response });
  const { listings } = (await post('search_agents', { query: handle })) as {
    listings: { handle: string; facts: string[] }[];
  };
  const facts = (listings.find((one) => one.handle === handle)?.facts ?? []).join('; ');
  const ofHit = ['no usable answer', 'returned something other', 'nothing there', 'answered'];
  expect(ofHit.filter((words) => facts.includes(words))).toEqual(
    ofHit.filter((words) => said.hit?.includes(words)),
  );
  const { stands_out = [], lines } = await answerOf(handle);
  const ends = stands_out.filter((text) => /^No usable answer|instead of MCP|^Nothing was at/.test(text));
  expect(ends.map((text) => text.startsWith(said.first ?? ''))).toEqual(said.first ? [true] : []);
  if (said.why) expect(`The endpoint ${lines.where}`).toContain(said.why.replace('The endpoint ', ''));
  expect(await aliveOf(handle)).toBe(said.alive);
  // Only silence is called no usable answer, on page and Markdown too.
  for (const face of [`/agents/${handle}`, `/agents/${handle}.md`])
    expect(/no usable answer/i.test(await textOf(face))).toBe(said.outcome === 'silent');
});

it('says of two endpoints of different fate what happened to each', async () => {
  await directory.observe('com.twofates/mcp');
  const { stands_out = [] } = await answerOf('com.twofates/mcp');
  expect(stands_out.join(' ')).toMatch(
    /At `https:\/\/page\.example\.com\/mcp`: the endpoint returned a web page \(HTTP 200\) instead of MCP \(on [\d-]{10}\)/,
  );
  expect(stands_out.join(' ')).toMatch(
    /No usable answer from `https:\/\/broken\.example\.com\/mcp` on [\d-]{10}/,
  );
});

it('is alive if one of two endpoints answers, and says what the other one returned', async () => {
  await directory.observe('com.halfwell/mcp');
  expect(await aliveOf('com.halfwell/mcp')).toBe('met');
  const { stands_out = [] } = await answerOf('com.halfwell/mcp');
  expect(stands_out.join(' ')).toContain(
    'At `https://page.example.com/mcp`: the endpoint returned a web page',
  );
});
