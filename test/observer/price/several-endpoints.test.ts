import { expect, it } from 'vitest';
import { comparedOf } from '../../support/compared.ts';
import { startModernServer } from '../../support/endpoints/mcp-endpoint.ts';
import { startMppServer, startShop } from '../../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { alice, mallory, offerOf, unknownToken, usdc } from '../../support/offers.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const handle = 'com.regions/kyc';
const [us, eu] = ['https://us.regions.com/mcp', 'https://eu.regions.com/mcp'];
const hosts = {
  'pro.regions.com': await opened(startShop(() => [offerOf({ amount: '30000' })])),
  'free.regions.com': await opened(startModernServer(() => [])),
  'coin.regions.com': await opened(startShop(() => [offerOf({ asset: unknownToken, amount: '30000' })])),
  'odd.regions.com': await opened(startShop(() => [offerOf({ amount: 'some' })])),
  'tempo.regions.com': await opened(startMppServer('tempo.regions.com')),
  'us.regions.com': await opened(startShop(() => [offerOf({ amount: '20000' })])),
  'eu.regions.com': await opened(startShop(() => [offerOf({ amount: '40000', payTo: mallory })])),
};
const at = (...urls: string[]) => ({ remotes: urls.map((url) => ({ type: 'streamable-http', url })) });
const entry = registryEntry(handle, { description: 'Checks identities', ...at(us, eu) });
/** Beside an endpoint whose quote is within a limit, one of which that is not known. */
const halves = ['free', 'coin', 'odd', 'tempo'].map((host) => ({
  name: `com.halves/${host}`,
  entry: registryEntry(
    `com.halves/${host}`,
    at(`https://${host}.regions.com/mcp`, 'https://pro.regions.com/mcp'),
  ),
}));
const other = registryEntry('com.elsewhere/kyc', { remotes: [] });
const directory = await openedDirectory({
  entries: [entry, other, ...halves.map((one) => one.entry)],
  hosts,
  environment: { LIMITS: 'off' },
});
for (const one of [handle, ...halves.map(({ name }) => name)]) await directory.observe(one);
const client = await opened(connect('v2', { app: directory.app }));
const told = async (tool: string, input: Record<string, unknown>) =>
  (await client.call(tool, input)).content[0]?.text ?? '';

it('what was asked for by an address is answered about that address', async () => {
  for (const [url, other, price] of [
    [us, eu, '0.02'],
    [eu, us, '0.04'],
  ] as const) {
    const asked = `asks for a payment first (${price} USDC on Base)`;
    expect(await told('resolve_agents', { handles: [url] })).toContain(asked);
    expect(await told('search_agents', { query: url })).toContain(asked);
    expect(await told('search_agents', { query: url })).toContain(
      `About \`${url}\`; the record also names \`${other}\`.`,
    );
    expect(await told('get_agent', { handle: url })).toContain(`Endpoint \`${url}\`.`);
  }
});

it('a row about all endpoints names the price of each', async () => {
  expect(await told('search_agents', { query: 'identities' })).toContain(
    'asks for a payment first (0.02 USDC on Base or 0.04 USDC on Base, by endpoint)',
  );
});

it('a payee of another endpoint of the listing is not called a stranger', async () => {
  const answer = await told('check_offer', { url: eu, offer: offerOf() });
  const today = directory.context.clock().toISOString().slice(0, 10);
  expect(answer).toContain(`Payee \`${alice}\`: never seen here`);
  expect(answer).toContain(`Elsewhere, this listing asks for this payee: \`${us}\` since ${today}.`);
});

it('criteria about endpoints are about the address that was asked for, and the answer and the page say so', async () => {
  const criteria = ['price_at_most:0.03 USDC', 'endpoint_at_domain', 'has_endpoint'];
  const compared = async (name: string) => {
    const { structuredContent } = await client.call('compare_agents', {
      handles: [name, 'com.elsewhere/kyc'],
      criteria,
    });
    return comparedOf(structuredContent)[0];
  };
  expect((await compared(handle))?.results).toMatchObject({ 'price_at_most:0.03 USDC': 'not_met' });
  expect(await compared(us)).toMatchObject({
    results: { 'price_at_most:0.03 USDC': 'met', endpoint_at_domain: 'met', has_endpoint: 'met' },
    part_asked: `About \`${us}\`; the record also names \`${eu}\`.`,
    lines: { where: expect.not.stringContaining(eu), costs: expect.not.stringContaining('0.04') },
  });
  expect((await compared(eu))?.results).toMatchObject({ 'price_at_most:0.03 USDC': 'not_met' });
  const path = `/compare?${new URLSearchParams([
    ['handle', us],
    ['handle', 'com.elsewhere/kyc'],
    ['price_at_most', '0.03 USDC'],
  ])}`;
  const page = await (await directory.app.request(path)).text();
  expect(page).toContain('; the record also names ');
  expect(page).not.toContain('0.04 USDC');
});

it.each([
  ['free', 'no quote'],
  ['coin', `quoted: 30000 of \`${unknownToken}\` on Base, not in the asset of this limit`],
  [
    'odd',
    `quoted: an amount that Dossier cannot read of \`${usdc.toLowerCase()}\` on Base, which Dossier cannot compare`,
  ],
  ['tempo', 'quoted: 0.01 USDC.e (scheme `charge`) on Tempo Mainnet, not in the asset of this limit'],
])('why a limit of a price is not known is told of each endpoint: %s', async (host, why) => {
  const asked = {
    handles: [`com.halves/${host}`, 'com.elsewhere/kyc'],
    criteria: ['price_at_most:0.05 USDC'],
  };
  expect(comparedOf((await client.call('compare_agents', asked)).structuredContent)[0]).toMatchObject({
    results: { 'price_at_most:0.05 USDC': 'unknown' },
    reasons: {
      'price_at_most:0.05 USDC': `\`https://${host}.regions.com/mcp\`: ${why}; \`https://pro.regions.com/mcp\`: met`,
    },
  });
});
