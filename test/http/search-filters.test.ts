import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const remote = (host: string, headers: readonly object[] = []) => ({
  remotes: [{ type: 'streamable-http', url: `https://${host}/mcp`, headers }],
});
const entries = [
  registryEntry('com.acme/maps', { description: 'Maps', ...remote('maps.acme.com') }),
  registryEntry('com.acme/mail', {
    description: 'Mail',
    ...remote('mail.acme.com', [{ name: 'X-Key', isRequired: true, isSecret: true }]),
  }),
  registryEntry('com.acme.labs/maps', {
    description: 'Maps of the labs',
    ...packageAt('npm', 'labs-maps', '1.0.0', {
      environmentVariables: [{ name: 'LABS_REGION' }, { name: 'LABS_KEY', isSecret: true }],
    }),
  }),
  registryEntry('io.github.Someone/maps', { description: 'Maps without anything to run' }),
  registryEntry('com.both/ledger', {
    description: 'Ledger',
    ...remote('mcp.both.com', [{ name: 'X-Key', isRequired: true, isSecret: true }]),
    packages: [
      ['npm', 'both-ledger', '1.0.0'],
      ['oci', 'ghcr.io/both/ledger:1.0.0', undefined],
    ].map(([registryType, identifier, version]) => ({
      registryType,
      identifier,
      ...(version && { version }),
      transport: { type: 'stdio' },
      environmentVariables: [{ name: 'DB_PASSWORD', isRequired: true, isSecret: true }],
    })),
  }),
  registryEntry(
    'io.github.Someone/old-maps',
    { description: 'Maps', ...remote('old.someone.dev', [{ name: 'X-Region' }]) },
    { status: 'deprecated' },
  ),
];

const directory = await openedDirectory({ entries, environment: { LIMITS: 'off' } });
const client = await opened(connect('v2', directory));

interface Found {
  listings: { handle: string }[];
  facets?: Record<string, number>;
  no_match?: object;
  detail?: string;
}
const call = (input: object) => callTool<Found>(directory, 'search_agents', input);
/** Handles found over HTTP; the same are found over MCP and stand on the page of the same filters. */
async function find(input: Record<string, string | boolean>): Promise<string[]> {
  const handles = (await call(input)).listings.map(({ handle }) => handle).toSorted();
  const { structuredContent } = await client.call('search_agents', input);
  const { listings } = structuredContent as { listings: { handle: string }[] };
  expect(listings.map(({ handle }) => handle).toSorted()).toEqual(handles);
  const address = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]));
  const page = await (await directory.app.request(`/agents?${address}`)).text();
  expect(
    entries
      .map(({ server }) => (server as { name: string }).name)
      .filter((name) => page.includes(`href="/agents/${name}"`))
      .toSorted(),
  ).toEqual(handles);
  return handles;
}

describe('search_agents finds listings by what is stored of them:', () => {
  it('the namespace of the publisher, in any case and in every order', async () => {
    const acme = ['com.acme/mail', 'com.acme/maps'];
    expect(await find({ publisher: 'com.acme' })).toEqual(acme);
    expect(await find({ publisher: 'COM.Acme', sort: 'updated' })).toEqual(acme);
    expect(await find({ publisher: 'io.github.someone', query: 'maps' })).toEqual([
      'io.github.Someone/maps',
      'io.github.Someone/old-maps',
    ]);
    const named = await call({ publisher: 'com.acme', query: 'com.acme/maps' });
    expect(named.listings[0]?.handle).toBe('com.acme/maps');
    const other = await call({ publisher: 'com.acme', query: 'com.acme.labs/maps' });
    expect(other.listings.map(({ handle }) => handle)).not.toContain('com.acme.labs/maps');
    expect((await call({ publisher: 'com.acme', query: 'labs' })).no_match).toMatchObject({
      leave_out: expect.arrayContaining([{ facet: 'publisher:com.acme', count: 1 }]),
    });
  });

  it('that the registry lists it as active', async () => {
    expect(await find({ active: true, query: 'maps' })).toEqual([
      'com.acme.labs/maps',
      'com.acme/maps',
      'io.github.Someone/maps',
    ]);
  });

  it('that its record says how it is reached or run, and asks for no secret', async () => {
    expect(await find({ needs_secret: false })).toEqual(['com.acme/maps', 'io.github.Someone/old-maps']);
    expect(await find({ needs_secret: false, active: true })).toEqual(['com.acme/maps']);
    const said =
      'A record that names no secret may be silent: an endpoint may ask by OAuth, and a package for what no record names.';
    for (const query of ['', 'maps'])
      expect(await call({ needs_secret: false, query })).toMatchObject({ advice: said });
    expect(await call({ active: true })).not.toHaveProperty('advice');
    expect(await (await directory.app.request('/agents?needs_secret=false')).text()).toContain(said);
  });

  it('counts them, and says what else is taken', async () => {
    expect((await call({ facets: true })).facets).toMatchObject({
      'active:true': 5,
      'needs_secret:false': 2,
    });
    expect((await call({ needs_secret: true })).detail).toMatch(/^needs_secret must be false, or omitted\./);
    expect((await call({ publisher: 'Acme Inc' })).detail).toMatch(
      /^publisher must be a namespace, such as com\.example or io\.github\.account\./,
    );
    const page = await (await directory.app.request('/agents?needs_secret=false')).text();
    expect(page).toContain('Remove the filter </span>record names no secret');
    expect(page).toContain('href="/agents?needs_secret=false&amp;active=true"');
  });
});

describe('a hit of a listing with an endpoint and packages', () => {
  const factsOf = async (input: object) =>
    ((await call(input)) as unknown as { listings: { facts: string[] }[] }).listings[0]?.facts.join(' | ');
  const both = { publisher: 'com.both' };

  it('names each secret with the way that asks for it', async () => {
    expect(await factsOf(both)).toContain(
      '`https://mcp.both.com/mcp` | asks for secret `X-Key` at its endpoint | asks for secret `DB_PASSWORD` in its packages | ',
    );
    expect(await factsOf({ query: 'ledger' })).toContain(
      '`https://mcp.both.com/mcp` | asks for secret `X-Key` at its endpoint | asks for secret `DB_PASSWORD` in its packages | ',
    );
  });

  it('is about the part that meets the filters, with the secrets of that part alone', async () => {
    for (const more of [{}, { query: 'ledger' }]) {
      for (const filter of [{ transport: 'stdio' }, { package: 'oci' }, { tags: ['stdio'] }]) {
        const found = await factsOf({ ...both, ...more, ...filter });
        expect(found).toContain('asks for secret `DB_PASSWORD` | ');
        expect(found).not.toMatch(/mcp\.both\.com|X-Key/);
      }
      expect(await factsOf({ ...both, ...more, package: 'oci', transport: 'stdio' })).toContain(
        'oci `ghcr.io/both/ledger:1.0.0` over stdio | asks for',
      );
      for (const filter of [{ transport: 'streamable-http' }, { has_endpoint: true }, { tags: ['remote'] }])
        expect(await factsOf({ ...both, ...more, ...filter })).toContain(
          '`https://mcp.both.com/mcp` | asks for secret `X-Key` | updated',
        );
    }
  });
});
