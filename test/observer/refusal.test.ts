import { describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { callTool } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { startFetchServer } from '../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const endpoint = await opened(
  startModernServer(() => [{ name: 'replay', description: 'Replays a webhook' }]),
);
const service = await opened(openClaimedDirectory({ hosts: { 'mcp.webhook.co': endpoint } }));

async function observe() {
  const { observations } = await service.observe('co.webhook/webhook');
  return Object.fromEntries(observations.map(({ kind, outcome, reason }) => [kind, { outcome, reason }]));
}

it('sends nothing to a service whose claim file says "observe: no", and says why', async () => {
  const repository = service.git.createRepository('webhook-co/webhook');
  repository.commit({ 'dossier-claim.txt': 'Leave us alone, please.\r\nobserve: no\r\n' });
  expect((await observe())['endpoint.answers']).toEqual({
    outcome: 'refused',
    reason:
      '`dossier-claim.txt` in `github.com/webhook-co/webhook` asks Dossier not to check this service (a line “observe: no”).',
  });
  expect(endpoint.sent).toEqual([]);
});

it.each([429, 500, 404])(
  'leaves it alone as long as the file cannot be read again: HTTP %d',
  async (status) => {
    service.git.fault = (_, response) => Boolean(response.writeHead(status).end());
    service.wait(86_400);
    expect((await observe())['endpoint.answers']).toMatchObject({ outcome: 'refused' });
    service.git.fault = undefined;
    expect(endpoint.sent).toEqual([]);
  },
);

it('looks again once the line is gone, and HEAD of the repository is a fact', async () => {
  service.git.removeRepository('webhook-co/webhook');
  const anew = service.git.createRepository('webhook-co/webhook');
  const commit = anew.commit({ 'README.md': 'no claim file' });
  const found = await observe();
  expect(found['endpoint.answers']).toMatchObject({ outcome: 'seen' });
  const listing = await service.store.observations.ofListing('co.webhook/webhook');
  expect(listing?.observations.find(({ kind }) => kind === 'repository.head')).toMatchObject({
    value: { commit, branch: 'main' },
  });
});

describe('an endpoint that refuses whoever sends no secret, which its record requires', () => {
  const handle = 'com.heronbank/ledger';
  const url = 'https://mcp.heronbank.com/mcp';
  const day_ms = 86_400_000;
  const timeAgo = (days: number) => new Date(Date.now() - days * day_ms).toISOString();
  const versionOf = (version: string, days: number, headers: object[], isLatest = true) =>
    registryEntry(
      handle,
      { version, remotes: [{ type: 'streamable-http', url, headers }] },
      { publishedAt: timeAgo(days), updatedAt: timeAgo(days), isLatest },
    );
  const key = { name: 'X-Heron-Key', isRequired: true, isSecret: true };
  const refusal = (status: number) =>
    `the endpoint returned HTTP ${status} to Dossier, which sends no secret; the record requires \`X-Heron-Key\`: whether it answers with it is not known`;

  interface Answer {
    readonly stands_out?: readonly string[];
    readonly lines?: { readonly where: string };
    readonly next?: string;
    readonly listings?: readonly { readonly observed?: object; readonly facts?: readonly string[] }[];
    readonly results?: readonly {
      readonly facts: readonly string[];
      readonly stands_out: readonly { readonly key: string }[];
    }[];
    readonly changes?: readonly string[];
  }

  async function openAt(entries: ReturnType<typeof versionOf>[]) {
    const served = { isOpen: true, status: 403 };
    const plain = await opened(startModernServer(() => [{ name: 'list_accounts' }]));
    const server = await opened(
      startFetchServer(async (request) => {
        if (!served.isOpen) return Response.json({ message: 'Forbidden' }, { status: served.status });
        const headers = [...request.headers].filter(
          ([name]) => !/^(host|connection|content-length)$/.test(name),
        );
        const { pathname } = new URL(request.url);
        const { method } = request;
        const body = method === 'POST' && { body: await request.text() };
        return fetch(`${plain.url}${pathname}`, { method, headers, ...body });
      }),
    );
    const directory = await openedDirectory({
      entries: [...entries, registryEntry('com.other/b')],
      hosts: { 'mcp.heronbank.com': server },
    });
    const ask = (tool: string, input: object) => callTool<Answer>(directory, tool, input);
    const answers = async () => {
      const { stands_out = [], lines, next } = await ask('get_agent', { handle });
      const handles = [handle, 'com.other/b'];
      const { listings } = await ask('compare_agents', { handles, criteria: ['endpoint_observed_alive'] });
      const { results } = await ask('resolve_agents', { handles: [url] });
      const found = await ask('search_agents', { query: handle });
      const { changes } = await ask('get_history', { handle });
      return {
        stands_out,
        where: lines?.where,
        next,
        alive: listings?.[0]?.observed,
        keys: results?.[0]?.stands_out.map(({ key }) => key),
        facts: [results?.[0]?.facts[0], found.listings?.[0]?.facts?.[0]],
        changes,
      };
    };
    return { directory, served, answers };
  }

  it.each([400, 403])('HTTP %i is no end of it: whether it answers is not known', async (status) => {
    const { directory, served, answers } = await openAt([versionOf('1.0.0', 40, [key])]);
    Object.assign(served, { isOpen: false, status });
    for (let n = 0; n < 3; n += 1) {
      await directory.observe(handle);
      directory.wait(86_400);
    }
    const { changes: _, ...told } = await answers();
    expect(told).toEqual({
      stands_out: ['The record asks for 1 secret.'],
      where: `Endpoint over streamable-http: ${refusal(status)}.`,
      next: undefined,
      alive: { endpoint_observed_alive: 'unknown' },
      keys: ['secrets'],
      facts: Array(2).fill(expect.stringMatching(/^refused without the recorded secret \d{4}/)),
    });
  });

  it('is none of it either where the record names no secret, but of what fails it is', async () => {
    const { directory, served, answers } = await openAt([versionOf('1.0.0', 40, [])]);
    for (const [status, next] of [
      [403, 'get_history'],
      [502, 'get_history; search_agents, similar_to this one'],
    ] as const) {
      Object.assign(served, { isOpen: false, status });
      for (let n = 0; n < 2; n += 1) {
        await directory.observe(handle);
        directory.wait(86_400);
      }
      expect((await answers()).next).toBe(next);
    }
  });

  it('nor does what a check saw before contradict the version that requires it', async () => {
    const { directory, served, answers } = await openAt([versionOf('1.0.0', 40, [])]);
    directory.wait(-10 * 86_400);
    await directory.observe(handle);
    served.isOpen = false;
    for (let n = 0; n < 3; n += 1) {
      directory.wait(86_400);
      await directory.observe(handle);
    }
    await directory.importEntries([versionOf('1.0.0', 40, [], false), versionOf('2.0.0', 7, [key])]);
    for (let n = 0; n < 3; n += 1) {
      directory.wait(86_400);
      await directory.observe(handle);
    }
    const { changes, ...told } = await answers();
    expect(told).toEqual({
      stands_out: [
        expect.stringContaining('newly asks for the secret `X-Heron-Key`'),
        'The record asks for 1 secret.',
      ],
      where: `Endpoint over streamable-http: ${refusal(403)}.`,
      next: undefined,
      alive: { endpoint_observed_alive: 'unknown' },
      keys: ['moved', 'secrets'],
      facts: Array(2).fill(expect.stringMatching(/^refused without the recorded secret \d{4}/)),
    });
    expect(changes?.[0]).toContain(
      'then it refuses without the secret that its record requires; no longer seen either: ',
    );
  });
});
