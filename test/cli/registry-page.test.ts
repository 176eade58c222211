import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { program } from '../support/command.ts';
import { opened, openFolder } from '../support/opened.ts';
import { freePort } from '../support/postgres-server.ts';

const folder = openFolder();
const page = readFileSync('docs/registry.md', 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
/** Blocks that are one script, and the others, of which each line is a command. */
const [scripts, lines] = [true, false].map((isScript) =>
  blocks('sh').filter((block) => block.includes('<<') === isScript),
);
const commands = (lines ?? []).flatMap((block) =>
  block
    .trim()
    .split('\n')
    .map((line) => line.trim()),
);
const json = blocks('json').map((block) => JSON.parse(block) as Record<string, unknown>);

const views = join(folder, 'views.json');
writeFileSync(views, JSON.stringify(json.find((block) => 'our-services' in block)));
const service = await opened(openClaimedDirectory({ listening: true, environment: { VIEWS: views } }));
await service.claim('co.webhook/webhook', 'webhook-co/webhook');
await service.judgeViews();

const elsewhere = 'needs a program that is not on this machine, or another test starts it';
/** How each command begins, and what it prints or writes. */
const expected: readonly (readonly [begins: string, shows: string | typeof elsewhere])[] = [
  ["curl -sf 'http://127.0.0.1:3000/v0.1/servers", '"servers":[{"server":'],
  ["curl -sf 'http://127.0.0.1:3000/views/our-services/v0.1", '"name":"co.webhook/webhook"'],
  [
    "curl -sf 'http://127.0.0.1:3000/views/our-services/managed",
    '{"serverUrl":"https://mcp.webhook.co/mcp"}',
  ],
  ['curl -sf http://127.0.0.1:3000/views/our-services/managed', 'serverUrl'],
  ['curl -sf http://127.0.0.1:3000/views/our-services/.mcp.json', 'mcpServers'],
  ['curl -s http://127.0.0.1:3000/ard/search', '"identifier":"urn:air:webhook.co:webhook"'],
  ['curl -s http://127.0.0.1:3000/ard/agents/', '"dossier:claimState":"claimed"'],
  ['dossier approve ', elsewhere],
  ['thv ', elsewhere],
];

it.each(commands)('%s works as the page says', async (command) => {
  const shows = expected.find(([begins]) => command.startsWith(begins))?.[1];
  expect(shows, 'the table names this command').toBeDefined();
  if (shows === undefined || shows === elsewhere) return;
  const here = command.replace('http://127.0.0.1:3000', service.url);
  const ran = await new Promise<{ code: number; output: string }>((ended) =>
    execFile('sh', ['-c', here], { cwd: folder }, (error, stdout, stderr) =>
      ended({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}` }),
    ),
  );
  const written = / -o (\S+)$/.exec(command)?.[1];
  const shown = written ? readFileSync(join(folder, written), 'utf8') : ran.output;
  expect([ran.code, shown]).toEqual([0, expect.stringContaining(shows)]);
});

it('the example of private entries shows them to who has the key', async () => {
  const [example = '', ...others] = scripts ?? [];
  expect(others).toEqual([]);
  const port = String(await freePort());
  const script = `trap 'kill %1; wait' EXIT; set -m; ${example
    .replace('npm start &', `node ${program} serve >/dev/null 2>&1 &`)
    .replace('127.0.0.1:3000', `127.0.0.1:${port}`)}`;
  const env = { ...process.env, PORT: port, DATABASE_URL: ':memory:', REGISTRY_URL: 'off', OBSERVE: 'off' };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env });
  expect(JSON.parse(stdout).allowedMcpServers).toEqual([{ serverUrl: 'https://payroll.acme.internal/mcp' }]);
});

it('the setting of VS Code is the base address of a view that answers as a registry', async () => {
  const setting = json.find((block) => 'chat.mcp.gallery.serviceUrl' in block);
  const base = String(setting?.['chat.mcp.gallery.serviceUrl']).replace(
    'https://dossier.example',
    service.url,
  );
  expect((await fetch(`${base}/v0.1/servers?limit=1`)).status).toBe(200);
});
