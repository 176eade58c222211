import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openDomainDirectory } from '../claims/domain-directory.ts';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedEndpoint } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

type Json = Record<string, unknown>;
const rated = 'org.rated/api';
const ours = 'com.Rater.tools/api';
const pages = 'page.codeberg.alice/api';
const unclaimed = 'com.unclaimed/api';

/** How the address of a webhook answers its challenge. */
let answer = async (response: ServerResponse, text: string) => void response.end(text);
let owner: string;
let source: string;
let made = 0;

/** Claims a listing by the domain of its namespace; answers the capability. */
async function claimByDomain(handle: string, domain: string): Promise<string> {
  const { challenge, capability } = await service.ask(handle, { method: 'dns' });
  service.setTxt(`_dossier-challenge.${domain}`, challenge);
  expect(await service.ask(handle, { method: 'dns' })).toMatchObject({ status: 'claimed' });
  return capability;
}

const endpoint = await openedEndpoint((body, _request, response) => {
  const { challenge } = JSON.parse(body) as Json;
  void answer(response, JSON.stringify({ challenge }));
});
const service = await opened(
  openDomainDirectory(
    [
      registryEntry(rated, onGitHub('rated/api')),
      registryEntry(ours, onGitHub('Rater/api')),
      registryEntry(pages),
      registryEntry(unclaimed, onGitHub('rater/other')),
    ],
    [],
    { WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': endpoint.url }) },
  ),
);
for (const [handle, path] of [
  [rated, 'rated/api'],
  [ours, 'Rater/api'],
] as const) {
  const repository = service.git.createRepository(path);
  repository.commit({ 'README.md': handle });
  const { file_contents, capability } = await service.claim(handle);
  repository.commit({ 'dossier-claim.txt': String(file_contents) });
  expect(await service.claim(handle)).toMatchObject({ status: 'claimed' });
  if (handle === rated) owner = capability;
  else source = capability;
}
const ofPages = await claimByDomain(pages, 'alice.codeberg.page');

const bearer = (as?: string): Record<string, string> => (as ? { authorization: `Bearer ${as}` } : {});
/** Posts JSON; `accepted`, or the code of the refusal. */
async function post(path: string, body: object, as?: string): Promise<string> {
  const response = await service.directory.post(path, body, as);
  const { code = 'accepted' } = (await response.json()) as { code?: string };
  return code;
}
async function callMcp(tool: string, input: Json, as?: string): Promise<string> {
  const client = await opened(connect('v2', { app: service.directory.app }, bearer(as)));
  const { isError, structuredContent = {} } = await client.call(tool, input);
  return isError ? String((structuredContent.error as Json).code) : 'accepted';
}
const rating = (handle = rated) =>
  ratingOf(handle, {
    interaction_id: `block-${made++}`,
    interaction_at: service.directory.context.clock().toISOString(),
    outcome: 'failed',
    relationship: 'none',
  });
/** A rating that was made before the block. */
async function rate(as: string, handle = rated): Promise<Json> {
  const sent = rating(handle);
  const { rating_id } = await callTool<Json>(service.directory, 'submit_rating', sent, as);
  expect(rating_id).toBeDefined();
  return { ...sent, rating_id };
}

/** Applies a block, does something, undoes the block. */
async function during<T>(on: string, work: () => Promise<T>): Promise<T> {
  await service.directory.act('block', on, 'repeated');
  try {
    return await work();
  } finally {
    await service.directory.restore(on);
  }
}

const account = 'account:github.com/rater';
const namespace = 'namespace:com.rater';

describe('whom a block keeps from writing', () => {
  it.each([
    ...[account, namespace].flatMap((on) => [
      [on, 'claims over HTTP', () => post('/api/claim-github', { handle: ours })] as const,
      [on, 'claims over MCP', () => callMcp('claim_agent', { handle: ours })] as const,
      [
        on,
        'claims with its capability',
        () => post('/api/tools/claim_agent', { handle: ours }, source),
      ] as const,
      [on, 'rates over HTTP', () => post('/api/tools/submit_rating', rating(), source)] as const,
      [on, 'rates over MCP', () => callMcp('submit_rating', rating(), source)] as const,
      [on, 'asks for a look', () => post('/api/capability/check', {}, source)] as const,
    ]),
    [account, 'claims another listing', () => post('/api/claim-github', { handle: unclaimed })] as const,
    [
      account.toUpperCase().replace('ACCOUNT', 'account'),
      'is written in capitals',
      () => post('/api/tools/submit_rating', rating(), source),
    ] as const,
    [
      'account:codeberg.org/alice',
      'claims by the pages of the account',
      () => post('/api/tools/claim_agent', { handle: pages, method: 'dns' }),
    ] as const,
    [
      'account:codeberg.org/alice',
      'claimed by the pages of the account',
      () => post('/api/tools/submit_rating', rating(), ofPages),
    ] as const,
    [
      'account:codeberg.page',
      'has a host of a service',
      () => post('/api/tools/submit_rating', rating(), ofPages),
    ] as const,
  ])('%s: %s', async (on, _, act) => {
    expect(await during(on, act)).toBe('writing_blocked');
  });

  it.each([account, namespace])('%s: amends and responds', async (on) => {
    const amended = await rate(source);
    const received = await rate(owner, ours);
    expect(
      await during(on, async () => [
        await post(
          '/api/tools/submit_rating',
          { ...amended, rating_id: undefined, outcome: 'succeeded', supersedes: amended.rating_id },
          source,
        ),
        await post('/api/tools/respond_to_rating', { rating_id: received.rating_id, text: 'No.' }, source),
        await callMcp('respond_to_rating', { rating_id: String(received.rating_id), text: 'No.' }, source),
        await post('/api/tools/withdraw_rating', { rating_id: amended.rating_id }, source),
      ]),
    ).toEqual(['writing_blocked', 'writing_blocked', 'writing_blocked', 'accepted']);
  });
});

describe('a blocked network', () => {
  /** Status of a request that comes from an address. */
  const send = async (from: string, path: string, body?: object, as?: string) => {
    const request = {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...bearer(as) },
      ...(body && { body: JSON.stringify(body) }),
    };
    const peer = { incoming: { socket: { remoteAddress: from } } };
    return (await service.directory.app.request(path, request, peer)).status;
  };
  const hook = { url: 'https://hook.example/in' };
  const message = { message: 'The tag page is empty' };
  const doors: readonly (readonly [string, string, () => object | undefined, boolean])[] = [
    ['claims', '/api/claim-github', () => ({ handle: unclaimed }), false],
    ['claims by tool', '/api/tools/claim_agent', () => ({ handle: unclaimed }), false],
    ['rates', '/api/tools/submit_rating', () => rating(), true],
    ['sends feedback', '/api/feedback', () => message, false],
    [
      'reports',
      '/api/tools/submit_feedback',
      () => ({ ...message, category: 'report', handle: rated }),
      false,
    ],
    ['registers a webhook', '/api/webhooks', () => hook, false],
    ['asks for a look', '/api/capability/check', () => ({}), true],
    ['withdraws', '/api/tools/withdraw_rating', () => ({ rating_id: 'none' }), true],
  ];

  it.each(doors)('%s nowhere', async (_, path, body, isOurs) => {
    const from = (address: string) => send(address, path, body(), isOurs ? source : undefined);
    await during('network:198.51.100.0/24', async () => {
      expect([await from('198.51.100.7'), await from('::ffff:198.51.100.7')]).toEqual([403, 403]);
      expect(await from('198.51.101.7')).not.toBe(403);
    });
    await during('network:2001:db8:1::/48', async () => {
      expect(await from('2001:db8:1:2::3')).toBe(403);
      expect(await from('2001:db8:2:2::3')).not.toBe(403);
    });
    expect(await from('198.51.100.7')).not.toBe(403);
  });

  it('of IPv6 addresses has no IPv4 address', async () => {
    await during('network:::/0', async () => {
      expect(await send('2001:db8:1:2::3', '/api/feedback', message)).toBe(403);
      expect(await send('198.51.100.7', '/api/feedback', message)).toBe(200);
    });
  });

  it('reads, and ends its capability', async () => {
    await during('network:198.51.100.0/24', async () => {
      for (const path of [`/agents/${rated}`, '/changes?since=0', '/log/checkpoint'])
        expect(await send('198.51.100.7', path)).toBe(200);
      expect(await send('198.51.100.7', '/api/capability/revoke', {}, ofPages)).toBe(200);
    });
  });

  it('leaves no webhook that it began to register before the block', async () => {
    const before = (await service.directory.store.webhooks.list()).length;
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    answer = async (response, text) => {
      asked.resolve();
      await held.promise;
      response.end(text);
    };
    const registering = send('198.51.100.7', '/api/webhooks', hook);
    await asked.promise;
    await during('network:198.51.100.0/24', async () => {
      held.resolve();
      expect(await registering).toBe(403);
    });
    expect(await service.directory.store.webhooks.list()).toHaveLength(before);
  });
});
