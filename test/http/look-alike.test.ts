import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const packaged = (registryType: string, identifier: string) => packageAt(registryType, identifier, '1.2.0');
const directory = await openedDirectory({
  entries: [
    registryEntry('com.saltmarsh/scan', packaged('npm', '@saltmarsh/scan')),
    registryEntry('com.saltmarsh/tide', packaged('pypi', 'tide-mcp')),
    registryEntry('com.saltmarsh/image', packaged('oci', 'ghcr.io/saltmarsh/image:1.2.0')),
    ...['a', 'b'].map((name) => registryEntry(`com.twin-${name}/notes`, packaged('npm', 'twin-notes'))),
    registryEntry('com.menu/menu', { ...packaged('npm', 'menu'), title: 'Menu' }),
  ],
  environment: { LIMITS: 'off' },
});

interface Named {
  readonly handle?: string;
  readonly version_asked?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly results: readonly {
    readonly handle?: string;
    readonly outcome: string;
    readonly version_asked?: string;
  }[];
}
const call = (tool: string, input: object) => callTool<Named>(directory, tool, input);

const only = (letter: string, number: string, plain: string, name: string) =>
  `What you sent has “${letter}” (\`${number}\`), which only looks like \`${plain}\`; it was read as \`${name}\`.`;
const unseen = (number: string, name: string) =>
  `What you sent has a character that nobody sees (\`${number}\`); it was read as \`${name}\`.`;

it.each([
  ['npx -y @s\u0430ltmarsh/scan', 'com.saltmarsh/scan', only('а', 'U+0430', 'a', 'npm:@saltmarsh/scan@*')],
  ['@s\u0430ltmarsh/scan', 'com.saltmarsh/scan', only('а', 'U+0430', 'a', '@saltmarsh/scan')],
  ['npm:@saltmarsh/sc\u03b1n', 'com.saltmarsh/scan', only('α', 'U+03B1', 'a', 'npm:@saltmarsh/scan')],
  ['Is @saltm\u00e4rsh/scan safe?', 'com.saltmarsh/scan', only('ä', 'U+00E4', 'a', 'npm:@saltmarsh/scan')],
  [
    '{"mcpServers":{"x":{"command":"npx","args":["-y","@salt\u043carsh/scan","--key","f\u00fcnf"]}}}',
    'com.saltmarsh/scan',
    only('м', 'U+043C', 'm', 'npm:@saltmarsh/scan@*'),
  ],
  ['@saltmarsh/\u200bscan', 'com.saltmarsh/scan', unseen('U+200B', '@saltmarsh/scan')],
  ['npx @salt\u2060marsh/scan', 'com.saltmarsh/scan', unseen('U+2060', 'npm:@saltmarsh/scan@*')],
  ['@salt\ufeffmarsh/scan', 'com.saltmarsh/scan', unseen('U+FEFF', '@saltmarsh/scan')],
  ['uvx tide\u2011mcp', 'com.saltmarsh/tide', only('‑', 'U+2011', '-', 'pypi:tide-mcp@*')],
  ['pip install tid\u0435-mcp', 'com.saltmarsh/tide', only('е', 'U+0435', 'e', 'pypi:tide-mcp@*')],
  ['tide-\uff4dcp', 'com.saltmarsh/tide', only('ｍ', 'U+FF4D', 'm', 'tide-mcp')],
  [
    'uvx \u0442\u0456\u0501\u0435-\u043c\u0441\u0440',
    'com.saltmarsh/tide',
    /; it was read as `pypi:tide-mcp@\*`\.$/,
  ],
  [
    'docker run -i ghcr.io/saltmarsh/im\u0430ge:1.2.0',
    'com.saltmarsh/image',
    only('а', 'U+0430', 'a', 'oci:ghcr.io/saltmarsh/image:1.2.0'),
  ],
  ['com.saltm\u0430rsh/scan', 'com.saltmarsh/scan', only('а', 'U+0430', 'a', 'com.saltmarsh/scan')],
])(
  'a letter that only looks like another is named, and the name is read: %s',
  async (asked, handle, said) => {
    const begins = typeof said === 'string' ? new RegExp(`^${RegExp.escape(said)}`) : said;
    const first = ({ version_asked = '' }: { readonly version_asked?: string }) =>
      version_asked.replace(/ Your request means .*$/, '');
    const one = await call('get_agent', { handle: asked });
    expect([one.handle, first(one)]).toEqual([handle, expect.stringMatching(begins)]);
    const { results } = await call('resolve_agents', { handles: [asked] });
    expect(results.map(({ handle }) => handle)).toEqual([handle]);
    expect(results.map(first)).toEqual([expect.stringMatching(begins)]);
  },
);

it('also of several listings, and of what no listing records', async () => {
  const several = await call('get_agent', { handle: 'npx twin-n\u043etes' });
  expect(several).toMatchObject({
    code: 'several_listings',
    detail: expect.stringContaining(only('о', 'U+043E', 'o', 'npm:twin-notes@*')),
  });
  const none = await call('get_agent', { handle: '@acm\u0435/none' });
  expect(none).toMatchObject({
    code: 'unknown_handle',
    detail: expect.stringContaining(only('е', 'U+0435', 'e', '@acme/none')),
  });
});

it.each([
  '天气 mcp 服务器',
  'Übersetzung für menu',
  'm\u00e9nu',
  '\u0441\u043e\u0440\u043e\u0441',
  'Что такое menu и зачем?',
  `\u0430 ${'x\u0430'.repeat(1900)}`,
  '@'.repeat(1500) + '\u0430'.repeat(1500),
])('but no other text becomes a name: %.40s', async (handle) => {
  const { results } = await call('resolve_agents', { handles: [handle] });
  expect(results).toMatchObject([{ outcome: expect.stringMatching(/^not_(?:known|listed)$/) }]);
  expect(JSON.stringify(results)).not.toContain('only looks like');
});
