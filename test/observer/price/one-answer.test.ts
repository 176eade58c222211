import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodePaymentRequiredHeader } from '@x402/core/http';
import { expect, it } from 'vitest';
import { runDossier } from '../../support/command.ts';
import { startEndpoint, startModernServer } from '../../support/endpoints/mcp-endpoint.ts';
import { startPricedServer, startX402Server } from '../../support/endpoints/paid-endpoint.ts';
import { registryEntry, remotesAt } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { atEnd, opened, openedDirectory, openFolder } from '../../support/opened.ts';

const alice = '0x1111111111111111111111111111111111111111';
const at = (...names: string[]) => remotesAt(...names.map((name) => `https://${name}.example.com/mcp`));
const unreadPrice = {
  _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { pricing: { amount: '5' } } },
};
/** Four offers of one amount, each in another token and to another payee, on Base. */
const accepts = [1, 2, 3, 4].map((at) => ({
  scheme: 'exact',
  network: 'eip155:8453' as const,
  amount: '500',
  maxTimeoutSeconds: 60,
  extra: {},
  asset: `0x${String(at).repeat(40)}`,
  payTo: `0x${String(at + 4).repeat(40)}`,
}));
const fourOffers = encodePaymentRequiredHeader({
  x402Version: 2,
  accepts,
  resource: { url: 'https://four.example.com/mcp' },
});
const handles = ['one-of-two', 'four', 'in-tools', 'in-record', 'silent', 'unreadable'].map(
  (name) => `com.example/${name}`,
);

const servers = {
  paid: await startX402Server(() => ({ dollars: '$0.01', payTo: alice })),
  plain: await startModernServer(() => [{ name: 'look_up', description: 'Looks up' }]),
  tools: await startPricedServer({ search: { 'agents-x402/priceUSD': 0.01 }, help: {} }, []),
  four: await startEndpoint((_, { method }, response) => {
    if (method === 'POST') void response.writeHead(402, { 'payment-required': fourOffers }).end('{}');
    else response.writeHead(404).end();
  }),
  cheque: await startEndpoint((_, { method }, response) => {
    if (method === 'POST') void response.writeHead(402).end('{"x402Version":9,"pay":"by cheque"}');
    else response.writeHead(404).end();
  }),
};
for (const one of Object.values(servers)) atEnd(one.close);
const directory = await openedDirectory({
  listening: true,
  entries: [
    registryEntry('com.example/one-of-two', at('paid', 'plain')),
    registryEntry('com.example/four', at('four')),
    registryEntry('com.example/in-tools', at('tools')),
    registryEntry('com.example/in-record', { ...at('plain'), ...unreadPrice }),
    registryEntry('com.example/silent', at('plain')),
    registryEntry('com.example/unreadable', at('cheque')),
  ],
  hosts: Object.fromEntries(Object.entries(servers).map(([name, one]) => [`${name}.example.com`, one])),
});
for (const handle of handles) await directory.observe(handle);

/** What every adapter says of the price of a listing. */
async function said(name: string) {
  const handle = `com.example/${name}`;
  const client = await opened(connect('v2', { app: directory.app }));
  const short = await client.call('get_agent', { handle });
  const found = await client.call('search_agents', { query: name.replaceAll('-', ' ') });
  const [page = '', markdown = ''] = await Promise.all(
    ['', '.md'].map(async (form) => (await directory.app.request(`/agents/${handle}${form}`)).text()),
  );
  const json = short.structuredContent as { lines: { costs: string } };
  return {
    costs: json.lines.costs.replaceAll('`', ''),
    text: short.content[0]?.text ?? '',
    row: (/<details id="ask-price">[\s\S]*?<\/details>/.exec(page)?.[0] ?? '').replaceAll(/<[^>]+>/g, ''),
    markdown: (/### What does it cost[\s\S]*?(?=\n###)/.exec(markdown)?.[0] ?? '').replaceAll('`', ''),
    hits: `${found.content[0]?.text} ${JSON.stringify(found.structuredContent)}`,
  };
}

it.each(['one-of-two', 'in-tools', 'in-record', 'silent', 'unreadable'])(
  'says of %s neither that it is free nor, of all of it, that no price is known',
  async (name) => {
    const { text, row, markdown, hits } = await said(name);
    for (const one of [text, row, markdown, hits]) {
      expect(one).not.toMatch(/\bfree\b|no price seen:|no price is known|has no field that states a price/i);
    }
    expect(hits).toContain(`com.example/${name}`);
    expect(hits).not.toMatch(/price|cost/i);
  },
);

it('is found by dossier inventory --fail-on paid where a request for a payment was seen, and only there', async () => {
  const folder = openFolder();
  const urls = ['paid', 'plain', 'tools', 'four', 'cheque'].map((name) => `https://${name}.example.com/mcp`);
  const file = join(folder, 'mcp.json');
  const of = (some: readonly string[]) => Object.fromEntries(some.map((url) => [url, { url }]));
  const ran = (some: readonly string[], ...more: string[]) => {
    writeFileSync(file, JSON.stringify({ mcpServers: of(some) }));
    const args = ['inventory', file, '--service', directory.url, ...more];
    return runDossier(args, { HOME: folder }, folder);
  };
  const { servers: found } = JSON.parse((await ran(urls, '--json')).stdout) as {
    servers: { name: string; findings: string[] }[];
  };
  const paid = found.filter(({ findings }) => findings.includes('paid')).map(({ name }) => name);
  expect(paid).toEqual(urls.filter((url) => !url.includes('plain')));
  const { code, stdout } = await ran(urls.slice(0, 1), '--fail-on', 'paid');
  expect([code, stdout]).toEqual([1, expect.stringMatching(/1 listed, 1 seen to ask for a payment/)]);
  expect((await ran(urls.slice(1, 2), '--fail-on', 'paid')).code).toBe(0);
});

it('the first three of several offers have their token and their payee in the short answer, all of them in full', async () => {
  const offer = (at: number) =>
    `500 of 0x${String(at).repeat(40)} on Base (eip155:8453), paid to 0x${String(at + 4).repeat(40)}`;
  const three = `Quotes for one request before it answers: ${[1, 2, 3].map(offer).join('; or ')}`;
  const { costs } = await said('four');
  expect(costs).toBe(`${three}; and 1 more offer.`);
  const client = await opened(connect('v2', { app: directory.app }));
  const { content } = await client.call('get_agent', { handle: 'com.example/four', detail: 'full' });
  expect(content[0]?.text?.replaceAll('`', '')).toContain(`${three}; or ${offer(4)}`);
});

it('a search for what asks for no payment says that calls may cost, and why the best others are left out', async () => {
  const input = { query: 'plain description', no_payment_seen: true };
  directory.wait(60);
  const client = await opened(connect('v2', { app: directory.app }));
  const { structuredContent, content } = await client.call('search_agents', input);
  const listed = await client.call('search_agents', { no_payment_seen: true });
  const { listings, left_out } = structuredContent as {
    listings: { handle: string; facts: string[] }[];
    left_out: { count: number; best: { handle: string; why: string }[] };
  };
  expect(listings.map(({ handle }) => handle)).toEqual(['com.example/in-record', 'com.example/silent']);
  for (const { facts } of listings) expect(facts).toContain('no price seen; calls may cost');
  expect(listed.content[0]?.text).toContain('| no price seen; calls may cost |');
  expect(left_out.count).toBe(4);
  const whyOf = Object.fromEntries(left_out.best.map(({ handle, why }) => [handle, why]));
  expect(whyOf).toEqual({
    'com.example/four': expect.stringMatching(/^Quotes .* on Base .* \(Dossier, \S+\)\.$/),
    'com.example/unreadable': expect.stringMatching(
      /^Price not known: the endpoint asked for a payment \(HTTP 402\)/,
    ),
    'com.example/in-tools': expect.stringContaining('0.01'),
  });
  expect(content[0]?.text).toContain(
    'The filters by facts about a service leave out 4 of what matches the rest. The first of these:\n* `com.example/',
  );
});
