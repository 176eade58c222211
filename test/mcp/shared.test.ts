import { beforeAll, describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { documentOf } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { clientKinds, connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const at = (host: string) => [{ type: 'streamable-http', url: `https://${host}/mcp` }];
const npm = (identifier: string) => [
  { registryType: 'npm', identifier, version: '1.0.0', transport: { type: 'stdio' } },
];
const words = 'Sends postcards to the friends of a caller, printed on paper.';
const published = (publishedAt: string) => ({ publishedAt, updatedAt: publishedAt });

/** Its handle is text of a stranger's choice. */
const squatter = `com.aquat.seen-by-dossier/stole-funds.see-evil.com${'x'.repeat(80)}`;

const entries = [
  registryEntry(
    'com.postcards/mail',
    { description: words, remotes: at('mcp.postcards.com'), packages: npm('@postcards/mail') },
    published('2026-03-01T08:00:00Z'),
  ),
  registryEntry(
    'io.github.postcards/mail',
    { description: words.toUpperCase(), remotes: at('MCP.postcards.com') },
    published('2026-02-01T08:00:00Z'),
  ),
  registryEntry(
    'io.github.someone/cards',
    {
      remotes: at('mcp.postcards.com'),
      packages: npm('@postcards/mail'),
      repository: { url: 'https://github.com/someone/cards.git' },
    },
    published('2026-04-01T08:00:00Z'),
  ),
  registryEntry('com.twins/one', { remotes: at('twins.example.net') }),
  registryEntry('com.twins/two', { remotes: at('twins.example.net') }),
  registryEntry('com.ferry/tools', { remotes: [...at('a.ferry.com'), ...at('b.ferry.com')] }),
  registryEntry('org.copy/later', { remotes: at('a.ferry.com') }, published('2026-10-03T08:00:00Z')),
  registryEntry(
    'org.copy/both',
    { remotes: [...at('b.ferry.com'), ...at('a.ferry.com')] },
    published('2026-10-02T08:00:00Z'),
  ),
  registryEntry('com.alone/mail', { remotes: at('mcp.alone.com') }),
  registryEntry(
    'com.reef/eels',
    { description: 'Counts the eels of a reef at night, and says where.', packages: npm('reef-eels') },
    { ...published('2026-02-01T08:00:00Z'), status: 'deprecated' },
  ),
  registryEntry('com.kelp/eels', {
    description: 'Counts the eels of a reef at night, and says where.',
    packages: npm('reef-eels'),
  }),
  registryEntry('com.acme.mcp/guest', { remotes: at('customer7.acme.com') }),
  registryEntry('com.acme.mcp/own', {
    remotes: [...at('eu.mcp.acme.com'), ...at('a.acme.com'), ...at('b.com')],
  }),
  registryEntry('live.alpic.staging/host', { remotes: at('one.staging.alpic.live') }),
  registryEntry('com.acme.mcp/any', { remotes: at('{tenant}.acme.com') }),
  // Short descriptions are the same by chance, except of listings with the same name.
  registryEntry('com.lumetra/crm', { description: 'The CRM of Lumetra' }, published('2026-02-01T08:00:00Z')),
  registryEntry('com.lumetra-app/crm', {
    description: 'The CRM of  lumetra.',
    remotes: at('crm.workers.dev'),
  }),
  registryEntry('com.lumetra-blog/posts', { description: 'The CRM of Lumetra' }),
  ...['one', 'two'].flatMap((publisher) => [
    registryEntry(`com.${publisher}-mcp/mcp-server`, { description: 'A Model Context Protocol server' }),
    registryEntry(`com.${publisher}-todo/weather`, { description: 'A test server' }),
  ]),
  registryEntry('com.northgate/billing', {
    websiteUrl: 'https://www.northgate.com/mcp',
    repository: { url: 'https://github.com/northgate-hq/billing' },
  }),
  registryEntry('io.github.northgate-hq/mcp', { description: 'Invoices' }),
  registryEntry(
    'ai.northgate-mcp/pay',
    { websiteUrl: 'https://northgate.com' },
    published('2026-01-01T08:00:00Z'),
  ),
  registryEntry('com.held/post', { remotes: at('mcp.held.com') }, published('2026-11-01T08:00:00Z')),
  registryEntry(squatter, { remotes: at('mcp.held.com') }),
  registryEntry('com.stray/pay', {
    websiteUrl: 'https://stray.com',
    remotes: at('mcp.northgate.com'),
  }),
  registryEntry('io.github.pebble/pay', {
    websiteUrl: 'https://northgate.com',
    remotes: at('pay.northgate.com'),
  }),
  registryEntry('com.route/trade', {
    description: 'Swaps tokens for agents, without holding them.',
    repository: { url: 'https://github.com/route/trade' },
  }),
  registryEntry(
    'io.github.route/trade',
    {
      description: 'Swaps tokens for agents, without holding them.',
      repository: { url: 'https://github.com/route/trade' },
    },
    published('2026-02-02T08:00:00Z'),
  ),
  registryEntry(
    'io.github.stranger/trade',
    { description: 'Swaps tokens for agents, without holding them.' },
    published('2026-02-01T08:00:00Z'),
  ),
  registryEntry('com.red/tools', { remotes: at('red.example.net') }),
  registryEntry('com.blue/tools', { remotes: at('blue.example.net') }),
];

const tools = ['read', 'send', 'list'].map((name) => ({ name, description: name, readOnlyHint: true }));
const red = await opened(startModernServer(() => tools));
const blue = await opened(startModernServer(() => tools));
const directory = await openedDirectory({
  entries,
  environment: {
    LIMITS: 'off',
    HOST_OVERRIDES: JSON.stringify({ 'red.example.net': red.url, 'blue.example.net': blue.url }),
  },
});

interface Answer {
  readonly stands_out?: readonly string[];
  readonly lines: { readonly whose: string };
}

describe.each(clientKinds)('get_agent, asked by a client %s', async (kind) => {
  const client = await opened(connect(kind, { app: directory.app }));
  const ask = async (handle: string) =>
    (await client.call('get_agent', { handle })).structuredContent as unknown as Answer;

  it('says of a listing that it names whether its registry lists it as deprecated', async () => {
    expect((await ask('com.kelp/eels')).stands_out).toContain(
      '`com.reef/eels` (domain reef.com, deprecated in its registry) records the same package. `com.reef/eels` has the same description too.',
    );
    expect((await ask('com.reef/eels')).stands_out?.join()).not.toContain('kelp.com, deprecated');
  });

  it('names of each thing that is shared the oldest listing of another publisher, and how many more there are', async () => {
    expect((await ask('com.postcards/mail')).stands_out).toEqual([
      '`io.github.postcards/mail` (GitHub account postcards) records the same endpoint; so does 1 more listing of other publishers. `io.github.postcards/mail` has the same description too. `io.github.someone/cards` (GitHub account someone) records the same package.',
    ]);
    const page = await (await directory.app.request('/agents/com.postcards/mail')).text();
    expect(page.replace(/<[^>]+>/g, '')).toContain(
      'Another listing (GitHub account postcards) records the same endpoint; so does 1 more listing of other publishers. The linked listing has the same description too. Another listing (GitHub account someone) records the same package.',
    );
  });

  it('says only of the proven domain and what is below it that an endpoint is on it', async () => {
    expect((await ask('com.acme.mcp/guest')).lines.whose).toMatch(
      /^Domain mcp\.acme\.com, proven to the registry; its endpoint is not on it but under the same registered domain `acme\.com`; 3 listings of this publisher here; not claimed\.$/,
    );
    expect((await ask('com.acme.mcp/own')).lines.whose).toMatch(
      /^Domain mcp\.acme\.com, proven to the registry; 1 of its 3 endpoints is on it, 1 under the same registered domain `acme\.com`; /,
    );
    // Each host below the domain of a hosting service may be another customer's, and is below the domain that
    // was proven.
    expect((await ask('live.alpic.staging/host')).lines.whose).toMatch(
      /^Domain staging\.alpic\.live, proven to the registry; its endpoint is on it: `alpic\.live`, where others can have hosts too; /,
    );
  });

  it('shortens the handle of a stranger, which stands on the page only behind the fold', async () => {
    expect((await ask('com.held/post')).stands_out).toEqual([
      '`com.aquat.seen-by-dossier/stole-funds.see-evil.comxxxxxxx...` (domain aquat.com) records the same endpoint.',
    ]);
    const page = await (await directory.app.request('/agents/com.held/post')).text();
    const [front = '', facts = ''] = page
      .split('All facts and sources')
      .map((html) => html.replace(/<[^>]+>/g, ''));
    expect(front).toContain('Another listing (domain aquat.com) records the same endpoint.');
    expect(front).not.toContain('stole-funds');
    expect(facts).toContain('com.aquat.seen-by-dossier/stole-funds.see-evil.com');
  });

  it('counts nobody as one more listing whom the answer names already', async () => {
    expect((await ask('com.route/trade')).stands_out).toEqual([
      '`io.github.route/trade` (GitHub account route) records the same repository. `io.github.stranger/trade` (GitHub account stranger) has the same description; so does `io.github.route/trade`.',
    ]);
    expect((await ask('io.github.stranger/trade')).stands_out).toEqual([
      '`io.github.route/trade` (GitHub account route) has the same description; so does 1 more listing of other publishers.',
    ]);
  });

  it('says as a hit does, on the page and of all endpoints, that others can have hosts where one is', async () => {
    const hit = await client.call('search_agents', { query: 'com.lumetra-app/crm' });
    const where = 'endpoint is on another domain: `workers.dev`, where others can have hosts too';
    expect(JSON.stringify(hit.structuredContent)).toContain(
      'domain lumetra-app.com, its endpoint on `workers.dev`, where others can have hosts too',
    );
    expect((await ask('com.lumetra-app/crm')).lines.whose).toContain(where);
    const staging = await client.call('resolve_agents', { handles: ['live.alpic.staging/host'] });
    expect(JSON.stringify(staging.structuredContent)).toContain(
      'domain staging.alpic.live, its endpoint on it: `alpic.live`, where others can have hosts too',
    );
  });

  it('tells listings of the same publisher apart from others', async () => {
    const answer = await ask('com.twins/one');
    expect(answer.lines.whose).toContain('`com.twins/two` of this publisher records the same endpoint');
    expect(answer).not.toHaveProperty('stands_out');
    const asked = { handles: ['com.twins/one', 'com.alone/mail'], criteria: ['nothing_shared'] };
    const { content } = await client.call('compare_agents', asked);
    expect(content[0]?.text?.match(/nothing_shared: .*/g)).toEqual([
      'nothing_shared: met (other listings of its own publisher do not count)',
      'nothing_shared: met',
    ]);
  });

  it('counts a listing that records two of its endpoints once', async () => {
    expect((await ask('com.ferry/tools')).stands_out).toEqual([
      '`org.copy/both` (domain copy.org) records the same endpoint; so does 1 more listing of other publishers.',
    ]);
  });

  it('names a listing with the same name and short description, which does not show that the two are connected', async () => {
    expect((await ask('com.lumetra-app/crm')).stands_out).toContain(
      '`com.lumetra/crm` (domain lumetra.com, published on 2026-02-01 or before) has the same name and description; this does not show a connection.',
    );
    expect((await ask('com.lumetra/crm')).stands_out).toEqual([
      expect.stringMatching(
        /^`com\.lumetra-app\/crm` \(domain lumetra-app\.com, published on 2026-\d\d-\d\d or before\) has the same name and description; this does not show a connection\.$/,
      ),
    ]);
    for (const handle of ['com.lumetra-blog/posts', 'com.one-mcp/mcp-server', 'com.one-todo/weather'])
      expect(JSON.stringify(await ask(handle))).not.toContain('has the same');
  });
});

it('compare_agents judges both by the records', async () => {
  const client = await opened(connect('v2', { app: directory.app }));
  const { structuredContent } = await client.call('compare_agents', {
    handles: [
      'com.postcards/mail',
      'com.twins/one',
      'io.github.someone/cards',
      'com.acme.mcp/guest',
      'com.acme.mcp/any',
      'com.lumetra-app/crm',
      'com.one-mcp/mcp-server',
    ],
    criteria: ['nothing_shared', 'endpoint_at_domain'],
  });
  const results = comparedOf(structuredContent).flatMap((one) => Object.values(one.results));
  expect(results.join(' ')).toBe(
    'not_met met met not_met not_met unknown met not_met met unknown not_met not_met met not_applicable',
  );
});

it('a set of tools that two publishers list is said of both, dated by the older check, until the record of one is another', async () => {
  const common = async (handle: string) => {
    const { signals } = JSON.parse(JSON.stringify(await documentOf(directory, handle)));
    return (signals as { imported: { kind: string }[] }).imported.find(({ kind }) => kind === 'shared.tools');
  };
  await directory.observe('com.red/tools');
  const first = directory.context.clock().toISOString().slice(0, 10);
  expect(await common('com.red/tools')).toBeUndefined();
  directory.wait(3 * 86_400);
  await directory.observe('com.blue/tools');
  expect(await common('com.red/tools')).toMatchObject({
    source: 'checks of Dossier',
    observed_at: expect.stringContaining(first),
    reason: '`com.blue/tools` (domain blue.com) listed the same tools to Dossier.',
  });
  expect(await common('com.blue/tools')).toMatchObject({ observed_at: expect.stringContaining(first) });
  const markdown = await (await directory.app.request('/agents/com.red/tools.md')).text();
  expect(markdown).toContain(`Other publishers list the same tools: 1 listing (Dossier, ${first}).`);
  // Names of ours are written as they are.
  expect(markdown).toContain('(PRICE_CATALOGS)');
  const moved = { remotes: at('moved.example.net'), version: '2.0.0' };
  await directory.importEntries([registryEntry('com.blue/tools', moved)]);
  expect(await common('com.red/tools')).toBeUndefined();
  expect(await common('com.blue/tools')).toBeUndefined();
});

describe('a repository of 201 listings of one publisher', () => {
  const repository = { url: 'https://github.com/many/all' };
  const many = Array.from({ length: 201 }, (_, index) => `com.many/x${index}`);
  beforeAll(async () => {
    const later = published('2026-10-05T08:00:00Z');
    await directory.importEntries([
      ...many.map((handle) => registryEntry(handle, { repository })),
      registryEntry('com.late/x', { repository }, later),
    ]);
  });

  it('leaves open whether others record it, and is never said to be that of nobody else', async () => {
    const client = await opened(connect('v2', { app: directory.app }));
    const { structuredContent } = await client.call('compare_agents', {
      handles: ['com.many/x7', 'com.late/x'],
      criteria: ['nothing_shared'],
    });
    const [many, late] = comparedOf(structuredContent);
    expect([many?.results, late?.results]).toEqual([
      { nothing_shared: 'unknown' },
      { nothing_shared: 'not_met' },
    ]);
    expect(late?.stands_out).toEqual([
      '`com.many/x0` (domain many.com) records the same repository; so do at least 200 more listings of other publishers.',
    ]);
  });
});

it('never names a listing that was withdrawn or whose text is hidden, from that moment, and names it again after', async () => {
  const whole = async () => JSON.stringify(await documentOf(directory, 'com.postcards/mail'));
  expect(await whole()).toContain('has the same description');
  await directory.act('hide', 'io.github.postcards/mail', 'unlawful');
  expect(await whole()).not.toContain('has the same description');
  expect(await whole()).toContain('`io.github.postcards/mail`');
  await directory.act('withdraw', 'io.github.postcards/mail', 'unlawful');
  expect(await whole()).not.toContain('io.github.postcards');
  await directory.restore('io.github.postcards/mail');
  expect(await whole()).toContain('has the same description');
});

it('says whose account a repository is of and whose domain a website or an endpoint is on, and never who names one’s own domain', async () => {
  const client = await opened(connect('v2', directory));
  const whoseOf = async (handle: string) => {
    const { structuredContent } = await client.call('get_agent', { handle });
    return (structuredContent as unknown as Answer).lines.whose;
  };
  expect(await whoseOf('ai.northgate-mcp/pay')).toContain(
    'Its website `https://northgate.com` is not on its own domain but on that of `com.northgate/billing` (domain northgate.com); this does not show a connection (record)',
  );
  const own = await whoseOf('com.northgate/billing');
  expect(own).toContain(
    'The account of its repository publishes `io.github.northgate-hq/mcp` (GitHub account northgate-hq) too; website `https://www.northgate.com/mcp` (record)',
  );
  expect(own).not.toMatch(/northgate-mcp|stray/);
  expect(await whoseOf('com.stray/pay')).toContain(
    'Its endpoint `https://mcp.northgate.com/mcp` is not on its own domain but on that of `com.northgate/billing` (domain northgate.com); this does not show a connection; website `https://stray.com` (record)',
  );
  expect(await whoseOf('io.github.pebble/pay')).toContain(
    'Its website `https://northgate.com` and endpoint `https://pay.northgate.com/mcp` are not on its own domain but on that of `com.northgate/billing` (domain northgate.com); this does not show a connection (record)',
  );
  expect(await whoseOf('io.github.northgate-hq/mcp')).toContain(
    '`com.northgate/billing` (domain northgate.com) records a repository of this account (record)',
  );
});
