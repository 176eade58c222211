import { describe, expect, it } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { storedTools, toTimelines } from '../support/facts.ts';
import { alice, mallory, usdc } from '../support/offers.ts';
import { openedDirectory } from '../support/opened.ts';
import { faultsOfHtml } from '../support/valid-html.ts';

const url = 'https://mcp.example.com/mcp';
const npm = (type: string, environmentVariables: readonly object[] = []) => ({
  registryType: 'npm',
  identifier: 'several',
  version: '1.0.0',
  transport: type === 'stdio' ? { type } : { type, url: 'http://localhost:3000/mcp' },
  environmentVariables,
});
const entries = [
  registryEntry('com.example/paid', { remotes: [{ type: 'streamable-http', url }] }),
  registryEntry('com.example/several', {
    packages: [
      npm('stdio', [
        { name: 'KEY', isRequired: true, isSecret: true, description: 'The key of your account' },
      ]),
      npm('sse', [{ name: 'PORT' }]),
      npm('streamable-http'),
    ],
  }),
];
const version = (name: string, host: string, isLatest: boolean) =>
  registryEntry(
    'com.example/moved',
    { version: name, remotes: [{ type: 'streamable-http', url: `https://${host}/mcp` }] },
    { isLatest, publishedAt: `2026-0${name.charAt(0)}-01T00:00:00Z`, updatedAt: '2026-09-01T00:00:00Z' },
  );
entries.push(version('1.0.0', 'mcp.example.com', false), version('2.0.0', 'mcp.elsewhere.net', true));
const directory = await openedDirectory({ entries });
const at = directory.context.clock().toISOString();
const offer = (amount: string, address: string, network: string) => ({
  amount,
  asset: usdc.toLowerCase(),
  network,
  scheme: 'exact',
  pays: [{ address }],
});
const offers = [offer('20000', alice, 'eip155:8453'), offer('30000', mallory, 'eip155:1')];
const payees = offers.map(({ network, pays: [to] }) => ({ address: to?.address, network }));
const check = {
  source: 'Dossier',
  vantage: 'here',
  recorded: url,
  observed_at: at,
  first_seen_at: at,
  outcome: 'seen',
};
const handle = 'com.example/paid';
const digest = 'd'.repeat(64);
const members = [
  {
    name: 'delete_all',
    description: 'Deletes everything',
    annotations: { readOnlyHint: false, destructiveHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'What to <b>delete</b>' },
        depth: { type: ['number', 'null'] },
      },
      required: ['path'],
    },
  },
];
const stored = await storedTools({ handle, subject: url }, { digest, first_seen_at: at, members });
const summary = { place: 'quote', count: 2, priced: 2, offers, payees };
await directory.store.write(async (tx) => {
  const observations = [
    { ...check, kind: 'price.offers', subject: url, method_version: 'offers/1', value: summary },
    { ...check, kind: 'tools.surface', subject: url, method_version: '1', value: digest },
  ];
  await tx.observations.put({ handle, observed_at: at, timelines: toTimelines(observations) });
  const there = { ...check, kind: 'package.exists', subject: 'npm:several', recorded: 'npm:several@1.0.0' };
  const published = [{ ...there, method_version: '1', value: { version: '1.0.0' } }];
  await tx.observations.put({
    handle: 'com.example/several',
    observed_at: at,
    timelines: toTimelines(published),
  });
  await tx.observations.putValue(stored);
});

const pageOf = async (path: string) => {
  const page = await (await directory.app.request(path, { headers: { accept: 'text/html' } })).text();
  expect(await faultsOfHtml(page)).toEqual([]);
  return page;
};
/** The cells of each row of the first table after a text. */
function rowsAfter(page: string, text: string): string[][] {
  const from = page.indexOf(text);
  const [table = ''] = /<table[\s\S]*?<\/table>/.exec(page.slice(from)) ?? [];
  return [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replaceAll(/<[^>]+>/g, '')),
  );
}

describe('what there are several of is a table', () => {
  it('of offers, in the line about costs and in its fold', async () => {
    const page = await pageOf(`/agents/${handle}`);
    const rows = [
      ['Amount', 'Paid to', 'Network', 'Asset'],
      ['0.02 USDC', alice, 'Base (eip155:8453)', usdc.toLowerCase()],
      ['30000', mallory, 'Ethereum (eip155:1)', usdc.toLowerCase()],
    ];
    expect(rowsAfter(page, '<dt>Costs</dt>')).toEqual(rows);
    expect(rowsAfter(page, 'id="facts-price"')).toEqual(rows);
    expect(page).toContain('Quotes for one request before it answers: 2 offers (Dossier, ');
  });

  it('of inputs and packages, which tells one package in three transports apart', async () => {
    const page = await pageOf('/agents/com.example/several');
    expect(rowsAfter(page, 'id="facts-access"')).toEqual([
      ['Name', 'Needed', 'Secret', 'Where it goes', 'Description'],
      [
        'KEY',
        'yes',
        'yes',
        'an environment variable at npm several@1.0.0 over stdio',
        '“The key of your account”',
      ],
      [
        'PORT',
        'no',
        'no',
        'an environment variable at npm several@1.0.0 over sse at http://localhost:3000/mcp on your own machine',
        '',
      ],
    ]);
    expect(rowsAfter(page, 'id="facts-reach"')).toEqual([
      ['Registry', 'Package', 'Transport', 'Inputs'],
      ['npm', 'several@1.0.0', 'stdio', '1'],
      ['npm', 'several@1.0.0', 'sse', '1'],
      ['npm', 'several@1.0.0', 'streamable-http', '0'],
    ]);
    expect(page.replaceAll(/<[^>]+>/g, '')).toContain(
      'version 1.0.0 at npm:several over stdio, sse and streamable-http (Dossier,',
    );
  });

  it('of versions, with what each changed', async () => {
    const [heads, newest, oldest] = rowsAfter(await pageOf('/agents/com.example/moved/versions'), '<main');
    expect(heads).toEqual(['Version', 'Published', 'What it changed', 'Record']);
    expect([newest?.[0], newest?.[2]]).toEqual([
      '2.0.0 newest',
      'moved the endpoint from mcp.example.com to mcp.elsewhere.net in the history of 2.0.0',
    ]);
    expect([oldest?.[0], oldest?.[2]]).toEqual([
      '1.0.0',
      'was not compared, because no version before it was read',
    ]);
    const page = await pageOf('/agents/com.example/moved/versions');
    const [, entry = ''] = /href="[^"]*\/history\?kind=record#(at-\d+)"/.exec(page) ?? [];
    expect(await pageOf('/agents/com.example/moved/history?kind=record')).toContain(`id="${entry}"`);
    const [, record = ''] = /href="(\/v0\.1\/[^"]*2\.0\.0)"/.exec(page) ?? [];
    expect((await directory.app.request(record)).status).toBe(200);
  });

  it('of parameters of a tool, with what its publisher states at its name', async () => {
    const page = await pageOf(`/agents/${handle}/tools`);
    expect(page.replaceAll(/<[^>]+>/g, '')).toContain(
      'delete_all the publisher states: may change something, destructive',
    );
    expect(rowsAfter(page, 'delete_all')).toEqual([
      ['Parameter', 'Type', 'Needed', 'Description'],
      ['path', 'string', 'yes', 'What to &lt;b&gt;delete&lt;/b&gt;'],
      ['depth', 'number or null', 'no', ''],
    ]);
  });
});
