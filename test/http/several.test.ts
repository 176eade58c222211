import { expect, it } from 'vitest';
import { osvRecord, startOsvApi } from '../support/endpoints/osv-api.ts';
import { npmPackument, startPackageRegistry } from '../support/endpoints/package-registry.ts';
import { packageAt, registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const npm = await opened(
  startPackageRegistry(() => ({
    '/kitbox-fs': npmPackument(
      'kitbox-fs',
      { '0.9.1': {}, '0.9.2': { mcpName: 'io.github.kitbox/all' } },
      {},
    ),
  })),
);
const osv = await opened(
  startOsvApi(() => [
    osvRecord('MAL-2026-1', ['npm', 'kitbox-fs'], { versions: ['0.9.2'] }),
    osvRecord(
      'GHSA-aaaa-bbbb-cccc',
      ['npm', 'kitbox-fs'],
      { versions: ['0.9.1'] },
      { summary: 'Reads files' },
    ),
  ]),
);
const recording = (name: string, identifier: string, version: string) =>
  registryEntry(name, packageAt('npm', identifier, version));
const listed = [
  recording('io.github.kitbox/all', 'kitbox-fs', '0.9.2'),
  recording('io.github.forker/kit', 'kitbox-fs', '0.9.2'),
  recording('io.github.ghost/one', 'ghost-fs', '1.0.0'),
  recording('io.github.ghost/two', 'ghost-fs', '1.0.0'),
];
const directory = await openedDirectory({
  entries: listed,
  environment: { ADVISORIES: osv.url, PACKAGE_REGISTRIES: JSON.stringify({ npm: npm.url }) },
});
for (const { server } of listed) await directory.observe(String(server.name));
const client = await opened(connect('v2', directory));

const link = (name: string) =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=${Buffer.from(JSON.stringify({ command: 'npx', args: ['-y', name] })).toString('base64')}`;

const malware =
  'OSV lists version `0.9.2` of `npm:kitbox-fs` as malicious code: `MAL-2026-1` “Malicious code in kitbox-fs (npm)” (Dossier, <date>).';
const named: readonly (readonly [string, string])[] = [
  ['npx -y kitbox-fs@0.9.2', malware],
  ['npm:kitbox-fs', malware],
  [
    'npx -y kitbox-fs@0.9.1',
    '1 advisory about version `0.9.1` of `npm:kitbox-fs`: `GHSA-aaaa-bbbb-cccc` “Reads files” (severity not stated) (Dossier, <date>).',
  ],
  ['npx -y kitbox-fs@7.0.0', 'npm has no version `7.0.0` of `npm:kitbox-fs` (Dossier, <date>).'],
  [
    'npx -y ghost-fs@1.0.0',
    'npm has no package `ghost-fs`; a name that is free can be registered by others (Dossier, <date>).',
  ],
];

const dated = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\d/g, '<date>');

it.each(named)('every tool that cannot choose a listing says what is known of %s', async (handle, said) => {
  const calls = [
    ['get_agent', { handle }],
    ['get_history', { handle }],
    ['get_agent', { handle: link(handle.replace(/^(?:npx -y |npm:)/, '')) }],
    ['compare_agents', { handles: [handle, 'io.github.kitbox/all'] }],
    ['check_surface', { handle, tools: [] }],
    ['list_ratings', { handle }],
    ['resolve_agents', { handles: [handle] }],
  ] as const;
  for (const [tool, input] of calls) {
    const { content, structuredContent } = await client.call(tool, input);
    const text = content.map((part) => part.text ?? '').join('\n');
    expect([tool, dated(text.replaceAll('\\', ''))]).toEqual([tool, expect.stringContaining(said)]);
    if (structuredContent) expect(dated(JSON.stringify(structuredContent))).toContain(said);
  }
  const page = await directory.app.request(`/agents?q=${encodeURIComponent(handle)}`);
  const shown = (await page.text()).replaceAll(/<[^>]+>/g, '').replaceAll(/&#39;|&quot;/g, '"');
  expect(dated(shown)).toContain(said.replaceAll('`', ''));
});

it('says what a link was read as, and which listing the package names', async () => {
  const { content } = await client.call('get_agent', { handle: link('kitbox-fs@0.9.2') });
  const { error } = JSON.parse(content[0]?.text ?? '') as {
    error: { message: string; candidates: { handle: string; differs: string }[] };
  };
  expect(error.message).toContain('What you sent was read as `npm:kitbox-fs@0.9.2`.');
  expect(
    error.candidates.map(({ handle, differs }) => [handle, /named by the package/.test(differs)]),
  ).toEqual([
    ['io.github.forker/kit', false],
    ['io.github.kitbox/all', true],
  ]);
});
