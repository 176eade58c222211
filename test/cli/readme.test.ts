import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { installedProgram, startCommand, startDossier } from '../support/command.ts';
import { openFolder } from '../support/opened.ts';
import { until } from '../support/until.ts';

const folder = openFolder();
const database = `file:${join(folder, 'readme.db')}`;
/** The settings of the command that the README gives for trying its examples. */
const [, tryOut = ''] = /^(\S+=\S+ .*)npm start$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
const trySettings = Object.fromEntries(
  tryOut
    .trim()
    .split(' ')
    .map((setting) => setting.split('=')),
);

const nowhere = { git: 'http://127.0.0.1:9', raw: 'http://127.0.0.1:9' };
const REPOSITORY_HOSTS = JSON.stringify({ 'github.com': nowhere });
const settings: Record<string, string> = { ...trySettings, PORT: '0', REPOSITORY_HOSTS };
const isPackage = installedProgram !== undefined;
const service = isPackage ? startDossier([], settings) : startCommand(['npm', 'start'], settings);
const url = await service.line(/^listening on (\S+)/m);
await until(async () => (await fetch(`${url}/readyz`)).status, 200);
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
});

/** Every command of the README and of the page about the log, with its lines joined. */
const commands = ['README.md', 'docs/log.md']
  .flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/^ *```sh\n(.*?)^ *```$/gms)])
  .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
  .map((line) => line.trim())
  .filter((line) => line !== '');

const started = 'other tests start it, or it needs what is not on this machine';
/** How each begins, its exit code on a fresh service, and what it prints. */
const expected: readonly (readonly [begins: string, code: number | typeof started, prints?: string])[] = [
  ['npm ci', started],
  ['npm run try:evidence', started],
  ['npm start', started],
  ['REGISTRY_URL=off DATABASE_URL=:memory: npm start', started],
  ['claude mcp add', started],
  ['curl -s http://127.0.0.1:3000/api/tools/get_agent', 0, '"handle":"co.webhook/webhook"'],
  ['curl -s http://127.0.0.1:3000/api/claim-github', 0, '"capability":"dossier_cap_'],
  ['curl -s http://127.0.0.1:3000/api/tools/submit_rating', 0, '"code":"capability_'],
  ['curl -sf http://127.0.0.1:3000/log/key', 0],
  ['curl -sf http://127.0.0.1:3000/api/tools/get_proof', 22],
  ['npm run dossier -- verify proof.json', 74, 'proof.json: cannot be read'],
  // Nothing is stated about the sample; statement.test.ts has the same commands about a registry.
  ['curl -sf http://127.0.0.1:3000/agents/co.webhook/webhook.intoto.json', 22],
  ['curl -sf http://127.0.0.1:3000/agents/co.webhook/webhook.json', 0],
  ['npm run dossier -- verify statement.json', 74, 'statement.json: cannot be read'],
  ['curl -sf http://127.0.0.1:3000/log/checkpoint', 0],
  ['npm run dossier -- audit http://127.0.0.1:3000', 2],
];

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs a command in a shell, with the files that it names in the test's folder. */
const run = (command: string): Promise<Ran> =>
  new Promise((resolve) => {
    const here = command
      .replaceAll('http://127.0.0.1:3000', url)
      .replaceAll('npm run dossier --', installedProgram ? `node ${installedProgram}` : '$&')
      .replaceAll(
        /(?<= )((?:proof|statement|listing)\.json|log\.key|saved-checkpoint\.txt)/g,
        `${folder}/$1`,
      );
    const env = { ...process.env, DATABASE_URL: database, REGISTRY_URL: 'off', DOSSIER_URL: url };
    execFile('sh', ['-c', here], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
  });

describe('the README and docs/log.md', () => {
  it.each(commands)('%s works on a fresh service as the page says', async (command) => {
    const [, code, prints] = expected.find(([begins]) => command.startsWith(begins)) ?? [];
    expect(code, 'the table names this command').toBeDefined();
    if (code === started) return;
    const ran = await run(command);
    expect(ran, ran.output).toMatchObject({ code, output: expect.stringContaining(prints ?? '') as string });
  });

  it('shows a sample on a new database of its own, so that no import has replaced what the examples name', () => {
    expect(trySettings).toEqual({ REGISTRY_URL: 'off', DATABASE_URL: ':memory:' });
  });

  it('says how to call the inspector from the command line', async () => {
    const { code, output } = await run('npm run --silent inspect -- --cli --method tools/list');
    expect(code, output).toBe(0);
    expect(output).toContain('"get_agent"');
  });
});
