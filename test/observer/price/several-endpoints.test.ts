import { expect, it } from 'vitest';
import { comparedOf } from '../../support/compared.ts';
import { openDirectory } from '../../support/directory.ts';
import { startShop } from '../../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { alice, mallory, offerOf } from '../../support/offers.ts';
import { opened } from '../../support/opened.ts';

const handle = 'com.regions/kyc';
const [us, eu] = ['https://us.regions.com/mcp', 'https://eu.regions.com/mcp'];
const hosts = {
  'us.regions.com': await opened(startShop(() => [offerOf({ amount: '20000' })])),
  'eu.regions.com': await opened(startShop(() => [offerOf({ amount: '40000', payTo: mallory })])),
};
const entry = registryEntry(handle, {
  description: 'Checks identities',
  remotes: [us, eu].map((url) => ({ type: 'streamable-http', url })),
});
const other = registryEntry('com.elsewhere/kyc', { remotes: [] });
const directory = await opened(
  openDirectory({ entries: [entry, other], hosts, environment: { LIMITS: 'off' } }),
);
await directory.observe(handle);
const client = await opened(connect('v2', { app: directory.app }));
const told = async (tool: string, input: Record<string, unknown>) =>
  (await client.call(tool, input)).content[0]?.text ?? '';

it('what was asked for by an address is answered about that address', async () => {
  for (const [url, price] of [
    [us, '0.02'],
    [eu, '0.04'],
  ] as const) {
    const asked = `asks for a payment first (${price} USDC on Base)`;
    expect(await told('resolve_agents', { handles: [url] })).toContain(asked);
    expect(await told('search_agents', { query: url })).toContain(asked);
    expect(await told('search_agents', { query: url })).toContain(
      `About \`${url}\`, one of 2 endpoints in the record.`,
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
    part_asked: `About \`${us}\`, one of 2 endpoints in the record.`,
    lines: { where: expect.not.stringContaining(eu), costs: expect.not.stringContaining('0.04') },
  });
  expect((await compared(eu))?.results).toMatchObject({ 'price_at_most:0.03 USDC': 'not_met' });
  const path = `/compare?${new URLSearchParams([
    ['handle', us],
    ['handle', 'com.elsewhere/kyc'],
    ['price_at_most', '0.03 USDC'],
  ])}`;
  const page = await (await directory.app.request(path)).text();
  expect(page).toContain('one of 2 endpoints in the record.');
  expect(page).not.toContain('0.04 USDC');
});
