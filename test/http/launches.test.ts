import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { callTool, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory, openFolder } from '../support/opened.ts';

/**
 * A package, and what is made of it: the commands of the allow list, the entry of .mcp.json, and why it is
 * left out.
 */
interface Case {
  readonly of: object;
  readonly allowed?: readonly string[];
  readonly command?: string;
  readonly env?: object;
  readonly why?: string;
}

const npm = { registryType: 'npm', identifier: 'acme-tool', version: '1.2.3', transport: { type: 'stdio' } };
const pypi = { ...npm, registryType: 'pypi', version: '1.2' };
const image = { registryType: 'oci', identifier: 'ghcr.io/acme/tool:1.2', transport: { type: 'stdio' } };
const fixed = (value: string) => ({ type: 'positional', value });
const named = (name: string, more: object = {}) => ({ type: 'named', name, ...more });

const runs = (command: string, ...pinned: string[]) => ({ allowed: [command, ...pinned], command });
const noName = 'its name is not in the form of npm, PyPI, NuGet or an OCI image of a public host';
const unread = (part: string) => `its record has ${part} in a form that Dossier does not read`;
const unwritable = (argument: string) =>
  `Dossier cannot write its argument ${argument} from the record alone`;
const sets = (name: string) => `its record sets ${name}, and such variables can start other programs`;
const starts = (option: string) =>
  `its record starts it with ${option}, and such options can start other programs or give more access`;
const elsewhere = (registry: string) =>
  `it is in another registry, ${registry}, where no reports of malicious code are read`;

const cases: Readonly<Record<string, Case>> = {
  plain: { of: npm, ...runs('npx -y acme-tool', 'npx -y acme-tool@1.2.3') },
  'a-base-that-is-the-usual-one': {
    of: { ...npm, registryBaseUrl: 'https://registry.npmjs.org/' },
    ...runs('npx -y acme-tool', 'npx -y acme-tool@1.2.3'),
  },
  'a-registry-of-a-company': {
    of: { ...npm, registryBaseUrl: 'https://npm.acme.example/' },
    why: elsewhere('https://npm.acme.example/'),
  },
  'a-private-registry': {
    of: { ...npm, registryBaseUrl: 'https://npm.corp.internal' },
    why: elsewhere('https://npm.corp.internal'),
  },
  'another-index-of-python': {
    of: { ...pypi, registryBaseUrl: 'https://test.pypi.org' },
    why: elsewhere('https://test.pypi.org'),
  },
  'an-image-at-a-base': {
    of: { ...npm, registryType: 'oci', registryBaseUrl: 'https://ghcr.io', identifier: 'acme/tool' },
    ...runs('docker run -i --rm ghcr.io/acme/tool', 'docker run -i --rm ghcr.io/acme/tool:1.2.3'),
  },
  'an-image-at-a-private-base': {
    of: { ...npm, registryType: 'oci', registryBaseUrl: 'https://images.corp.internal:5000' },
    why: noName,
  },
  'an-image-with-variables': {
    of: {
      ...image,
      environmentVariables: [
        { name: 'KEY', isRequired: true, isSecret: true },
        { name: 'MODE', value: 'fast' },
        { name: 'LEVEL' },
      ],
    },
    ...runs('docker run -i --rm -e MODE=fast -e KEY ghcr.io/acme/tool:1.2'),
    env: { KEY: 'YOUR_VALUE' },
  },
  'an-image-as-github-records-its-own': {
    of: {
      ...image,
      runtimeHint: 'docker',
      runtimeArguments: [
        { type: 'positional', value: 'run', isRequired: true },
        named('-i', { value: 'true', format: 'boolean', isRequired: true }),
        named('--rm', { value: 'true', format: 'boolean' }),
        named('-e', {
          value: 'TOKEN={token}',
          isRequired: true,
          variables: { token: { isRequired: true, isSecret: true } },
        }),
        { type: 'positional', value: 'ghcr.io/acme/tool', valueHint: 'image_name', isRequired: true },
      ],
    },
    ...runs('docker run -i --rm -e TOKEN ghcr.io/acme/tool:1.2'),
    env: { TOKEN: 'YOUR_VALUE' },
  },
  'flags-without-values': {
    of: {
      ...image,
      runtimeArguments: [
        named('-i'),
        named('--rm'),
        named('-e', { description: 'A variable' }),
        fixed('TOKEN'),
      ],
    },
    ...runs('docker run -i --rm -e TOKEN ghcr.io/acme/tool:1.2'),
    env: { TOKEN: 'YOUR_VALUE' },
  },
  'a-command-with-a-subcommand': {
    of: { ...pypi, packageArguments: [fixed('mcp'), fixed('serve')] },
    ...runs('uvx acme-tool mcp serve', 'uvx acme-tool@1.2 mcp serve'),
  },
  'a-proxy-with-its-address': {
    of: {
      ...pypi,
      packageArguments: [
        fixed('https://ecs.acme.example/mcp'),
        named('--region', { value: '{region}', variables: { region: { default: 'eu-1' } } }),
        named('--verbose'),
        named('--retries', { default: '3' }),
      ],
    },
    ...runs(
      'uvx acme-tool https://ecs.acme.example/mcp --region eu-1 --verbose --retries 3',
      'uvx acme-tool@1.2 https://ecs.acme.example/mcp --region eu-1 --verbose --retries 3',
    ),
  },
  'an-argument-of-the-caller': {
    of: { ...npm, packageArguments: [named('--folder', { isRequired: true })] },
    allowed: [],
    command: 'npx -y acme-tool --folder YOUR_VALUE',
    why: 'an allow list compares the whole command, a part of which the caller fills in',
  },
  'a-value-within-an-argument': {
    of: { ...npm, packageArguments: [named('--mount', { value: 'src={path},ro', isRequired: true })] },
    why: unwritable('--mount'),
  },
  'an-option-without-hyphens': {
    of: { ...npm, packageArguments: [named('port', { default: '80' })] },
    why: unwritable('port'),
  },
  'an-option-with-its-value-in-its-name': {
    of: { ...npm, packageArguments: [named('--port 80', { value: '--port 80', isRequired: true })] },
    why: unwritable('“--port 80”'),
  },
  'a-switch-that-is-its-own-value': {
    of: { ...npm, packageArguments: [named('--all', { value: '--all', isRequired: true })] },
    ...runs('npx -y acme-tool --all', 'npx -y acme-tool@1.2.3 --all'),
  },
  'a-switch-that-is-required': {
    of: { ...npm, packageArguments: [named('--stdio', { isRequired: true, format: 'boolean' })] },
    ...runs('npx -y acme-tool --stdio', 'npx -y acme-tool@1.2.3 --stdio'),
  },
  'an-option-that-the-caller-may-leave-out': {
    of: {
      ...image,
      runtimeArguments: [
        named('-e', { value: 'MODE={mode}', variables: { mode: { isRequired: false, default: 'fast' } } }),
        named('-e', { value: 'TOKEN={token}', isRequired: false, variables: { token: { isSecret: true } } }),
        named('-e', { value: 'KEY={key}', variables: { key: { isRequired: false } } }),
      ],
      packageArguments: [named('--quiet', { description: 'Says less.' })],
    },
    ...runs('docker run -i --rm -e MODE=fast ghcr.io/acme/tool:1.2'),
  },
  'a-module-of-python': {
    of: { ...pypi, runtimeHint: 'python', runtimeArguments: [fixed('-m'), fixed('acme_tool')] },
    why: 'its record starts it with python',
  },
  'options-that-start-something-else': {
    of: { ...npm, runtimeArguments: [fixed('--package=evil'), fixed('-c'), fixed('evil')] },
    why: starts('--package=evil'),
  },
  'an-option-behind-an-empty-word': {
    of: { ...npm, runtimeArguments: [fixed(''), fixed('--package=evil')] },
    why: unread('runtimeArguments'),
  },
  'a-variable-that-names-a-registry': {
    of: { ...npm, environmentVariables: [{ name: 'NPM_config_registry', value: 'https://evil.example' }] },
    why: sets('NPM_config_registry'),
  },
  'a-variable-that-loads-code': {
    of: {
      ...npm,
      environmentVariables: [{ name: 'NODE_OPTIONS', value: '--import=data:text/javascript,x' }],
    },
    why: sets('NODE_OPTIONS'),
  },
  'a-variable-that-loads-code-around-a-part-to-fill-in': {
    of: {
      ...npm,
      environmentVariables: [
        { name: 'NODE_OPTIONS', value: '--import=data:text/javascript,{x}', isRequired: true },
      ],
    },
    why: sets('NODE_OPTIONS'),
  },
  'a-host-of-docker-around-a-part-to-fill-in': {
    of: {
      ...image,
      environmentVariables: [{ name: 'DOCKER_HOST', value: 'tcp://evil.example:{port}', isRequired: true }],
    },
    why: sets('DOCKER_HOST'),
  },
  'variables-with-parts-to-fill-in': {
    of: {
      ...npm,
      environmentVariables: [
        { name: 'MODE', value: 'http', isRequired: true },
        { name: 'CALLER', value: 'App {key}', isRequired: true },
        { name: 'STORE', value: 'postgres://me:<password>@db', isRequired: true },
        { name: 'STRANGE', value: '$(id) {x}', isRequired: true },
      ],
    },
    ...runs('npx -y acme-tool', 'npx -y acme-tool@1.2.3'),
    env: {
      MODE: 'http',
      CALLER: 'App YOUR_VALUE',
      STORE: 'postgres://me:YOUR_VALUE@db',
      STRANGE: 'YOUR_VALUE',
    },
  },
  'an-image-with-parts-to-fill-in': {
    of: {
      ...image,
      environmentVariables: [
        { name: 'DOCKER_HOST', value: 'tcp://evil.example:1', isRequired: true },
        { name: 'CALLER', value: 'App {key}', isRequired: true },
      ],
    },
    ...runs('docker run -i --rm -e DOCKER_HOST=tcp://evil.example:1 -e CALLER ghcr.io/acme/tool:1.2'),
    env: { CALLER: 'App YOUR_VALUE' },
  },
  'a-variable-that-is-too-long-to-keep': {
    of: {
      ...npm,
      environmentVariables: [
        { name: 'NODE_OPTIONS', value: `--import=data:text/javascript,${'x'.repeat(500)}` },
      ],
    },
    why: unread('environmentVariables'),
  },
  'a-variable-behind-a-hundred-others': {
    of: {
      ...npm,
      environmentVariables: [
        ...Array.from({ length: 100 }, (_, at) => ({ name: `A_${at}`, value: '1' })),
        { name: 'NODE_OPTIONS', value: '--import=data:text/javascript,x' },
      ],
    },
    why: unread('environmentVariables'),
  },
  'a-variable-that-starts-nothing': {
    of: {
      ...npm,
      registryType: 'nuget',
      identifier: 'Acme.Tool',
      environmentVariables: [{ name: 'DOTNET_SKIP_FIRST_TIME_EXPERIENCE', value: '1' }],
    },
    ...runs('dnx Acme.Tool --yes', 'dnx Acme.Tool@1.2.3 --yes'),
    env: { DOTNET_SKIP_FIRST_TIME_EXPERIENCE: '1' },
  },
  'an-interpreter-of-the-record': {
    of: { ...pypi, runtimeArguments: [fixed('--python'), fixed('/tmp/evil')] },
    why: starts('--python'),
  },
  'a-version-of-python': {
    of: { ...pypi, runtimeArguments: [fixed('--python'), fixed('3.12')] },
    ...runs('uvx --python 3.12 acme-tool', 'uvx --python 3.12 acme-tool@1.2'),
  },
  'an-interpreter-as-a-package': {
    of: { ...pypi, identifier: 'python', packageArguments: [fixed('-c'), fixed('x')] },
    why: noName,
  },
  'a-file-as-a-package': { of: { ...npm, identifier: 'evil.tgz' }, why: noName },
  'a-folder-as-a-version': { of: { ...pypi, version: 'evil' }, ...runs('uvx acme-tool') },
  'a-member-that-every-object-has': { of: { ...npm, constructor: [1] }, why: unread('constructor') },
  'a-mount-of-the-machine': {
    of: { ...image, runtimeArguments: [named('-v', { value: '/:/host' })] },
    why: starts('-v'),
  },
  'options-that-are-usual': {
    of: { ...npm, runtimeArguments: [fixed('-y'), fixed('acme-tool@latest')], runtimeHint: 'npx' },
    ...runs('npx -y acme-tool', 'npx -y acme-tool@1.2.3'),
  },
  'older-spelling': {
    of: {
      registry_type: 'npm',
      registry_base_url: 'https://registry.npmjs.org',
      identifier: 'acme-tool',
      version: '1.2.3',
      transport: { type: 'stdio' },
      package_arguments: [{ type: 'positional', value: 'start' }],
      environment_variables: [{ name: 'KEY', is_required: true, is_secret: true }],
    },
    ...runs('npx -y acme-tool start', 'npx -y acme-tool@1.2.3 start'),
    env: { KEY: 'YOUR_VALUE' },
  },
  'the-oldest-spelling': {
    of: {
      registry_name: 'npm',
      name: 'acme-tool',
      version: '1.2.3',
      environment_variables: [{ name: 'KEY', is_required: true }],
    },
    ...runs('npx -y acme-tool', 'npx -y acme-tool@1.2.3'),
    env: { KEY: 'YOUR_VALUE' },
  },
  'arguments-in-two-spellings': {
    of: { ...npm, packageArguments: [], package_arguments: [fixed('start')] },
    why: unread('packageArguments, package_arguments'),
  },
  'variables-as-an-object': {
    of: { ...npm, environmentVariables: { KEY: 'your key' } },
    why: unread('environmentVariables'),
  },
  'arguments-as-words': {
    of: { ...image, runtimeArguments: ['run', '--rm', '-v', '{workspace}:/workspace'] },
    why: unread('runtimeArguments'),
  },
  'arguments-under-another-name': { of: { ...npm, arguments: ['mcp', 'serve'] }, why: unread('arguments') },
  'an-argument-that-says-nothing': {
    of: { ...pypi, packageArguments: [{ type: 'positional', isRequired: true, description: 'An address' }] },
    why: unread('packageArguments'),
  },
  'variables-as-words': {
    of: { ...npm, environmentVariables: ['KEY'] },
    why: unread('environmentVariables'),
  },
  'a-dotnet-tool-with-arguments': {
    of: { ...npm, registryType: 'nuget', identifier: 'Acme.Tool', packageArguments: [fixed('mcp')] },
    ...runs('dnx Acme.Tool --yes -- mcp', 'dnx Acme.Tool@1.2.3 --yes -- mcp'),
  },
};
const handleOf = (name: string) => `com.example.launch/${name}`;

const folder = openFolder();
const views = join(folder, 'views.json');
writeFileSync(views, JSON.stringify({ all: { title: 'All', criteria: [{ criterion: 'active' }] } }));
const directory = await openedDirectory({
  entries: Object.entries(cases).map(([name, { of }]) =>
    registryEntry(handleOf(name), { packages: [of], remotes: undefined }),
  ),
  environment: { VIEWS: views, LIMITS: 'off' },
});
await directory.judgeViews();

const json = async (path: string) => (await (await directory.app.request(path)).json()) as Promise<never>;
const text = async (path: string) => (await directory.app.request(path)).text();
const post = (tool: string, input: object) => callTool<never>(directory, tool, input);

it('each server in an .mcp.json has a name of its own, also if a handle ends as a number would', async () => {
  const { app, judgeViews, close } = await openDirectory({
    entries: [
      registryEntry('com.example/mail', {
        remotes: ['https://one.example.com/', 'https://two.example.com/'].map((url) => ({
          type: 'sse',
          url,
        })),
      }),
      registryEntry('com.example/mail-2', { remotes: [{ type: 'sse', url: 'https://three.example.com/' }] }),
    ],
    environment: { VIEWS: join(folder, 'views.json') },
  });
  await judgeViews();
  const { mcpServers } = (await (await app.request('/views/all/.mcp.json')).json()) as {
    mcpServers: Record<string, { url: string }>;
  };
  expect(
    Object.values(mcpServers)
      .map(({ url }) => url)
      .sort(),
  ).toEqual(['https://one.example.com/', 'https://three.example.com/', 'https://two.example.com/']);
  await close();
});

it('a command of a listing is whole in the allow list, .mcp.json and on the pages, or is left out with the reason', async () => {
  const list = (await json('/views/all/managed-settings.json')) as {
    allowedMcpServers: { serverCommand?: string[] }[];
  };
  const { mcpServers } = (await json('/views/all/.mcp.json')) as {
    mcpServers: Record<string, { command: string; args: string[]; env?: object }>;
  };
  const commands = list.allowedMcpServers.map(({ serverCommand }) => serverCommand?.join(' '));
  const wanted = Object.values(cases).flatMap(({ allowed = [] }) => allowed);
  expect([...new Set(commands)].sort()).toEqual([...new Set(wanted)].sort());
  const page = await text('/views/all');
  for (const [name, { allowed, command, env, why }] of Object.entries(cases)) {
    const entry = mcpServers[`example-launch-${name}`.slice(0, 40)];
    expect([entry && [entry.command, ...entry.args].join(' '), entry?.env], name).toEqual([command, env]);
    const item = page.slice(page.indexOf(`href="/agents/${handleOf(name)}"`)).split('</h3>')[1] ?? '';
    const said = /<li><code class="foreign">[^<]*<\/code>: (.*?)\.<\/li>/.exec(item.split('<h3>')[0] ?? '');
    expect(said?.[1]?.replaceAll(/<[^>]*>/g, ''), name).toBe(why);
    const listing = await text(`/agents/${handleOf(name)}`);
    if (command)
      expect(listing, name).toContain(
        `<code>${allowed?.at(-1) ?? 'npx -y acme-tool@1.2.3 --folder YOUR_VALUE'}`,
      );
    else expect(listing, name).toContain('No command is shown');
  }
});

describe('a package of another registry', () => {
  it('is found by that registry alone, and never taken for the one of its name', async () => {
    const { results } = (await post('resolve_agents', {
      handles: ['ghcr.io/acme/tool', 'docker.io/acme/tool', 'acme/tool', 'npm:acme-tool'],
    })) as {
      results: { asked: string; outcome: string; handle?: string; candidates?: { handle: string }[] }[];
    };
    expect(results.map(({ asked, outcome }) => [asked, outcome])).toEqual([
      ['ghcr.io/acme/tool', 'several_listings'],
      ['docker.io/acme/tool', 'not_known'],
      ['acme/tool', 'not_listed'],
      ['npm:acme-tool', 'several_listings'],
    ]);
    const named = JSON.stringify(results);
    expect(named).not.toContain(handleOf('a-registry-of-a-company'));
    expect(named).not.toContain(handleOf('a-private-registry'));
  });
  it('is named with it, and is not linked to the package of that name', async () => {
    const page = await text(`/agents/${handleOf('a-registry-of-a-company')}`);
    expect(page).toContain('https://npm.acme.example/');
    expect(page).not.toContain('npmjs.com/package/acme-tool');
    expect(await text(`/agents/${handleOf('a-registry-of-a-company')}.md`)).toContain(
      'npm `acme-tool@1.2.3` in the registry `https://npm.acme.example/` over stdio, not checked',
    );
  });
});

it.each([
  ['repository', 'no repository recorded', { repository: 'https://github.com/acme/tool' }],
  ['remotes[]', 'no endpoint recorded', { remotes: ['https://acme.example/mcp'] }],
  ['packages[]', 'no endpoint or package is recorded', { packages: ['npm:acme-tool'] }],
])('a part of a record that is not read is never said to be absent: %s', async (part, denial, server) => {
  const handle = handleOf(`unread-${part.replace('[]', '')}`);
  await directory.importEntries([registryEntry(handle, { remotes: [], packages: [npm], ...server })]);
  const short = JSON.stringify(await post('get_agent', { handle }));
  for (const said of [short, await text(`/agents/${handle}.md`)]) {
    expect(said).toContain(`record has \`${part}\` in a form that Dossier does not read`);
    expect(said.toLowerCase()).not.toContain(denial);
  }
  expect(JSON.parse(short).unstated).not.toMatch(/repository|endpoint/);
});

describe('what a record asks for', () => {
  it('is never said to be nothing where it was not read', async () => {
    const handle = handleOf('variables-as-an-object');
    const markdown = await text(`/agents/${handle}.md`);
    expect(markdown).toContain('The record has `environmentVariables` in a form that Dossier does not read');
    expect(markdown).not.toContain('No credentials recorded');
    expect(markdown).toContain('`packages.environmentVariables`');
    const found = (await post('search_agents', { needs_secret: false, limit: 50 })) as {
      listings: { handle: string }[];
    };
    const handles = found.listings.map((one) => one.handle);
    expect(handles).toContain(handleOf('plain'));
    const unread = Object.keys(cases).filter((name) => /form that Dossier/.test(cases[name]?.why ?? ''));
    expect(handles.filter((one) => unread.some((name) => handleOf(name) === one))).toEqual([]);
    expect(handles).not.toContain(handleOf('older-spelling'));
    const compared = await post('compare_agents', {
      handles: [handle, handleOf('older-spelling')],
      criteria: [{ criterion: 'needs_no_secret' }],
    });
    expect(comparedOf(compared)).toMatchObject([
      {
        results: { needs_no_secret: 'unknown' },
        reasons: {
          needs_no_secret: 'the record has `environmentVariables` in a form that Dossier does not read',
        },
      },
      { results: { needs_no_secret: 'not_met' } },
    ]);
  });
  it('is given out by the registry API in the form of its schema', async () => {
    const read = async (name: string) =>
      (
        (await json(`/v0.1/servers/${encodeURIComponent(handleOf(name))}/versions/latest`)) as {
          server: { packages: Record<string, unknown>[] };
        }
      ).server.packages[0];
    // Without what is not read, a client would start something else.
    expect(await read('variables-as-an-object')).toBeUndefined();
    expect(await read('arguments-under-another-name')).toBeUndefined();
    // The schema requires a transport.
    expect(await read('the-oldest-spelling')).toBeUndefined();
    expect(await read('older-spelling')).toMatchObject({
      registryType: 'npm',
      environmentVariables: [{ name: 'KEY', isRequired: true, isSecret: true }],
    });
  });
});

it('says at every door that a record starts its package at another version than it names', async () => {
  const handle = handleOf('options-that-are-usual');
  const both = 'npm `acme-tool@1.2.3` over stdio, though its start arguments name `latest`, which can move';
  const { markdown } = await callTool<{ markdown: string }>(directory, 'get_agent', {
    handle,
    detail: 'full',
  });
  expect(markdown).toContain(`The record names two versions: ${both}`);
  expect(markdown).toContain(`a package for your machine: ${both}`);
  const search = { query: handle };
  expect(JSON.stringify(await callTool(directory, 'search_agents', search))).toContain(both);
  const page = await (await directory.app.request(`/agents/${handle}`)).text();
  const connect = page.slice(page.indexOf('id="connect"')).replace(/<\/?code[^>]*>/g, '`');
  expect(connect.replace(/<[^>]+>/g, '')).toContain(both);
  const same = { handle: handleOf('plain') };
  expect(JSON.stringify(await callTool(directory, 'get_agent', same))).not.toContain('start arguments');
});
