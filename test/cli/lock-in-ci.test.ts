import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { program, runDossier } from '../support/command.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { openedDirectory, openFolder } from '../support/opened.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Record<string, string>;
}
interface Workflow {
  readonly on: Record<string, unknown>;
  readonly jobs: Record<string, { env: Record<string, string>; steps: Step[] }>;
}

const mail = 'com.example/mail';
const folder = openFolder();
const file = join(folder, 'dossier.lock.json');
const workflow = parse(readFileSync('docs/examples/dossier-check.yml', 'utf8')) as Workflow;
const action = parse(readFileSync('action.yml', 'utf8')) as { runs: { steps: Step[] } };

const entry = (name: string, version: string, official = {}) =>
  registryEntry(name, { version, ...remotesAt(`https://${name.split('/')[1]}.example.com/mcp`) }, official);
const lock = (...args: string[]) =>
  runDossier(['lock', '--out', file, ...args], { DOSSIER_URL: directory.url });
const locked = () =>
  Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { listings: object }).listings).sort();

/**
 * A project that has `dossier` as a dependency, as `npm install` leaves it; its command is the one of this
 * checkout.
 */
function writeProject() {
  const installed = join(folder, 'dossier');
  mkdirSync(installed);
  const command = join(installed, 'dossier.sh');
  writeFileSync(command, `#!/bin/sh\nexec node '${program}' "$@"\n`);
  chmodSync(command, 0o755);
  const dossier = { name: 'dossier', version: '0.1.0', bin: { dossier: 'dossier.sh' } };
  writeFileSync(join(installed, 'package.json'), JSON.stringify(dossier));
  const devDependencies = { dossier: 'file:dossier' };
  const project = { name: 'project', version: '1.0.0', private: true, devDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  const packages = {
    '': { name: 'project', version: '1.0.0', devDependencies },
    dossier: { version: '0.1.0', dev: true, bin: dossier.bin },
    'node_modules/dossier': { resolved: 'dossier', link: true },
  };
  const lockFile = { name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockFile));
}

/**
 * Runs the `run` lines of steps as a runner of GitHub Actions does: each in bash, ending with the first that
 * fails.
 */
async function runSteps(steps: readonly Step[] = workflow.jobs.check?.steps ?? [], more: object = {}) {
  const output: string[] = [];
  const offline = { npm_config_offline: 'true', npm_config_audit: 'false' };
  const env = { ...process.env, ...offline, GITHUB_ACTIONS: 'true', DOSSIER_URL: directory.url, ...more };
  for (const { run } of steps) {
    if (run === undefined) continue;
    const code = await new Promise<number>((ended) =>
      execFile('bash', ['-e', '-o', 'pipefail', '-c', run], { cwd: folder, env }, (error, stdout, stderr) => {
        output.push(stdout, stderr);
        ended(error ? Number(error.code) : 0);
      }),
    );
    if (code !== 0) return { code, output: output.join('') };
  }
  return { code: 0, output: output.join('') };
}

const views = join(folder, 'views.json');
const criteria = [{ criterion: 'has_endpoint' }];
writeFileSync(views, JSON.stringify({ 'with-endpoint': { title: 'With an endpoint', criteria } }));
const directory = await openedDirectory({
  entries: [
    entry(mail, '1.0.0'),
    registryEntry('com.example/offline'),
    ...Array.from({ length: 110 }, (_, at) => entry(`com.example/many-${at}`, '1.0.0')),
  ],
  listening: true,
  environment: { VIEWS: views, LIMITS: 'off' },
});
writeProject();

it('lock --view locks exactly the listings of a view, over all of its pages', async () => {
  const { code, stderr } = await lock('--view', 'with-endpoint');
  expect([code, stderr]).toEqual([0, `${file}: 111 listings locked from ${directory.url}\n`]);
  expect(locked()).toContain(mail);
  expect(locked()).not.toContain('com.example/offline');
});

it('says which view there is not, and that only a running Dossier has views', async () => {
  const none = await lock('--view', 'nothing');
  expect([none.code, none.stderr]).toEqual([
    64,
    `${directory.url} has no view nothing; ${directory.url}/views lists its views\n`,
  ]);
  const own = await runDossier(['lock', '--view', 'with-endpoint'], {
    DATABASE_URL: `file:${join(folder, 'own.db')}`,
  });
  expect([own.code, own.stderr]).toEqual([
    64,
    '--view reads the listings of a view from a running Dossier; name its address with --from or DOSSIER_URL\n',
  ]);
});

it('the workflow for GitHub Actions runs on pushes and by the clock, and needs nothing but its project', () => {
  expect(Object.keys(workflow.on)).toEqual(['push', 'schedule']);
  expect(workflow.jobs.check?.steps.map(({ uses, run }) => uses?.replace(/@.*/, '') ?? run)).toEqual([
    'actions/checkout',
    'actions/setup-node',
    'npm ci --ignore-scripts',
    'npx --no-install dossier check',
  ]);
  expect(workflow.jobs.check?.env).toEqual({ DOSSIER_URL: 'https://dossier.example' });
});

it('the workflow passes while nothing changed, and then fails with one annotation for each fact', async () => {
  rmSync(file);
  expect((await lock(mail)).code).toBe(0);
  const before = await runSteps();
  expect(before.code, before.output).toBe(0);
  expect(before.output).toMatch(/^1 listing is as it was locked on \d{4}-\d\d-\d\d$/m);
  await directory.importEntries([entry(mail, '1.1.0', { updatedAt: '2026-11-01T08:00:00Z' })]);
  const after = await runSteps();
  expect(after.code, after.output).toBe(1);
  expect(after.output.match(/^::error .*$/gm)).toEqual([
    '::error file=dossier.lock.json,title=com.example/mail::com.example/mail: version changed from `1.0.0` to `1.1.0`, known since 2026-11-01',
  ]);
});

it('the action runs the check of its own commit on the lock file of a project', async () => {
  const [install, check] = action.runs.steps.filter(({ run }) => run !== undefined);
  // npm run lab try:action runs it, in a clone.
  expect(install?.run).toMatch(/^npm ci --prefix "\$GITHUB_ACTION_PATH" /);
  expect(Object.keys(check?.env ?? {})).toEqual(['DOSSIER_URL', 'LOCK_FILE']);
  const ran = async () => runSteps([check ?? {}], { GITHUB_ACTION_PATH: process.cwd(), LOCK_FILE: file });
  expect(await ran()).toMatchObject({
    code: 1,
    output: expect.stringContaining('com.example/mail: version changed from `1.0.0` to `1.1.0`'),
  });
  expect((await lock(mail)).code).toBe(0);
  expect((await ran()).code).toBe(0);
});
