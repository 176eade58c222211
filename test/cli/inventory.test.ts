import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Ended, runDossier } from '../support/command.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { startFetchServer } from '../support/endpoints/paid-endpoint.ts';
import { packageAt, registryEntry, remotesAt, seedEntries } from '../support/entries.ts';
import { opened, openedDirectory, openFolder } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const packaged = (registryType: string, identifier: string, version = '1.2.3') =>
  packageAt(registryType, identifier, version);
const entries = [
  ...seedEntries,
  registryEntry('com.example/ledger', {
    ...packaged('pypi', 'Ledger_Tools', '2.0.0'),
    ...onGitHub('example/ledger'),
  }),
  registryEntry('com.example/imager', packaged('oci', 'docker.io/example/imager:1.2.3')),
  registryEntry('com.example/dotnet', packaged('nuget', 'Example.Mcp', '1.0.0')),
  registryEntry('com.example/one', packaged('npm', 'common-name')),
  registryEntry('com.other/two', packaged('npm', 'common-name')),
  registryEntry('com.example/mail', remotesAt('https://mail.example.com/mcp')),
  registryEntry('com.example/tenants', remotesAt('https://{tenant}.example.org/mcp')),
  registryEntry('com.example/dead', remotesAt('https://dead.example.com/mcp')),
  registryEntry('com.example/left', remotesAt('https://left.example.com/mcp')),
];
const secret = /planted/i;
const fixtures = resolve('test/cli/inventory');
const folder = openFolder();
const empty = join(folder, 'empty');
mkdirSync(empty);
let isReadOnly = true;

/** Everything that was sent to the service, each request as one text. */
const wire: string[] = [];
const recorder = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  wire.push([request.method, request.url, ...request.rawHeaders, body].join('\n'));
  const { method = 'GET', url } = request;
  const headers = { 'content-type': 'application/json' };
  const sent = method === 'POST' ? { method, headers, body } : {};
  const answer = await fetch(`${directory.url}${url}`, sent);
  response.writeHead(answer.status, headers).end(await answer.text());
});

/** Runs `dossier` in a folder, with a home of its own. */
function run(
  args: readonly string[],
  { cwd = empty, home = empty, ...environment }: Record<string, string> = {},
) {
  return runDossier(args, { HOME: home, ...environment }, cwd);
}
const inventory = (args: readonly string[], environment: Record<string, string> = {}) =>
  run(['inventory', '--service', service, ...args], environment);

interface Server {
  readonly client: string;
  readonly file: string;
  readonly name: string;
  readonly what: string;
  readonly asked?: string;
  readonly version?: string;
  readonly isPinned?: boolean;
  readonly isOff: boolean;
  readonly findings: readonly string[];
  readonly result?: { readonly outcome: string; readonly handle?: string };
}
const serversOf = ({ stdout }: Ended) => (JSON.parse(stdout) as { servers: Server[] }).servers;

/** What is made of servers that stand in one configuration. */
async function read(servers: object, ...args: string[]): Promise<Server[]> {
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return serversOf(await inventory([file, '--json', ...args]));
}
const ofFixtures = {
  cwd: join(fixtures, 'project'),
  home: join(fixtures, 'home'),
  APPDATA: join(fixtures, 'home/AppData/Roaming'),
  PROGRAMFILES: join(fixtures, 'home/Program Files'),
};

const endpoint = await opened(
  startModernServer(() => [{ name: 'read', description: 'Reads mail', readOnlyHint: isReadOnly }]),
);
const leaving = await opened(startFetchServer(() => Response.redirect('https://new.example.net/mcp', 308)));
const overrides = {
  'mail.example.com': endpoint.url,
  'dead.example.com': 'http://127.0.0.1:9',
  'left.example.com': leaving.url,
};
const directory = await openedDirectory({
  entries,
  listening: true,
  environment: { HOST_OVERRIDES: JSON.stringify(overrides), LIMITS: 'off' },
});
recorder.listen(0, '127.0.0.1');
await once(recorder, 'listening');
const service = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
beforeEach(() => {
  wire.length = 0;
});
afterAll(() => {
  recorder.close();
  recorder.closeAllConnections();
});

describe('the configurations of all clients', () => {
  it('are found, and each server is looked up', async () => {
    const servers = serversOf(await inventory(['--json'], ofFixtures));
    const shown = servers.map(({ client, file, name, result, isPinned, isOff }) =>
      [
        client,
        file,
        name,
        result?.handle ?? result?.outcome ?? 'not asked about',
        ...(isPinned === undefined ? [] : [isPinned ? 'pinned' : 'not pinned']),
        ...(isOff ? ['off'] : []),
      ].join(', '),
    );
    expect(shown).toEqual([
      'Claude Code, .mcp.json, messages, com.politicalcomms/api, pinned',
      'Claude Code, .mcp.json, hooks, co.webhook/webhook',
      'Claude Code, .claude-plugin/plugin.json, ledger-of-plugin, com.example/ledger, pinned',
      'Claude Code, ~/.claude.json, messages-of-user, com.politicalcomms/api, not pinned',
      'Claude Code, ~/.claude.json, hooks-bridged, co.webhook/webhook, not pinned',
      'Claude Code, ~/.claude.json, keyed, not_known',
      'Claude Code, ~/.claude/plugins/cache/market/books/1.0.0/.mcp.json, ledger-without-wrapper, com.example/ledger, pinned',
      'Claude Code, ~/.claude/plugins/cache/market/books/1.0.0/.mcp.json, hooks-without-wrapper, co.webhook/webhook',
      'Claude Code, ~/Program Files/ClaudeCode/managed-mcp.json, managed, co.webhook/webhook',
      'Claude Desktop, ~/Library/Application Support/Claude/claude_desktop_config.json, imager, com.example/imager, not pinned',
      'Claude Desktop, ~/Library/Application Support/Claude/claude_desktop_config.json, own, not asked about',
      'Claude Desktop, ~/AppData/Roaming/Claude/claude_desktop_config.json, messages, com.politicalcomms/api, not pinned',
      'Claude Desktop, ~/.config/Claude/claude_desktop_config.json, ledger, com.example/ledger, not pinned',
      'VS Code, .vscode/mcp.json, hooks, co.webhook/webhook',
      'VS Code, .vscode/mcp.json, templated, not asked about',
      'VS Code, ~/.config/Code/User/mcp.json, dotnet, com.example/dotnet, pinned',
      'VS Code, ~/.config/Code/User/profiles/6a1f/mcp.json, of-profile, co.webhook/webhook',
      'VS Code, ~/.config/Code/User/settings.json, pinned-image, com.example/imager, pinned',
      'dev containers, .devcontainer/devcontainer.json, in-container, com.example/ledger, pinned',
      'Visual Studio, .vs/mcp.json, of-studio, co.webhook/webhook',
      'Cursor, .cursor/mcp.json, messages, not asked about, pinned',
      'Cursor, ~/.cursor/mcp.json, hooks, co.webhook/webhook',
      'Cline, ~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json, of-cline, com.example/ledger, pinned, off',
      'Roo, .roo/mcp.json, of-roo, co.webhook/webhook',
      'Kiro, .kiro/settings/mcp.json, of-kiro, com.example/ledger, pinned',
      'Amazon Q, ~/.aws/amazonq/cli-agents/books.json, of-q, com.example/ledger, pinned',
      'Codex, ~/.codex/config.toml, ledger, com.example/ledger, pinned',
      'Codex, ~/.codex/config.toml, hooks, co.webhook/webhook',
      'Gemini CLI, .gemini/settings.json, imager, com.example/imager, pinned',
      'Gemini CLI, ~/.gemini/settings.json, hooks, co.webhook/webhook',
      'Copilot CLI, ~/.copilot/mcp-config.json, ledger, com.example/ledger, pinned',
      'Copilot CLI, ~/.copilot/mcp-config.json, hooks, co.webhook/webhook',
      'opencode, opencode.json, messages, com.politicalcomms/api, not pinned, off',
      'opencode, opencode.json, hooks, co.webhook/webhook',
      'opencode, ~/.config/opencode/opencode.jsonc, ledger, com.example/ledger, not pinned',
      'Amp, ~/.config/amp/settings.json, of-amp, co.webhook/webhook',
      'Goose, ~/.config/goose/config.yaml, of-goose, com.example/ledger, pinned',
      'Goose, ~/.config/goose/config.yaml, goose-remote, co.webhook/webhook, off',
      'LM Studio, ~/.lmstudio/mcp.json, of-lmstudio, co.webhook/webhook',
      'Windsurf, ~/.codeium/windsurf/mcp_config.json, unlisted, not_known',
      'Zed, ~/.config/zed/settings.json, misspelt, not_listed, not pinned',
      'Zed, ~/.config/zed/settings.json, older-form, com.politicalcomms/api, pinned',
      'Zed, ~/.config/zed/settings.json, hooks, co.webhook/webhook',
      'Continue, .continue/mcpServers/ledger.yaml, Ledger of mine, com.example/ledger, not pinned',
      'Continue, ~/.continue/config.yaml, (a name that may be a secret), co.webhook/webhook',
      'Continue, ~/.continue/config.yaml, here, not asked about',
    ]);
  });

  it('are asked about in one request, of names of packages with versions, and scheme, host and path of addresses', async () => {
    await inventory([], ofFixtures);
    expect(wire).toHaveLength(1);
    expect(JSON.parse(wire[0]?.split('\n').at(-1) ?? '')).toEqual({
      handles: [
        'npm:@political-comms/mcp@1.1.0',
        'https://mcp.webhook.co/mcp',
        'pypi:ledger-tools@2.0.0',
        'npm:@political-comms/mcp@*',
        'https://mcp.webhook.co/mcp/s',
        'oci:example/imager',
        'pypi:ledger-tools@*',
        'nuget:Example.Mcp@1.0.0',
        'oci:example/imager@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
        'pypi:ledger-tools@1.9.0',
        'oci:docker.io/example/imager:1.2.3',
        'npm:@political-comms/mcp@^1.0.0',
        'pypi:ledger-tools@>=1',
        'https://mcp.unlisted.example.com/mcp',
        'npm:@political-coms/mcp@*',
        'npm:@political-comms/mcp@1.2.0',
        'https://github.com/example/ledger',
      ],
    });
  });

  it('lose no secret: not to the service, and not in any output', async () => {
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    for (const [name, text] of [
      ['a.json', '{"mcpServers": {"k3yPLANTED01": {"command": "npx" "PLANTED"}}}'],
      ['b.toml', 'a = "k3yPLANTED02"\nb = k3yPLANTED03'],
      ['c.yaml', 'a: [k3yPLANTED04\nb: {k3yPLANTED05'],
    ] as const)
      writeFileSync(join(broken, name), text);
    const files = ['a.json', 'b.toml', 'c.yaml'].map((name) => join(broken, name));
    const out = join(folder, 'secrets.lock.json');
    const outputs = [
      await inventory([], ofFixtures),
      await inventory(['--json'], ofFixtures),
      await inventory(['--markdown', '--fail-on', 'unpinned'], ofFixtures),
      await inventory([], { ...ofFixtures, GITHUB_ACTIONS: 'true' }),
      await inventory(files),
      await inventory([...files, '--json'], { GITHUB_ACTIONS: 'true' }),
      await run(['lock', '--from', service, '--inventory', '--out', out], ofFixtures),
      await run(['inventory', '--service', 'http://127.0.0.1:9'], ofFixtures),
    ];
    const texts = outputs.map(({ stdout, stderr }) => stdout + stderr);
    for (const text of texts) expect(text.length).toBeGreaterThan(80);
    expect(texts.filter((text) => secret.test(text))).toEqual([]);
    expect(wire.length).toBeGreaterThan(5);
    expect(wire.filter((text) => secret.test(text))).toEqual([]);
    expect(readFileSync(out, 'utf8')).not.toMatch(secret);
    const planted =
      (await run(['--version'])).code === 0 && readFileSync(join(fixtures, 'home/.claude.json'), 'utf8');
    expect(planted).toMatch(secret);
  });
});

const sha1 = 'a'.repeat(40);
/**
 * A command and its arguments, what is asked for, its version, and whether it is pinned. A bar stands for a
 * space within one word. An option that is not known may take what follows as its value. Only a path is a
 * command of this machine; of anything else it is not known what it starts.
 */
const commandLines = String.raw`npx -y @acme/tool → npm:@acme/tool@*, not pinned
npx --yes @acme/tool@1.2.3 --key x → npm:@acme/tool@1.2.3, 1.2.3, pinned
npx @acme/tool@latest → npm:@acme/tool@*, latest, not pinned
npx @acme/tool@^1.2 → npm:@acme/tool@^1.2, ^1.2, not pinned
npx -p @acme/tool@1.0.0 -c tool → npm:@acme/tool@1.0.0, 1.0.0, pinned
npx --package=@acme/tool tool → npm:@acme/tool@*, not pinned
/opt/homebrew/bin/npx -y tool → npm:tool@*, not pinned
C:\Program|Files\nodejs\npx.cmd -y tool → npm:tool@*, not pinned
cmd /c npx -y tool@2.0.0 → npm:tool@2.0.0, 2.0.0, pinned
npm exec -- tool → npm:tool@*, not pinned
pnpm dlx tool@2.0.0 → npm:tool@2.0.0, 2.0.0, pinned
yarn dlx tool → npm:tool@*, not pinned
bunx tool → npm:tool@*, not pinned
bun x tool → npm:tool@*, not pinned
npx github:acme/tool → https://github.com/acme/tool, not pinned
npx -y acme/tool → https://github.com/acme/tool, not pinned
npx ./local → nothing
npx → nothing, not pinned
uvx tool==1.2 → pypi:tool@1.2, 1.2, pinned
uvx tool@latest → pypi:tool@*, latest, not pinned
uvx --python 3.12 --from tool[extra]>=1 run-it → pypi:tool@>=1, >=1, not pinned
uvx -p 3.12 tool → pypi:tool@*, not pinned
uv tool run tool → pypi:tool@*, not pinned
uv run server.py → nothing, not pinned
pipx run --spec tool==1.0 run-it → pypi:tool@1.0, 1.0, pinned
uvx --from git+https://user:word@github.com/a/b@${sha1} b → https://github.com/a/b, pinned
docker run -i --rm -e KEY -e OTHER=value acme/tool → oci:acme/tool, not pinned
docker run --rm -it -v /a:/b --network host ghcr.io/a/tool:1.2 --flag → oci:ghcr.io/a/tool:1.2, 1.2, pinned
docker run --env=KEY=value acme/tool:latest → oci:acme/tool:latest, latest, not pinned
docker run acme/tool@sha256:${'a'.repeat(64)} → oci:acme/tool@sha256:${'a'.repeat(64)}, sha256:${'a'.repeat(64)}, pinned
docker mcp gateway run → nothing, not pinned
podman container run acme/tool → oci:acme/tool, not pinned
dnx Acme.Tool@1.0.0 --yes → nuget:Acme.Tool@1.0.0, 1.0.0, pinned
dnx Acme.Tool --version 1.0.0 --yes → nuget:Acme.Tool@1.0.0, 1.0.0, pinned
dnx --source https://api.example.com/v3/index.json Planted.Tool → nothing, not pinned
dnx --source https://api.nuget.org/v3/index.json Acme.Tool → nuget:Acme.Tool@*, not pinned
npx -y mcp-remote@0.1.29 https://a.com/mcp?key=x --header K:V → https://a.com/mcp, 0.1.29, pinned
uvx mcp-proxy --headers K V https://mcp.acme.com/sse → https://mcp.acme.com/sse, not pinned
node server.js → nothing
npx -y ghp_0123456789abcdefABCDEF0123456789 → nothing, not pinned
npx -y $PACKAGE → nothing, not pinned
npx --_authToken plantedpw tool → nothing, not pinned
npx --otp 424242 tool → nothing, not pinned
npx --loglevel=silent tool → npm:tool@*, not pinned
uvx --allow-insecure-host planted.corp.example tool → nothing, not pinned
uvx -P planted tool → nothing, not pinned
docker run -ie PLANTED acme/tool → nothing, not pinned
podman run --tls-verify acme/tool planted → oci:acme/tool, not pinned
docker run registry.internal:5000/team/planted:1.2 → nothing, 1.2, pinned
docker run localhost:5000/planted → nothing, not pinned
docker run 10.0.0.5:5000/team/planted → nothing, not pinned
npm x tool → npm:tool@*, not pinned
env KEY=planted npx -y tool → npm:tool@*, not pinned
cmd /d /s /c npx -y tool → npm:tool@*, not pinned
dnx Acme.Tool --version=1.0.0 → nuget:Acme.Tool@1.0.0, 1.0.0, pinned
dnx Acme.Tool -- --version planted → nuget:Acme.Tool@*, not pinned
uvx --from tool>=1;KEY="planted" run-it → pypi:tool@not-sent, not-sent, not pinned
uvx --from tool>=1.2,<2 run-it → pypi:tool@>=1.2,<2, >=1.2,<2, not pinned
uvx tool==1.* → pypi:tool@1.*, 1.*, not pinned
uvx --from git+https://github.com/a/b@${sha1}#subdirectory=x b → https://github.com/a/b, pinned
npx git+https://github.com/a/b#${sha1} → https://github.com/a/b, pinned
uv|tool run planted tool → nothing, not pinned
uv tool|run --token planted tool → nothing, not pinned
env -i npx planted → nothing, not pinned
env -S npx|planted → nothing, not pinned
op run -- npx planted → nothing, not pinned
sudo -u tool npx -y planted → nothing, not pinned
nohup docker run -i planted → nothing, not pinned
corepack pnpm dlx planted → nothing, not pinned
python3 -m pipx run planted → nothing, not pinned
npm --yes exec planted → nothing, not pinned
uv --quiet tool run planted → nothing, not pinned
docker --context corp run -i planted → nothing, not pinned
npm init planted → nothing, not pinned
uv --directory /srv/tool run server.py → nothing, not pinned
npm run mcp → nothing, not pinned
uv run --with mcp[cli] mcp run server.py → nothing, not pinned
go run example.com/planted@latest → nothing, not pinned
nix run github:acme/planted → nothing, not pinned
sh -c pip|install|planted → nothing, not pinned
/bin/sh -c curl|https://acme.example/planted|x → nothing, not pinned
curl -sL https://acme.example/planted | bash → nothing, not pinned
container run -i planted → nothing, not pinned
/opt/homebrew/bin/uv run --with planted tool → nothing, not pinned
python -m planted → nothing, not pinned
planted-server → nothing, not pinned
/srv/tool/server --token planted → nothing
./server → nothing
./bin/server → nothing
~/.local/bin/uv run --with planted tool → nothing, not pinned
/srv/.venv/bin/python -m tool → nothing
python3 /srv/server.py → nothing
env npm_config_registry=https://npm.corp.example npx planted → nothing, not pinned
env UV_INDEX_URL=https://packages.corp.example/simple uvx planted → nothing, not pinned
env UV_INDEX_URL=https://pypi.org/simple uvx tool → pypi:tool@*, not pinned
env UV_CONFIG_FILE=/srv/uv.toml uvx planted==1.0 → nothing, 1.0, pinned
env PIP_CONFIG_FILE=/srv/pip.conf pipx run planted → nothing, not pinned
pipx run --pip-args=--index-url=https://packages.corp.example planted → nothing, not pinned
pipx run --pip-args=--index-url=https://pypi.org/simple planted → nothing, not pinned
uvx --config-file /srv/uv.toml planted → nothing, not pinned
uvx --with-requirements /srv/all.txt planted → nothing, not pinned
uvx --index https://pypi.org/simple|https://corp.example planted → nothing, not pinned
uvx --find-links=/srv/wheels planted → nothing, not pinned
dnx Planted.Tool --source https://api.example.com/v3/index.json --yes → nothing, not pinned
dnx Planted.Tool --configfile /srv/NuGet.Config → nothing, not pinned
npm exec planted --registry=https://npm.corp.example → nothing, not pinned
npm exec planted --userconfig /srv/.npmrc → nothing, not pinned
npm exec tool -- --registry=https://npm.corp.example → npm:tool@*, not pinned
npx tool --registry=https://npm.corp.example → npm:tool@*, not pinned
npx --prefix /srv/corp planted → nothing, not pinned
npx --some-future-setting=/srv planted → nothing, not pinned
deno run --import-map=/srv/map.json npm:planted → nothing, not pinned
npx -c npx|planted → nothing, not pinned
npx -p tool@1.0.0 -p planted planted → nothing, not pinned
npx --@corp:registry=https://npm.corp.example @corp/planted → nothing, not pinned
npx --userconfig /srv/corp.npmrc planted → nothing, not pinned
uvx --with extra --from tool==1.0.0 tool → pypi:tool@1.0.0, 1.0.0, not pinned
uvx --with extra==1.0 --from tool==1.0.0 tool → pypi:tool@1.0.0, 1.0.0, pinned
npx|-y tool → nothing, not pinned
npx|--otp planted tool → nothing, not pinned
cmd /c npx|-y|planted → nothing, not pinned
bash -lc cd|/srv|&&|/usr/bin/npx|-y|planted → nothing, not pinned
npx|-y|@acme/planted → nothing, not pinned
bash /srv/npx-like.sh → nothing
wsl.exe -d Ubuntu --cd /srv -- npx -y tool@1.0.0 → npm:tool@1.0.0, 1.0.0, pinned
wsl bash -c uvx|planted → nothing, not pinned
deno run -A --allow-env=KEY,OTHER npm:@a/b@1.2.3/cli --token planted → npm:@a/b@1.2.3, 1.2.3, pinned
deno run --allow-net npm:tool → npm:tool@*, not pinned
deno run -A jsr:@acme/planted → nothing, not pinned
deno run -A jsr:@acme/planted@1.2.3/mcp → nothing, 1.2.3, pinned
deno run --allow-all /srv/planted.ts → nothing
npx --registry https://npm.corp.internal/ @corp/planted@1.0.0 → nothing, 1.0.0, pinned
npx -y --registry https://npm.corp.example/ @corp/planted → nothing, not pinned
npx --registry=https://registry.npmjs.org.corp.example/ planted → nothing, not pinned
npx --registry https://registry.npmjs.org/ tool → npm:tool@*, not pinned
uvx --index https://packages.corp.example/simple planted-tool → nothing, not pinned
uvx --index corp=https://user:pw@10.0.0.5/simple planted-tool → nothing, not pinned
npx --registry=$PLANTED planted-tool → nothing, not pinned
uvx --index-url https://pypi.org/simple tool → pypi:tool@*, not pinned
uvx mcp-proxy --token-url https://planted.com https://a.com/sse → https://a.com/sse, not pinned
uvx mcp-proxy --headers Referer https://planted.com/ https://a.com/sse → https://a.com/sse, not pinned
dnx Acme.Tool -v quiet --version 1.0.0 → nuget:Acme.Tool@1.0.0, 1.0.0, pinned
npx @n0zer0d4y/fr24@1.0.0-20251101123000 → npm:@n0zer0d4y/fr24@1.0.0-20251101123000, 1.0.0-20251101123000, pinned
npx tool@1.0.0-sk-proj1Abcdefgh0123456789 → npm:tool@not-sent, not-sent, pinned
docker run ghcr.io/SamYuan1990/i18n:9.4.20251116 → oci:ghcr.io/SamYuan1990/i18n:9.4.20251116, 9.4.20251116, pinned
npx -y 0123456789abcdef0 → nothing, not pinned
cmd /c npx -y planted --a&&curl planted → nothing, not pinned
npx -y planted && curl planted → nothing, not pinned
npx -y mcp-remote https://mcp.acme.com/mcp?a=x&b=y → https://mcp.acme.com/mcp, not pinned
./npx -y planted → nothing
/srv/evil/env npx -y planted → nothing
C:\evil\npx.cmd -y planted → nothing
C:\Users\a\.local\bin\uvx.exe tool → pypi:tool@*, not pinned
C:\Users\a\AppData\Roaming\npm\npx.cmd tool → npm:tool@*, not pinned
uvx git+https://github.com/acme/mono@feature/x → https://github.com/acme/mono, not pinned`;

it('of a command line only the package and its version are read', async () => {
  const lines = commandLines.split('\n').map((line) => line.split(' → '));
  const servers = lines.map(([line = '']) => {
    const [command, ...args] = line.split(' ').map((one) => one.replaceAll('|', ' '));
    return { command, args };
  });
  const found = await read({ ...servers });
  const pins = (isPinned?: boolean) =>
    isPinned === undefined ? undefined : isPinned ? 'pinned' : 'not pinned';
  expect(
    found.map(({ asked, version, isPinned }, at) => [
      lines[at]?.[0],
      [asked ?? 'nothing', version, pins(isPinned)].filter(Boolean).join(', '),
    ]),
  ).toEqual(lines);
});

const addresses: readonly [string, string | undefined][] = [
  ['https://3f1c2b4a-0d5e-4f60-8a7b-9c8d7e6f5a4b.m.example.net/mcp', undefined],
  ['https://mcp.acme.com/AB12-CD34-EF56-GH78/mcp', 'https://mcp.acme.com'],
  ['https://mcp.acme.com/36ef-3f8e-7d65-ff46', 'https://mcp.acme.com'],
  ['https://mcp.acme.com/84736251/mcp', 'https://mcp.acme.com'],
  ['https://mcp.acme.com/QWERTYUIOPASDFGH', 'https://mcp.acme.com'],
  ['https://mcp.acme.com/nhq2e3utx0', 'https://mcp.acme.com'],
  ['https://mcp.acme.com/8473-6251-9921/mcp', 'https://mcp.acme.com'],
  ['https://mcp.acme.com/u/jane@corp.com/mcp', 'https://mcp.acme.com/u'],
  ['https://$planted.acme.com/mcp', undefined],
  [
    'https://mcp.acme.com/@yuna0x0/text2image/2024-11-05',
    'https://mcp.acme.com/@yuna0x0/text2image/2024-11-05',
  ],
  [`https://mcp.acme.com/${'word/'.repeat(80)}`, undefined],
  ['https://user:word@mcp.acme.com:8443/a/b?c=d#e', 'https://mcp.acme.com:8443/a/b'],
  ['http://mcp.acme.com', 'http://mcp.acme.com/'],
  ['https://mcp.acme.com/@acme/context7-mcp/mcp', 'https://mcp.acme.com/@acme/context7-mcp/mcp'],
  ['https://mcp.acme.com/s/3f1c2b4a-0d5e-4f60-8a7b-9c8d7e6f5a4b/mcp', 'https://mcp.acme.com/s'],
  ['https://mcp.acme.com/s/MDEyMzQ1Njc4OWFiY2RlZg/mcp', 'https://mcp.acme.com/s'],
  ['https://mcp.acme.com/sk-proj1Abcdefgh/mcp', 'https://mcp.acme.com'],
  ['https://mcp.acme.com/$TOKEN/mcp', 'https://mcp.acme.com'],
  ['https://$HOST/mcp', undefined],
  ['https://localhost:3000/mcp', undefined],
  ['http://192.168.1.4/mcp', undefined],
  ['http://[::1]:8080/mcp', undefined],
  ['https://mcp.corp.internal/mcp', undefined],
  ['ws://mcp.acme.com/mcp', undefined],
  ['not an address', undefined],
];

it('of a public address scheme, host and path are sent, up to what may be a key', async () => {
  const found = await read({ ...addresses.map(([url]) => ({ url })) });
  expect(found.map(({ asked }, at) => [addresses[at]?.[0], asked])).toEqual(addresses);
});

describe('a configuration that cannot be read', () => {
  it('is named with line and column, and ends nothing', async () => {
    const files = Object.entries({
      'one.json': '{\n  "mcpServers": {\n    "a" 1\n',
      'two.toml': 'a = 1\nb = nothing\n',
      'three.yaml': 'a: 1\nb: [1\nc: 2\n',
      'four.json': '['.repeat(200_000),
      'fine.json': '\uFEFF{"mcpServers": {"hooks": {"url": "https://mcp.webhook.co/mcp"}}}',
    }).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const { code, stdout } = await inventory([...files, join(folder, 'missing.json')]);
    expect(code).toBe(0);
    const lines = stdout.replaceAll(`${folder}/`, '').split('\n').filter(Boolean);
    expect(lines.slice(0, 5)).toEqual([
      'one.json:3:9: not JSON; left out',
      'two.toml:2:5: not TOML; left out',
      'three.yaml:3:1: not YAML; left out',
      expect.stringMatching(/^four\.json.*; left out$/),
      'missing.json: no such file; left out',
    ]);
    expect(lines[5]).toBe('“hooks” (fine.json): https://mcp.webhook.co/mcp');
    expect(lines.at(-2)).toBe('1 server in 6 files: 1 listed, 5 left out.');
  });

  it('fails what --fail-on is to find', async () => {
    const { code, stderr } = await inventory([join(folder, 'missing.json'), '--fail-on', 'unpinned']);
    expect([code, stderr]).toEqual([
      65,
      'some configurations were not understood, so they may have what --fail-on names\n',
    ]);
    const annotated = await inventory([join(folder, 'one.json'), '--fail-on', 'unpinned'], {
      GITHUB_ACTIONS: 'true',
    });
    expect(annotated.stdout.split('\n')[0]).toBe(
      `::error file=${folder}/one.json,title=not JSON::${folder}/one.json:3:9: not JSON; left out.`,
    );
  });
});

describe('a named file', () => {
  const file = join(folder, 'named.json');
  const ask = async (value: object, ...args: string[]) => {
    writeFileSync(file, JSON.stringify(value));
    const { code, stdout } = await inventory([file, ...args]);
    return { code, lines: stdout.replaceAll(`${folder}/`, '').split('\n').filter(Boolean) };
  };
  it('in which no server is recognised is no pass', async () => {
    for (const value of [{}, { theme: 'dark', fonts: { size: 12 } }, { mcpServers: {} }, []]) {
      const { code, lines } = await ask(value, '--fail-on', 'not-listed');
      expect([code, lines[0], lines[1]]).toEqual([
        65,
        'named.json: no server is recognised in it; left out',
        '0 servers in 1 file: 1 left out.',
      ]);
    }
    expect((await ask({})).code).toBe(0);
  });
  it('with a list inside another list of servers has the inner one', async () => {
    const servers = { hooks: { url: 'https://mcp.webhook.co/mcp' } };
    const inputs = [{ id: 'key', type: 'promptString' }];
    const { code, lines } = await ask({ mcp: { servers, inputs } }, '--fail-on', 'not-listed');
    expect([code, lines.at(-2)]).toEqual([0, '1 server in 1 file: 1 listed.']);
    const launch = { type: 'local', command: ['npx', 'common-name'] };
    expect((await ask({ mcp: { servers: launch } })).lines[0]).toBe(
      '“servers” (named.json): npm common-name, not pinned',
    );
  });
  it('has the servers that its servers are given', async () => {
    const inner = { command: 'npx', args: ['-y', 'wrapped@1.0.0'], env: { KEY: 'planted' } };
    const guard = { command: 'uvx', args: ['guard==1.0', '--wrapped', JSON.stringify(inner)] };
    const { lines } = await ask({ mcpServers: { guard } });
    expect(lines.filter((line) => line.startsWith('“'))).toEqual([
      '“guard” (named.json): pypi guard, version 1.0',
      '“guard” (named.json): npm wrapped, version 1.0.0',
    ]);
    expect(lines.join()).not.toContain('planted');
  });
  it('without a list of servers is one, if its members look like servers', async () => {
    const { code, lines } = await ask(
      {
        hooks: { type: 'http', url: 'https://mcp.webhook.co/mcp' },
        tool: { command: 'npx', args: ['-y', 'tool'] },
      },
      '--fail-on',
      'unpinned',
    );
    expect([code, lines[0]]).toEqual([1, '“hooks” (named.json): https://mcp.webhook.co/mcp']);
    expect(lines).toContain('“tool” (named.json): npm tool, not pinned');
  });
  it('of a plugin names its author, who is no server, and may name the file of its servers', async () => {
    const plugin = join(folder, 'plugin');
    mkdirSync(join(plugin, '.claude-plugin'), { recursive: true });
    const manifest = join(plugin, '.claude-plugin', 'plugin.json');
    const write = (more: object) =>
      writeFileSync(
        manifest,
        JSON.stringify({ name: 'books', author: { name: 'Ann', url: 'https://ann.webhook.co' }, ...more }),
      );
    const shown = async () => {
      const { stdout } = await inventory([manifest, '--fail-on', 'not-listed']);
      return stdout.replaceAll(`${plugin}/`, '').split('\n').filter(Boolean);
    };
    write({});
    expect((await shown())[0]).toBe('.claude-plugin/plugin.json: no server is recognised in it; left out');
    write({ mcpServers: './servers.json' });
    expect((await shown())[0]).toBe('servers.json: no such file; left out');
    writeFileSync(
      join(plugin, 'servers.json'),
      JSON.stringify({ ledger: { command: 'npx', args: ['tool'] } }),
    );
    expect((await shown())[0]).toBe('“ledger” (servers.json): npm tool, not pinned');
    write({ mcpServers: ['../outside.json'] });
    expect((await shown())[0]).toBe(
      '.claude-plugin/plugin.json: it names a file outside of its folder; left out',
    );
  });
  it('has its entries that are not understood named with their members, and no secret', async () => {
    const url = 'https://mcp.webhook.co/mcp';
    const { code, lines } = await ask(
      {
        mcpServers: {
          typo: { 'httpUrl ': url },
          nested: { transport: { type: 'http', url } },
          other: { type: 'http', uri_: url, headers: { Authorization: 'k3yPLANTED51' } },
          k3yPLANTED52: { k3yPLANTED53: url },
          off: { disabled: true },
          part: { enabled: false, tools: ['look_up'] },
          text: 'npx planted',
          list: ['npx'],
          none: null,
          number: 1,
          empty: {},
        },
      },
      '--fail-on',
      'not-listed',
    );
    expect([code, lines]).toEqual([
      65,
      [
        'named.json: “typo” has no known member for a command or an address; it has “httpUrl”; left out',
        'named.json: “nested” has no known member for a command or an address; it has “transport”; left out',
        'named.json: “other” has no known member for a command or an address; it has “type”, “uri_”; left out',
        'named.json: an entry has no known member for a command or an address; it has a name that may be a secret; left out',
        ...['text', 'list', 'none', 'number', 'empty'].map(
          (name) => `named.json: “${name}” is not an object with members; left out`,
        ),
        '0 servers in 1 file: 9 left out.',
      ],
    ]);
  });
});

it('a package for which settings name another registry is not asked about', async () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(
    join(project, '.npmrc'),
    '; of the company\n@planted:registry = https://npm.corp.example/\n//npm.corp.example/:_authToken=PLANTED\n',
  );
  const command = (...args: string[]) => ({ command: 'npx', args: ['-y', ...args] });
  const index = 'https://packages.corp.example/simple';
  writeFileSync(
    join(project, '.mcp.json'),
    JSON.stringify({
      mcpServers: {
        scoped: command('@planted/tool@1.0.0'),
        public: command('@political-comms/mcp'),
        named: { ...command('planted-tool'), env: { npm_config_registry: 'https://npm.corp.example' } },
        python: { command: 'uvx', args: ['planted-tool'], env: { UV_DEFAULT_INDEX: index } },
        yarned: { ...command('planted-tool'), env: { YARN_NPM_REGISTRY_SERVER: 'https://npm.corp.example' } },
        homed: { ...command('planted-tool'), environment: { HOME: '/srv/other' } },
        filed: { ...command('planted-tool'), envFile: '.env' },
        known: { command: 'uvx', args: ['ledger-tools'], env: { UV_INDEX_URL: 'https://pypi.org/simple' } },
        usual: {
          ...command('common-name'),
          env: { API_KEY: 'planted', PATH: '/srv', NPM_CONFIG_YES: 'true' },
        },
      },
    }),
  );
  const whatOf = async (environment: Record<string, string>) =>
    serversOf(await inventory(['--json'], environment)).map(({ name, what, asked }) => [name, asked ?? what]);
  const elsewhere = 'npm, a package of another registry';
  expect(await whatOf({ cwd: project })).toEqual([
    ['scoped', elsewhere],
    ['public', 'npm:@political-comms/mcp@*'],
    ['named', elsewhere],
    ['python', 'pypi, a package of another registry'],
    ...['yarned', 'homed', 'filed'].map((name) => [name, elsewhere]),
    ['known', 'pypi:ledger-tools@*'],
    ['usual', 'npm:common-name@*'],
  ]);
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.npmrc'), 'registry="https://npm.corp.example/"\n');
  expect((await whatOf({ cwd: project, home }))[1]).toEqual(['public', elsewhere]);
  mkdirSync(join(home, '.config/uv'), { recursive: true });
  writeFileSync(join(home, '.config/uv/uv.toml'), `[[index]]\nurl = "${index}"\n`);
  expect((await whatOf({ cwd: project, home })).map(([, what]) => what)).not.toContain('pypi:ledger-tools@*');
  expect(wire.filter((text) => secret.test(text))).toEqual([]);
});

describe('--fail-on', () => {
  const file = join(folder, 'fail.json');
  const only = (server: object) => writeFileSync(file, JSON.stringify({ mcpServers: { one: server } }));
  const failed = async (finding: string, environment = {}) => {
    const { code, stdout } = await inventory([file, '--fail-on', finding], environment);
    return [code, stdout.trim().split('\n').at(-2)];
  };

  it('ends with 1 if a package is not pinned, and is an annotation on GitHub Actions', async () => {
    only({ command: 'npx', args: ['@political-comms/mcp'] });
    expect(await failed('unpinned')).toEqual([1, '1 server in 1 file: 1 listed, 1 not pinned.']);
    expect((await failed('unreachable,not-listed'))[0]).toBe(0);
    const on = { GITHUB_ACTIONS: 'true' };
    const { stdout } = await inventory([file, '--fail-on', 'unpinned'], on);
    expect(stdout).toMatch(
      /^::error file=\S+fail\.json,title=one%2C not pinned::“one” \(.*\): npm @political-comms/,
    );
    expect((await inventory([file, '--fail-on', 'unreachable'], on)).stdout).toMatch(/^::warning file=/);
  });

  it('ends with 1 if nobody lists it', async () => {
    only({ url: 'https://mcp.unlisted.example.com/mcp' });
    expect(await failed('not-listed')).toEqual([1, '1 server in 1 file: 1 not listed.']);
    expect((await failed('advisories'))[0], 'of what is not listed nothing is known').toBe(65);
    only({ url: 'https://mcp.unlisted.example.com/s/3f1c2b4a-0d5e-4f60-8a7b-9c8d7e6f5a4b' });
    expect((await failed('not-listed'))[0], 'an address that was not sent in full').toBe(65);
    only({ command: 'node', args: ['server.js'] });
    expect((await failed('not-listed'))[0], 'what nobody else can know').toBe(0);
  });

  it('ends with 65 if it is not known, which JSON and GitHub Actions say of each server', async () => {
    only({ command: 'npx', args: ['-y', '@political-comms/mcp@0.1.0'] });
    expect((await failed('unpinned,unreachable,paid'))[0], 'a package has no endpoint').toBe(0);
    const { code, stdout, stderr } = await inventory([file, '--fail-on', 'advisories,unpinned']);
    expect([code, stderr]).toEqual([
      65,
      'not all is known of 1 server, so it may have what --fail-on names\n',
    ]);
    expect(stdout).toContain(
      'Not known whether it is: reported as malicious code (malware); with an advisory (advisories); with a package version that is marked as deprecated or yanked (package-deprecated); with a package or repository not where the record says (not-there); ',
    );
    const [found] = serversOf(await inventory([file, '--json']));
    expect(found).toMatchObject({ findings: [], unknown: expect.arrayContaining(['advisories']) });
    expect((await failed('deprecated'))[0], 'of its package').toBe(65);
    const on = await inventory([file, '--fail-on', 'advisories'], { GITHUB_ACTIONS: 'true' });
    expect(on.stdout).toMatch(/^::error file=\S+fail\.json,title=one::/);
  });

  it('ends with 1 if its tools changed, or its endpoint does not answer', async () => {
    only({ url: 'https://mail.example.com/mcp' });
    await directory.observe('com.example/mail');
    expect((await failed('changed,unreachable'))[0]).toBe(0);
    isReadOnly = false;
    directory.wait(86_400);
    await directory.observe('com.example/mail');
    expect(await failed('changed')).toEqual([1, '1 server in 1 file: 1 listed, 1 changed in 90 days.']);
    only({ url: 'https://dead.example.com/mcp' });
    await directory.observe('com.example/dead');
    expect(await failed('unreachable')).toEqual([1, '1 server in 1 file: 1 listed, 1 without an answer.']);
  });

  it('is refused for any other word', async () => {
    const { code, stderr } = await inventory([file, '--fail-on', 'unpinned,insecure']);
    expect([code, stderr]).toEqual([
      64,
      '--fail-on insecure: not one of malware, advisories, deprecated, not-there, unreachable, moved, changed, unread-tools, texts, scripts, contradiction, paid, new, withdrawn, not-listed, unpinned\n',
    ]);
    for (const none of ['', ','])
      expect((await inventory([file, '--fail-on', none])).code, 'nothing is named').toBe(64);
  });
});

it('a key in YAML is in no warning', async () => {
  const file = join(folder, 'continue.yaml');
  const text = 'mcpServers:\n  - name: hooks\n    command: npx\n    env: { ? { plantedKey: 1 } : x }\n';
  writeFileSync(file, text);
  const { stdout, stderr } = await inventory([file]);
  expect(stdout + stderr).not.toContain('planted');
});

it('an address beside a command hides nothing', async () => {
  const both = { command: 'npx', args: ['-y', 'hidden-tool'], url: 'https://mcp.webhook.co/mcp' };
  const found = await read({
    stdio: { ...both, type: 'stdio' },
    http: { ...both, type: 'http' },
    both,
    empty: { command: 'npx', args: ['-y', 'hidden-tool'], url: '' },
  });
  expect(found.map(({ asked, what }) => asked ?? what)).toEqual([
    'npm:hidden-tool@*',
    'https://mcp.webhook.co/mcp',
    'both a command and an address',
    'npm:hidden-tool@*',
  ]);
});

it('a listing at the beginning of an address that was cut is near, and is not locked', async () => {
  const [found] = await read({
    one: { url: 'https://mcp.webhook.co/mcp/3f1c2b4a-0d5e-4f60-8a7b-9c8d7e6f5a4b' },
  });
  expect(found?.result).toMatchObject({ outcome: 'not_known', near: ['co.webhook/webhook'] });
  expect(found?.result?.handle).toBeUndefined();
});

it('no text of a configuration ends the annotation of GitHub Actions or reaches the terminal', async () => {
  const file = join(folder, 'hostile.json');
  const name = 'a\n::error::forged\u001b[2J';
  writeFileSync(file, JSON.stringify({ mcpServers: { [name]: { command: 'npx', args: ['common-name'] } } }));
  for (const more of [[], ['GITHUB_ACTIONS']]) {
    const { stdout } = await inventory([file], Object.fromEntries(more.map((name) => [name, 'true'])));
    expect(stdout).not.toMatch(/^::error::forged/m);
    expect(stdout).not.toContain('\u001b');
  }
});

it('asks for more than a hundred names a hundred at a time', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 130 }, (_, n) => [`s${n}`, { url: `https://s${n}.example.com/mcp` }]),
  );
  const found = await read({ ...servers, hooks: { url: 'https://mcp.webhook.co/mcp' } });
  expect(found.at(-1)?.result).toMatchObject({ outcome: 'listed', handle: 'co.webhook/webhook' });
  const sent = wire.map(
    (text) => (JSON.parse(text.split('\n').at(-1) ?? '') as { handles: string[] }).handles,
  );
  expect(sent.map(({ length }) => length).toSorted()).toEqual([100, 31]);
});

it('asks nobody where there is nothing to ask', async () => {
  expect(await inventory([])).toEqual({ code: 0, stdout: '0 servers in 0 files.\n', stderr: '' });
  expect((await inventory(['--fail-on', 'malware'])).code, 'nothing was read').toBe(65);
  expect(wire).toEqual([]);
});

it('needs a Dossier that answers', async () => {
  const file = join(folder, 'text.json');
  writeFileSync(file, '{"mcpServers": {"one": {"command": "npx", "args": ["common-name"]}}}');
  expect(await run(['inventory', file])).toMatchObject({
    code: 64,
    stderr: 'name a Dossier with --service or DOSSIER_URL, or use --offline\n',
  });
  expect(await run(['inventory', file, '--service', 'dossier.example'])).toMatchObject({
    code: 74,
    stderr:
      'dossier.example: not a file of listing documents (of a dump: evidence-*.jsonl.gz), as JSON or one a line; an address begins with http:// or https://\n',
  });
  expect((await run(['inventory', file, '--service', 'http://127.0.0.1:9'])).code).toBe(69);
  const planted = [
    'http://user:planted@127.0.0.1:9',
    'http://127.0.0.1:9/?key=planted',
    'http://127.0.0.1:9/#planted',
  ];
  for (const address of planted)
    for (const args of [
      ['inventory', file, '--service', address],
      ['lock', '--from', address, 'com.example/mail'],
    ]) {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout, stderr]).toEqual([
        64,
        '',
        'the address of a Dossier is http(s), and has no user name, password, query or fragment\n',
      ]);
    }
  const other = await run(['inventory', file], { DOSSIER_URL: `${directory.url}/about` });
  expect([other.code, other.stderr]).toEqual([69, expect.stringContaining('not an answer of a Dossier')]);
});

it('asks your own database with --offline', async () => {
  const registry = join(folder, 'registry.json');
  writeFileSync(registry, JSON.stringify(seedEntries));
  const own = { DATABASE_URL: `file:${join(folder, 'own.db')}`, OBSERVE: 'off', LOG_LEVEL: 'silent' };
  expect((await run(['import', '--from', registry], own)).code).toBe(0);
  const named = { ...ofFixtures, ...own, DOSSIER_URL: 'dossier.example' };
  const { code, stdout } = await run(['inventory', '--offline', '--json'], named);
  expect(code).toBe(0);
  expect(serversOf({ code, stdout, stderr: '' })[1]?.result).toMatchObject({ handle: 'co.webhook/webhook' });
  expect(wire).toEqual([]);
});

describe('a dump', () => {
  const dump = join(folder, 'evidence.jsonl.gz');
  beforeAll(async () => {
    await directory.act('hide', 'com.example/ledger', 'advertising');
    await directory.observe('com.example/mail');
    directory.wait(40 * 86_400);
    await directory.observe('com.example/dead');
    await directory.observe('com.example/left');
    const manifest = await fetch(`${directory.url}/export/manifest.json`);
    const { files } = (await manifest.json()) as { files: { path: string }[] };
    const evidence = await fetch(`${directory.url}${files[1]?.path}`);
    writeFileSync(dump, Buffer.from(await evidence.arrayBuffer()));
  });

  it('says what the service says of it, but what is like a name, and what it lacks', async () => {
    const file = join(folder, 'dumped.json');
    const servers = {
      common: { command: 'npx', args: ['common-name'] },
      mail: { url: 'https://mail.example.com/mcp' },
      dead: { url: 'https://dead.example.com/mcp' },
      left: { url: 'https://new.example.net/mcp' },
      tenant: { url: 'https://acme.example.org/mcp' },
      hidden: { command: 'uvx', args: ['ledger-tools'] },
      typo: { command: 'npx', args: ['webhook'] },
      page: { url: `${directory.url}/agents/x` },
    };
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    const texts = async (from: string, ...more: string[]) =>
      (await run(['inventory', file, '--service', from, ...more], ofFixtures)).stdout.split('\n');
    const asked = await texts(service);
    const read = await texts(dump, '--offline');
    expect(wire).toHaveLength(1);
    const isAlike = (line: string) => line.startsWith('  * Near: `co.webhook/webhook`');
    expect(read.slice(0, -2)).toEqual(asked.filter((line) => !isAlike(line)).slice(0, -2));
    expect(asked.filter(isAlike)).toHaveLength(1);
    for (const said of [
      /Stands out: No usable answer from the endpoint at any check from \d{4}-\d\d-\d\d to \d{4}-/,
      /com\.example\/left`, found as the only listing that records what redirected Dossier to this address/,
      /com\.example\/tenants`, found as the only listing that records a template that fits this address, `/,
      /Stands out: No observation is newer than \d{4}-/,
      /^ {2}\* answered \d{4}-/m,
      /^ {2}\* The operator has hidden the title, description and status message of this listing\. \| /m,
    ])
      expect(read.join('\n')).toMatch(said);
    expect(read.at(-2)).toMatch(
      /^Read \S+evidence\.jsonl\.gz, as of \d{4}-\d\d-\d\d\. A dump has no withdrawn listings and no former records of listings, and no similar names are suggested from it\. Not being listed is not a verdict\.$/,
    );
    writeFileSync(file, '{"mcpServers": {"host": {"url": "https://mcp.webhook.co/other"}}}');
    const [atHost] = serversOf(await run(['inventory', file, '--json', '--service', dump]));
    expect(atHost?.result).toMatchObject({ outcome: 'not_listed', near: ['co.webhook/webhook'] });
    const all = serversOf(await run(['inventory', '--json', '--service', dump], ofFixtures));
    const ofService = serversOf(await inventory(['--json'], ofFixtures));
    expect(all.map(({ result }) => result?.handle)).toEqual(ofService.map(({ result }) => result?.handle));
  });

  it('is locked from, and checked against', async () => {
    const out = join(folder, 'dump.lock.json');
    const lock = ['lock', '--from', dump, '--inventory', join(fixtures, 'project/.mcp.json'), '--out', out];
    expect((await run(lock)).stderr).toContain('2 listings locked from');
    expect((await run(['check', '--out', out])).code).toBe(0);
  });
});

describe('dossier lock --inventory', () => {
  const out = join(folder, 'inventory.lock.json');
  const locked = () =>
    Object.keys((JSON.parse(readFileSync(out, 'utf8')) as { listings: object }).listings).sort();

  it('locks exactly the listings of the servers, and says which have none', async () => {
    const first = await run(['lock', '--from', service, '--out', out, 'com.example/mail']);
    expect([first.code, locked()]).toEqual([0, ['com.example/mail']]);
    const { code, stderr } = await run(['lock', '--from', service, '--inventory', '--out', out], ofFixtures);
    expect(code).toBe(0);
    expect(locked()).toEqual([
      'co.webhook/webhook',
      'com.example/dotnet',
      'com.example/imager',
      'com.example/ledger',
      'com.politicalcomms/api',
    ]);
    expect(
      stderr.match(/(?<=^“)[^”]+(?=” .*: not locked, because no single listing is known for it$)/gm),
    ).toEqual(['keyed', 'own', 'templated', 'messages', 'unlisted', 'misspelt', 'here']);
    expect((await run(['check', '--from', service, '--out', out])).code).toBe(0);
  });

  it('takes files, and check tells what changed', async () => {
    const file = join(folder, 'locked.json');
    writeFileSync(file, '{"servers": {"hooks": {"url": "https://mcp.webhook.co/mcp"}}}');
    const { code } = await run(['lock', '--from', service, '--out', out, '--inventory', file]);
    expect([code, locked()]).toEqual([0, ['co.webhook/webhook']]);
    const [webhook] = entries;
    const changed = { ...webhook?.server, version: '1.1.0' };
    await directory.importEntries([
      registryEntry('co.webhook/webhook', changed, { updatedAt: '2026-11-01T08:00:00Z' }),
    ]);
    expect(await run(['check', '--from', service, '--out', out])).toMatchObject({
      code: 1,
      stdout: 'co.webhook/webhook: version changed from `1.0.0` to `1.1.0`, known since 2026-11-01\n',
    });
  });

  it('refuses an inventory without a listing, and a file of documents as its source', async () => {
    const none = await run(['lock', '--from', service, '--out', out, '--inventory']);
    expect([none.code, none.stderr]).toEqual([64, expect.stringContaining('--inventory')]);
    const saved = join(folder, 'saved.json');
    writeFileSync(saved, '[]');
    expect((await run(['lock', '--from', saved, '--out', out, '--inventory'], ofFixtures)).code).toBe(64);
  });
});
