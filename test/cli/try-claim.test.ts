import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Started, startCommand } from '../support/command.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
let started: Started;
beforeAll(() => {
  started = startCommand(['sh', '-c', scripts['try:claim'] ?? ''], { PORT: '0' });
});
afterAll(async () => {
  started.child.kill('SIGKILL');
  await started.ended;
});

it('npm run try:claim prints commands that claim a listing, tells what it saw of them, and leaves nothing once it is stopped', async () => {
  const folder = await started.line(/^Ctrl-C .* deletes (\S+)\.$/m);
  const url = await started.line(/^A Dossier is running at (\S+),/m);
  const shown = await started.line(/^A Dossier is running at [\s\S]*^Ctrl-C/m);
  const commands = [...shown.matchAll(/^ {3}(\S.*)$/gm)].map(([, command = '']) => command);

  const readme = readFileSync('README.md', 'utf8').replaceAll('http://127.0.0.1:3000', url);
  const [request = 'README.md requests no claim'] = readme.match(/curl -s \S+\/api\/claim-github .*/) ?? [];
  expect(commands.filter((command) => command.startsWith(request))).toHaveLength(2);

  const { PATH } = process.env;
  // As a user whom git does not know yet.
  const env = { PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env });
  expect(stdout).toMatch(/"status":"challenge_issued".*"status":"claimed".*"state":"active"/s);
  expect(await started.line(/^The git host received a push\./m)).toBeTruthy();
  const page = await (await fetch(`${url}/agents/co.webhook/webhook`)).text();
  expect(page).toContain('Claimed <time');

  // Twice, as npm passes on what the terminal has sent too.
  started.child.kill('SIGINT');
  started.child.kill('SIGINT');
  expect((await started.ended).code).toBe(0);
  expect(existsSync(folder)).toBe(false);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
