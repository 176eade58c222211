import { expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { callTool } from '../support/directory.ts';
import { json, reply } from '../support/endpoints/faults.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { startFetchServer } from '../support/endpoints/paid-endpoint.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory, openedEndpoint } from '../support/opened.ts';

const [shielded, busy, address, host, narrow] = ['shielded', 'busy', 'address', 'host', 'narrow'].map(
  (name) => `com.example.${name}/a`,
) as [string, string, string, string, string];
let robotsStatus = 404;
let isBusy = false;
let isLimited = false;

const server = await openedEndpoint((body, { url }, response) => {
  // Some servers answer at the path of their endpoint only.
  if (url === '/narrow/robots.txt') return;
  if (url === '/robots.txt') return void response.writeHead(robotsStatus).end();
  if (url === '/busy' && isBusy) return void response.writeHead(503, { 'retry-after': '86400' }).end();
  if (url === '/busy' && isLimited) return void response.writeHead(429).end();
  if (body === '') return void response.writeHead(404).end();
  json(response, reply(body, { ...introduction, tools: [] }));
});
const listed = (name: string, url: string) => registryEntry(name, remotesAt(url));
const directory = await openedDirectory({
  entries: [
    listed(shielded, 'https://shielded.example.com/mcp'),
    listed(busy, 'https://busy.example.com/busy'),
    listed(address, 'https://10.0.0.1/mcp'),
    listed(host, 'https://localhost/mcp'),
    listed(narrow, 'https://narrow.example.com/mcp'),
  ],
  hosts: {
    'shielded.example.com': server,
    'busy.example.com': server,
    'narrow.example.com': { url: `${server.url}/narrow` },
  },
  environment: { LIMITS: 'off' },
});

const post = async (tool: string, input: object) => {
  return callTool<{ readonly statement?: string }>(directory, tool, input);
};
async function look(handle: string) {
  const { observations, changes } = await directory.observe(handle);
  const { outcome, reason, missed } =
    observations.find(({ kind }) => kind === 'endpoint.answers') ??
    expect.fail('the endpoint was not judged');
  return { outcome, reason, missed, changes };
}
const judgedAlive = async (handle: string) => {
  const criteria = [{ criterion: 'endpoint_observed_alive' }];
  const answer = await post('compare_agents', { handles: [handle, 'co.webhook/webhook'], criteria });
  return comparedOf(answer)[0];
};
const isAlive = async (handle: string) => (await judgedAlive(handle))?.results.endpoint_observed_alive;
/** Everything that is said of it. */
const said = async (handle: string) => {
  const page = await (await directory.app.request(`/agents/${handle}`)).text();
  const markdown = await (await directory.app.request(`/agents/${handle}.md`)).text();
  const found = await post('search_agents', { query: handle });
  return [page, markdown, JSON.stringify([await post('get_agent', { handle }), found])].join('\n');
};
const silence =
  /no (?:usable )?answer from|no (?:usable )?answer \d|did not answer(?! with HTTP 402)|was at the endpoint/i;

/**
 * Checks again after this time; no message may have been sent to the endpoint, and no fact may have changed.
 */
async function lookUnasked(handle: string, wait_s: number) {
  directory.wait(wait_s);
  const sent = server.methods().length;
  expect(await look(handle)).toMatchObject({ outcome: 'seen', changes: 0 });
  expect(server.methods()).toHaveLength(sent);
}

it('a host that returns 503 even for robots.txt was asked and failed: counted, told, and no “since” goes across it', async () => {
  expect(await look(shielded)).toMatchObject({ outcome: 'seen' });
  robotsStatus = 503;
  const sent = server.methods().length;
  directory.wait(86_500);
  expect(await look(shielded)).toMatchObject({ outcome: 'seen', changes: 0 });
  const why = '`shielded\\.example\\.com` returned HTTP 503 even for its robots\\.txt';
  expect(await said(shielded)).toMatch(
    new RegExp(
      `No check since [\\d-]+ saw the endpoint answer \\(the last check: ${why}[^)]+\\(RFC 9309\\)\\)`,
    ),
  );
  expect(await judgedAlive(shielded)).toMatchObject({
    results: { endpoint_observed_alive: 'not_met' },
    stands_out: [expect.stringMatching(/^No check since [\d-]+ saw the endpoint answer/)],
  });
  directory.wait(86_500);
  expect(await look(shielded)).toMatchObject({ outcome: 'silent', changes: 1 });
  expect(server.methods()).toHaveLength(sent);
  expect(await said(shielded)).toMatch(new RegExp(why));
  expect(await said(shielded)).toMatch(
    /No usable answer from the endpoint at any check from [\d-]+ to [\d-]+; it last answered/,
  );
  expect(await isAlive(shielded)).toBe('not_met');
  robotsStatus = 404;
  directory.wait(86_500);
  await look(shielded);
  const back = directory.context.clock().toISOString().slice(0, 10);
  expect(await said(shielded)).toMatch(new RegExp(`[Aa]nswered since ${back}, 2 of 4 checks in 30 days`));
  directory.wait(86_500);
  const { observations } = await directory.observe(shielded);
  const [reach, tally] = ['endpoint.answers', 'endpoint.availability'].map((kind) =>
    observations.find((one) => one.kind === kind),
  );
  expect(tally?.value).toMatchObject({ days_30: { answered: 3, made: 5, others: { server_error: 2 } } });
  expect(reach?.first_seen_at.slice(0, 10)).toBe(
    new Date(directory.context.clock().getTime() - 86_500_000).toISOString().slice(0, 10),
  );
  const history = await (await directory.app.request(`/agents/${shielded}/history.json`)).text();
  expect(history).toContain('"outcome":"silent"');
  const days =
    /Checks of the endpoint failed on \d{4}-\d\d-\d\d and \d{4}-\d\d-\d\d: `shielded\.example\.com` returned HTTP 503 even for its robots\.txt, so Dossier requested nothing else there \(RFC 9309\)\./;
  expect(await said(shielded)).toMatch(
    /[Aa]nswered since [\d-]+, 3 of 5 checks in 30 days \(server error 2 times\)/,
  );
  expect((await post('get_history', { handle: shielded })).statement).toMatch(days);
});

it.each(['robots.txt', 'the endpoint'])(
  'a host that returns 429 for %s asks to wait: neither answered nor failed, in each answer alike',
  async (what) => {
    const handle = what === 'robots.txt' ? shielded : busy;
    await look(handle);
    const days = async () =>
      (await directory.observe(handle)).observations.find(({ kind }) => kind === 'endpoint.availability')
        ?.value;
    directory.wait(86_500);
    const counted = await days();
    if (handle === shielded) robotsStatus = 429;
    else isLimited = true;
    for (let day = 0; day < 3; day += 1) {
      directory.wait(86_500);
      expect(await look(handle)).toMatchObject({ outcome: 'seen', changes: 0 });
    }
    expect(await days()).toEqual(counted);
    robotsStatus = 404;
    isLimited = false;
    expect(await said(handle)).toMatch(/returned HTTP 429 \(too many requests\)/);
    expect(await said(handle)).not.toMatch(silence);
    expect(await isAlive(handle)).toBe('unknown');
    expect((await judgedAlive(handle))?.lines?.where).toMatch(/HTTP 429/);
    const history = async (more: object = {}) => (await post('get_history', { handle, ...more })).statement;
    expect(await history()).not.toMatch(/failed[^.]*429/);
    const limited = `${handle === shielded ? '`shielded.example.com`' : 'the endpoint'} returned HTTP 429 (too many requests)`;
    const today = directory.context.clock().toISOString().slice(0, 10);
    for (const more of [{}, { kind: 'reach' }, { kind: 'tools' }, { since: '2026-10-01', until: today }])
      expect(await history(more)).toContain(`checks have not seen all facts again: ${limited}`);
    const why = expect.stringMatching(
      /^No observation (?:of \S+ )?is newer than [\d-]+; since [\d-]+, checks have not seen all facts again: .*HTTP 429/,
    );
    const { results } = (await post('resolve_agents', { handles: [handle] })) as { results?: object[] };
    expect(results).toMatchObject([{ stands_out: [{ key: 'stale', text: why }] }]);
    expect((await judgedAlive(handle))?.stands_out).toEqual([why]);
    directory.wait(86_500);
    await look(handle);
    expect(await isAlive(handle)).toBe('met');
    expect(await history()).toMatch(
      /Checks from [\d-]+ to [\d-]+ could not tell whether the endpoint answers: \S+ .*HTTP 429/,
    );
  },
);

it('an endpoint that asked for a pause is not asked in it, and so is not called silent for a second day', async () => {
  expect(await look(busy)).toMatchObject({ outcome: 'seen' });
  const noon_s = 43_200;
  directory.wait(86_400 - ((directory.context.clock().getTime() / 1000) % 86_400) + noon_s);
  isBusy = true;
  await look(busy);
  await lookUnasked(busy, noon_s + 100);
  expect(await said(busy)).not.toMatch(silence);
});

it.each([
  ['an address', address, '10.0.0.1'],
  ['the name of a host', host, 'localhost'],
])('%s that is not public is never asked, and so is not called silent', async (_, handle, named) => {
  for (let day = 0; day < 2; day += 1) {
    expect(await look(handle)).toMatchObject({
      outcome: 'not_asked',
      reason: `No request was sent to \`${named}\`: Dossier requests only http and https addresses of public hosts, without a user name.`,
    });
    directory.wait(86_400);
  }
  expect(await said(handle)).not.toMatch(silence);
  expect(await said(handle)).not.toContain('DNS has no address');
  expect(await isAlive(handle)).toBe('unknown');
  expect((await post('get_history', { handle })).statement).not.toContain('was seen in checks');
  const criteria = [{ criterion: 'endpoint_observed_alive' }];
  const compared = await post('compare_agents', { handles: [handle, shielded], criteria });
  expect(comparedOf(compared)[0]?.lines?.where).toMatch(/` over \S+: no request was sent to `[^`]+`: /);
});

it('a host that keeps a connection and sends no robots.txt was asked and failed', async () => {
  const { timeouts } = directory.context;
  const { observerExchange_ms } = timeouts;
  Object.assign(timeouts, { observerExchange_ms: 100 });
  for (let day = 0; day < 2; day += 1) {
    directory.wait(86_500);
    expect(await look(narrow)).toMatchObject({
      outcome: 'silent',
      reason:
        'A request to `narrow.example.com` ended with no answer in time. The request was for robots.txt, so Dossier requested nothing else there (RFC 9309).',
    });
  }
  Object.assign(timeouts, { observerExchange_ms });
  expect(await isAlive(narrow)).toBe('not_met');
});

const unlogged = (line: string) => line.replace(/ \(log index \d+\)$/, '').replace(/^\d{4}-\d\d-\d\d /, '');

it('get_history says why checks failed and what came instead, as get_agent does, and again when it answers', async () => {
  const handle = 'com.example.moved/translate';
  let away: { readonly status: number; readonly location?: string } | undefined;
  const server = await opened(startModernServer(() => [{ name: 'translate', description: 'Translates' }]));
  const front = await opened(
    startFetchServer(async (request) => {
      if (away)
        return new Response('', {
          status: away.status,
          headers: away.location ? { location: away.location } : {},
        });
      const { pathname } = new URL(request.url);
      const body = await request.text();
      return fetch(`${server.url}${pathname}`, {
        method: request.method,
        headers: request.headers,
        ...(body && { body }),
      });
    }),
  );
  const directory = await openedDirectory({
    entries: [registryEntry(handle, remotesAt('https://moved.example.com/mcp'))],
    hosts: { 'moved.example.com': front },
  });
  const client = await opened(connect('v1', { app: directory.app }));
  const days: string[] = [];
  const check = async (answer: typeof away) => {
    away = answer;
    if (days.length > 0) directory.wait(86_400);
    await directory.observe(handle);
    days.push(directory.context.clock().toISOString().slice(0, 10));
  };
  const read = async () =>
    (await client.call('get_history', { handle })).structuredContent as unknown as {
      readonly changes: string[];
      readonly statement: string;
    } & Record<'next' | 'untrusted_fields', unknown>;
  const moved = { status: 308, location: 'https://api.other-cloud.io/mcp' };
  for (const answer of [undefined, moved, moved]) await check(answer);
  const why =
    'the endpoint returned a redirect to another host, `api.other-cloud.io` (HTTP 308; Dossier did not follow it) instead of MCP';
  const both = await read();
  expect(both.statement).toContain(`Checks of the endpoint failed on ${days[2]} and ${days[1]}: ${why}.`);
  expect(unlogged(both.changes[0] ?? '')).toBe(
    `Endpoint (\`https://moved.example.com/mcp\`): answered (HTTP status 200) until ${days[0]}, since ${days[1]} ${why}`,
  );
  expect(both.next).toBe('get_agent; get_proof, with a log index');
  expect(both.untrusted_fields).toContain('statement');
  const { stands_out } = await callTool<{ stands_out: string[] }>(directory, 'get_agent', { handle });
  expect(stands_out[0]).toContain(
    'Clients that follow redirects may be served by `api.other-cloud.io`; whether that is so, Dossier does not know.',
  );
  const there = 'whether it has the same owner is not shown';
  for (const [asked, what] of [
    ['https://api.other-cloud.io/mcp', 'this address'],
    ['api.other-cloud.io', 'this host'],
  ] as const) {
    const found_by = `the only listing that records what redirected Dossier to ${what}; ${there}`;
    expect(await callTool(directory, 'get_agent', { handle: asked })).toMatchObject({ handle, found_by });
    const { results } = await callTool<{ results: object[] }>(directory, 'resolve_agents', {
      handles: [asked],
    });
    expect(results).toMatchObject([{ handle, found_by, stands_out: [{ key: 'redirected' }] }]);
    expect(
      (await (await directory.app.request(`/agents?q=${asked}`)).text()).replaceAll(/<[^>]+>/g, ''),
    ).toContain(`${handle} is ${found_by}`);
  }
  const url = 'https://api.other-cloud.io/mcp';
  const offered = await callTool(directory, 'check_offer', { url, offer: { amount: '1', asset: 'USDC' } });
  expect(offered).toMatchObject({
    handle,
    message: expect.stringContaining('At `https://moved.example.com/mcp` on'),
  });
  expect(
    await callTool(directory, 'check_surface', { handle: url, tools: [{ name: 'translate' }] }),
  ).toMatchObject({
    handle,
    result: 'same_names',
  });
  const beside = 'what redirected Dossier to its host is in the record of `com.example.moved/translate`.';
  const other = await callTool<{ detail: string }>(directory, 'get_agent', { handle: `${url}/other` });
  expect(other).toMatchObject({ code: 'unknown_handle', near: [handle] });
  expect(other.detail).toContain(beside);
  const hits = await callTool(directory, 'search_agents', { query: 'translate' });
  const redirected = `redirected Dossier to another host, \`api.other-cloud.io\`, ${days[2]}`;
  expect(hits).toMatchObject({ listings: [{ facts: expect.arrayContaining([redirected]) }] });
  const page = async () => (await directory.app.request(`/agents/${handle}/history`)).text();
  expect(await page()).toContain('(HTTP 308; Dossier did not follow it) instead of MCP');
  expect(await page()).not.toContain('something else');
  await check({ status: 503 });
  expect((await read()).statement).toContain(
    `Checks of the endpoint failed on ${days[3]} (\`moved.example.com\` returned HTTP 503 even for its robots.txt, so Dossier requested nothing else there (RFC 9309)) and ${days[2]} and ${days[1]} (${why}).`,
  );
  await check(undefined);
  const again = await read();
  expect(again.changes.map(unlogged)).toContainEqual(expect.stringContaining(`since ${days[1]} ${why}`));
  // Reasons that differ are said with their days.
  expect(unlogged(again.changes[0] ?? '')).toBe(
    `Endpoint (\`https://moved.example.com/mcp\`): no usable answer came until ${days[3]}, then answered (HTTP status 200)`,
  );
  expect(JSON.stringify(again)).not.toContain('something else');
  expect(await directory.audit()).toEqual([]);
});
