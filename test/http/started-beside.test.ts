import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const word = (value: string) => ({ type: 'positional', value });
const started = (identifier: string, runtime: readonly string[], behind: readonly string[] = []) => ({
  registryType: 'npm',
  identifier,
  version: '1.0.0',
  transport: { type: 'stdio' },
  runtimeArguments: runtime.map(word),
  packageArguments: behind.map(word),
});
const image = (identifier: string) => ({ registryType: 'oci', identifier, transport: { type: 'stdio' } });
const at = (name: string, version: string, month: string, isLatest: boolean, more: object) =>
  registryEntry(
    name,
    { version, ...more },
    { publishedAt: `2026-${month}-01T08:00:00Z`, updatedAt: `2026-${month}-01T08:00:00Z`, isLatest },
  );

const directory = await openedDirectory({
  entries: [
    at('com.vendor/images', '1.0.0', '01', false, { packages: [image('ghcr.io/vendor/images:1.0.0')] }),
    at('com.vendor/images', '1.1.0', '02', true, {
      remotes: [{ type: 'sse', url: 'https://mcp.vendor.com/mcp' }],
    }),
    at('com.console/mcp', '1.0.0', '03', true, {
      packages: [
        started('@console/mcp', ['run', '-i', '--rm', 'ghcr.io/vendor/images', '--host=https://console.com']),
      ],
    }),
    at('com.other/own', '1.0.0', '04', true, {
      packages: [
        started('@other/own', ['-y', '@other/own@latest']),
        { ...image('docker.io/other/own:1.0.0'), runtimeArguments: [word('run'), word('other/own:1.0.0')] },
      ],
    }),
    at('com.wrapper/mcp', '1.0.0', '05', true, {
      packages: [
        started('@wrapper/mcp', [], ['--', 'npx', '-y', '@inner/server@2.0.0']),
        {
          ...started('wrapper', ['--from', 'git+https://github.com/wrapper/code@main']),
          registryType: 'pypi',
        },
      ],
    }),
  ],
  environment: { LIMITS: 'off' },
});
const ask = async (handle: string) => callTool<Record<string, unknown>>(directory, 'get_agent', { handle });

it.each([
  [
    'com.console/mcp',
    'The record starts npm `@console/mcp@1.0.0` over stdio with arguments that name `ghcr.io/vendor/images`, besides this package or instead of it.',
    'with arguments that name `ghcr.io/vendor/images` and `console.com`',
  ],
  [
    'com.wrapper/mcp',
    'The record starts npm `@wrapper/mcp@1.0.0` over stdio with arguments that name `@inner/server`, besides this package or instead of it.',
    'with arguments that name `https://github.com/wrapper/code` and `github.com/wrapper`',
  ],
])('says of %s which other package its start arguments name', async (handle, text, where) => {
  const { stands_out, lines } = await ask(handle);
  expect(stands_out).toContainEqual(expect.stringContaining(text));
  expect((lines as { where: string }).where).toContain(where);
});

it('says nothing of a package that its own start arguments name', async () => {
  expect(JSON.stringify(await ask('com.other/own'))).not.toContain('arguments that');
});

it('names the record whose start arguments name an image that no record has now', async () => {
  const found_by =
    'the only listing that recorded this oci package, until 2026-02-01; no listing records it now; `com.console/mcp` names it in arguments that start another package';
  const name = 'docker run -i --rm ghcr.io/vendor/images';
  expect(await ask(name)).toMatchObject({ handle: 'com.vendor/images', found_by });
  const { results } = await callTool<{ results: object[] }>(directory, 'resolve_agents', { handles: [name] });
  expect(results[0]).toMatchObject({ handle: 'com.vendor/images', found_by });
  const { advice } = await callTool<{ advice: string }>(directory, 'search_agents', { query: name });
  expect(advice).toContain('`com.console/mcp` names it in arguments that start another package');
});

it.each(['npm:@inner/server', 'https://github.com/wrapper/code'])(
  'finds by %s the only record whose start arguments name it',
  async (name) => {
    expect(await ask(name)).toMatchObject({
      handle: 'com.wrapper/mcp',
      found_by:
        'the only listing that names this in arguments that start another package; recording does not show control',
    });
  },
);
