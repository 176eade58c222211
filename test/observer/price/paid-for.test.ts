import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Observation } from '../../../src/observations/observation.ts';
import { runDossier } from '../../support/command.ts';
import { comparedOf } from '../../support/compared.ts';
import { type Directory, openDirectory } from '../../support/directory.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../../support/entries.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';
import { alice, mallory, unknownToken, usdc } from '../../support/offers.ts';

const bob = `0x${'3'.repeat(40)}`;
const solana = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const folder = mkdtempSync(join(tmpdir(), 'dossier-paid-for-'));
const lock = join(folder, 'dossier.lock.json');
const title = 'Prices and payees';

const offer = (payTo: string, changed: object = {}) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  payTo,
  asset: usdc,
  amount: '10000',
  maxTimeoutSeconds: 60,
  ...changed,
});
const dear = { amount: '900000' };
const onPolygon = { network: 'eip155:137', asset: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359' };
const onSolana = offer(solana, {
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
});

let accepts: readonly object[] = [offer(alice)];
let number = 0;
let handle = '';
let endpoint: Endpoint;
let directory: Directory;
beforeAll(async () => {
  endpoint = await startEndpoint((_body, { method }, response) => {
    if (method !== 'POST') return void response.writeHead(404).end();
    response.writeHead(402, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts }));
  });
  const hosts = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`pay${at}.example.com`, endpoint.url]),
  );
  directory = await openDirectory({
    entries: Object.keys(hosts).map((host, at) =>
      registryEntry(`com.example/pay${at}`, {
        remotes: [{ type: 'streamable-http', url: `https://${host}/mcp` }],
      }),
    ),
    environment: { HOST_OVERRIDES: JSON.stringify(hosts), LIMITS: 'off' },
    listening: true,
  });
});
afterAll(async () => {
  await directory.close();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  handle = `com.example/pay${number}`;
  number += 1;
});

const first = async (...offers: readonly object[]) => {
  accepts = offers;
  await directory.observe(handle);
};
const next = (...offers: readonly object[]) => {
  accepts = offers;
  return changesOfNextCheck(directory, handle, title);
};
const get = async (path: string) => (await directory.app.request(path)).text();
const seen = async (kind: string) => {
  const { observations } = JSON.parse(await get(`/agents/${handle}.json`)) as { observations: Observation[] };
  return observations.find((one) => one.kind === kind);
};
const call = async <Answer>(tool: string, body: object) => {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await (await directory.app.request(`/api/tools/${tool}`, init)).json()) as Answer;
};

it('the same addresses on one more network are the same addresses, since the same day', async () => {
  await first(offer(alice), onSolana);
  directory.wait(40 * 86_400);
  expect(await next(offer(alice), offer(alice, onPolygon), onSolana)).toEqual([
    expect.stringMatching(/^also quoted: 0.01 USDC on Polygon \(/),
  ]);
  expect(await get(`/agents/${handle}.md`)).toContain('exactly these payees since');
  const compared = await call<object>('compare_agents', {
    handles: [handle, 'com.example/pay7'],
    criteria: ['pay_to_unchanged_for:30'],
  });
  expect(comparedOf(compared)[0]?.observed).toMatchObject([{ result: 'met' }]);
});

it('payees of two amounts that change places are a change at every door, and their addresses are not', async () => {
  await first(offer(alice), offer(bob, dear));
  const from = ['--from', directory.url, '--out', lock];
  expect(await runDossier(['lock', ...from, handle], {})).toMatchObject({ code: 0 });
  const before = await get('/changes?since=0');
  const said = `\`${alice}\` and \`${bob}\` are paid for other offers on Base than before`;
  expect(await next(offer(bob), offer(alice, dear))).toEqual([
    expect.stringContaining(`${said} (the other was last seen on `),
  ]);
  expect(await get(`/agents/${handle}.md`)).toContain(`${said} (between `);
  expect((await get('/changes?since=0')).slice(before.length)).toContain('price.offers');
  const { code, stdout } = await runDossier(['check', ...from], {});
  expect([code, stdout]).toEqual([1, expect.stringContaining(said)]);
  const { offers } = await call<{ offers: { payee: string; facts: string[] }[] }>('check_offer', {
    handle,
    offer: [offer(alice)],
  });
  expect(offers[0]?.payee).toBe('seen_until');
  expect(offers[0]?.facts[0]).toMatch(
    /^Payee `0x1{40}`: seen until [\d-]{10} for this amount, asset, network and scheme; other: `0x3{40}`; for other offers as seen since /,
  );
});

it('payees that change places are a change, also if every amount is another one', async () => {
  await first(offer(alice), offer(bob, dear));
  const nudged = [offer(bob, { amount: '10001' }), offer(alice, { amount: '900001' })];
  const moved = `\`${alice}\` and \`${bob}\` are paid for other offers on Base than before`;
  expect(await next(...nudged)).toEqual([expect.stringContaining(`${moved}. Price raised from 0.01 USDC`)]);
  const [later = ''] = await next(offer(bob, { amount: '10002' }), offer(alice, { amount: '900002' }));
  expect(later).toContain('rice raised from 0.010001 USDC');
  expect(later).not.toContain('paid');
});

it('payees that change places between assets or networks are a change, and a new address is told once', async () => {
  await first(offer(alice), offer(bob, { asset: unknownToken }));
  expect(await next(offer(bob), offer(alice, { asset: unknownToken }))).toEqual([
    expect.stringContaining(`\`${alice}\` and \`${bob}\` are paid for other offers on Base than before (`),
  ]);
  await next(offer(bob), offer(alice, onPolygon));
  expect(await next(offer(alice), offer(bob, onPolygon))).toEqual([
    expect.stringContaining(`payee changed from \`${alice}\` to \`${bob}\` on Polygon`),
  ]);
  await next(offer(alice), offer(mallory, onPolygon));
  const { stands_out = [] } = await call<{ stands_out?: string[] }>('get_agent', { handle });
  expect(stands_out.filter((one) => one.includes(mallory))).toEqual([
    expect.stringMatching(/payee changed from `0x3{40}` to `0x2{40}` on Polygon \(between /),
  ]);
});

it('an offer that Dossier cannot read any more is said to be that, and a new payee beside it is told', async () => {
  await first(offer(alice), offer(bob, onPolygon));
  const unread = offer(bob, { ...onPolygon, amount: '0.01' });
  expect(await next(offer(alice), unread)).toEqual([
    expect.stringMatching(
      /^price changed from 0.01 USDC on Polygon to an amount that Dossier cannot read of `0x3c\w+` on Polygon \(/,
    ),
  ]);
  const { value, reason } = (await seen('price.offers')) ?? {};
  expect(value).toMatchObject({ count: 2, unreadable: 1, payees: [{ address: alice }, { address: bob }] });
  expect(reason).toContain('Dossier could not read 1 of the 2 offers');
  expect(await next(offer(mallory), unread)).toEqual([expect.stringContaining(mallory)]);
});
