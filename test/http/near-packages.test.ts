import { expect, it } from 'vitest';
import { packageAt, registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const recording = (registryType: string, identifier: string) => packageAt(registryType, identifier);
const directory = await openedDirectory({
  entries: [
    registryEntry('com.pottery/oven', recording('npm', 'kiln-ansible')),
    registryEntry('com.glaze/shop', recording('npm', '@glaze/mcp-shop')),
    registryEntry('com.clay/Wheel-mcp', { title: 'Potter’s wheel' }),
    registryEntry('com.mud/vase', { title: 'Vase' }),
    registryEntry('com.sand/vase', {}),
    registryEntry('ai.someone/quernly', {}),
    registryEntry('com.quernly/mcp', {}),
    registryEntry('com.trellick/mcp', {}),
    registryEntry('ai.com.mcp/petstore', {}),
    registryEntry('io.github.maker/samovar-mcp-server', {}),
  ],
});
const client = await opened(connect('v2', { app: directory.app }));

it.each([
  ['a command', 'npx -y kiln-ansibel', 'com.pottery/oven', 'kiln-ansible'],
  ['a name', 'kiln-ansibel', 'com.pottery/oven', 'kiln-ansible'],
  ['a package of a scope', 'npm:@glaze/mcp-shpo', 'com.glaze/shop', '@glaze/mcp-shop'],
])(
  '%s with a letter wrong names the listing that records nearly this package, and the package',
  async (_, handle, near, name) => {
    const agent = await client.call('get_agent', { handle });
    const said = `\`${near}\` records npm \`${name}\`.`;
    expect(agent.content[0]?.text).toContain(said);
    expect(agent.content[0]?.text).toContain(`"near":["${near}"]`);
    const resolved = await client.call('resolve_agents', { handles: [handle] });
    expect(resolved.structuredContent).toMatchObject({
      results: [{ outcome: 'not_listed', near: [near], notes: [said] }],
    });
    expect(resolved.content[0]?.text).toContain(said);
  },
);

it.each([
  [
    'npx -y qrcode-mcp-tool@1.0.0',
    'Dossier asks nobody about a package that no listing records; ask npm and OSV: `https://www.npmjs.com/package/qrcode-mcp-tool`, `https://osv.dev/list?ecosystem=npm&q=qrcode-mcp-tool`.',
  ],
  [
    'pip install qrcode_tool',
    'Dossier asks nobody about a package that no listing records; ask PyPI and OSV: `https://pypi.org/project/qrcode-tool/`, `https://osv.dev/list?ecosystem=PyPI&q=qrcode-tool`.',
  ],
  [
    'docker run ghcr.io/acme/qrcode:1',
    'Dossier asks nobody about a package that no listing records; ask `ghcr.io`.',
  ],
])(
  '%s, which no listing records, is refused with what was not asked about it, and where to ask',
  async (handle, said) => {
    const answers = [
      await client.call('get_agent', { handle }),
      await client.call('get_history', { handle }),
      await client.call('resolve_agents', { handles: [handle] }),
      await client.call('compare_agents', { handles: ['com.pottery/oven', 'npm:none-such', handle] }),
    ];
    expect(answers.map(({ content }) => content[0]?.text)).toEqual(
      answers.map(() => expect.stringContaining(said)),
    );
  },
);

it('an image in a namespace that says little is similar by its name', async () => {
  const { content } = await client.call('get_agent', { handle: 'docker run -i mcp/samovar:1.18.1' });
  expect(content[0]?.text).toContain('"others":["io.github.maker/samovar-mcp-server"]');
});

it.each([
  ['its name', 'wheel-mcp'],
  ['its name otherwise written', 'Wheel_MCP'],
  ['its title', 'Potter’s Wheel'],
])('a listing is found by %s at every door', async (_, called) => {
  const handle = 'com.clay/Wheel-mcp';
  const by = 'the only listing that has this name, title or namespace; anybody may choose a name or title';
  const seen = { handle, found_by: by };
  const agent = await client.call('get_agent', { handle: called });
  expect(agent.structuredContent).toMatchObject(seen);
  expect((await client.call('get_history', { handle: called })).structuredContent).toMatchObject({ handle });
  expect((await client.call('check_offer', { handle: called, offer: {} })).content[0]?.text).toContain(
    handle,
  );
  const compared = await client.call('compare_agents', { handles: [called, 'com.glaze/shop'] });
  expect(compared.structuredContent).toMatchObject({ listings: [{ handle }, {}] });
  const resolved = await client.call('resolve_agents', { handles: [called] });
  expect(resolved.structuredContent).toMatchObject({ results: [{ outcome: 'listed', ...seen }] });
});

it('a name that several listings have gives candidates, one of a package is the package’s, and another is not listed', async () => {
  const several = await client.call('get_agent', { handle: 'vase' });
  expect(several.content[0]?.text).toContain(
    '2 listings have this name, title or namespace. Anybody may choose a name or title.',
  );
  const names = ['Vase', 'npx wheel-mcp', 'wheels', 'mcp', 'Quernly', 'Trellick'];
  const { structuredContent } = await client.call('resolve_agents', { handles: names });
  expect(structuredContent).toMatchObject({
    results: [
      { outcome: 'several_listings', candidates: [{ handle: 'com.mud/vase' }, { handle: 'com.sand/vase' }] },
      { outcome: 'not_listed' },
      { outcome: 'not_listed' },
      { outcome: 'not_listed' },
      {
        outcome: 'several_listings',
        candidates: [{ handle: 'com.quernly/mcp' }, { handle: 'ai.someone/quernly' }],
      },
      { outcome: 'listed', handle: 'com.trellick/mcp' },
    ],
  });
  const said = async (handle: string) => (await client.call('get_agent', { handle })).content[0]?.text;
  expect(await said('wheels')).toContain(
    'records a package of this name, or has it as its name, title or namespace.',
  );
  for (const hash of ['5'.repeat(64), `sha256:${'5b'.repeat(32)}`])
    expect(await said(hash)).toContain(
      'No listing shown here records a file or an image with this SHA-256. Ask about the file or image that has it.',
    );
  expect(await said('mcp')).toContain('No listing shown here records a package of this name.');
});
