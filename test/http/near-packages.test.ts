import { expect, it } from 'vitest';
import { openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';

const recording = (registryType: string, identifier: string) => ({
  packages: [{ registryType, identifier, version: '1.0.0', transport: { type: 'stdio' } }],
});
const directory = await opened(
  openDirectory({
    entries: [
      registryEntry('com.pottery/oven', recording('npm', 'kiln-ansible')),
      registryEntry('com.glaze/shop', recording('npm', '@glaze/mcp-shop')),
    ],
  }),
);
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
    'Dossier asks npm and OSV only about packages that listings record; ask them: `https://www.npmjs.com/package/qrcode-mcp-tool`, `https://osv.dev/list?ecosystem=npm&q=qrcode-mcp-tool`.',
  ],
  [
    'pip install qrcode_tool',
    'Dossier asks PyPI and OSV only about packages that listings record; ask them: `https://pypi.org/project/qrcode-tool/`, `https://osv.dev/list?ecosystem=PyPI&q=qrcode-tool`.',
  ],
  ['docker run ghcr.io/acme/qrcode:1', 'Dossier asks its registry only about packages that listings record.'],
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
