import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'dossier-accepted-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'run.json');
const run = promisify(execFile);
/** The row of the size of tools/list, which is the same in each run. */
async function measure(option: '--accept' | '--against'): Promise<string> {
  const args = ['start', '--listings', '20', '--rounds', '1', '--folder', folder];
  const { stdout } = await run(process.execPath, [
    'bench/run.ts',
    ...args,
    option,
    file.replace(/\.json$/, ''),
  ]);
  return stdout.split('\n').find((line) => line.startsWith('| tools/list')) ?? '';
}

it('a run is compared with the last accepted one on the same kind of machine, and what is worse by more than a tenth is marked', async () => {
  expect(await measure('--accept')).not.toContain('accepted');
  const written = JSON.parse(readFileSync(file, 'utf8'));
  const [machine = ''] = Object.keys(written);
  const { 'start of 20': values } = written[machine].values;
  const [[what, tokens]] = Object.entries(values) as [[string, number]];
  expect(what).toBe('tools/list, four bytes a token');
  const accepted = (value: number) => {
    written[machine].values['start of 20'][what] = value;
    writeFileSync(file, JSON.stringify(written));
  };
  accepted(tokens);
  expect(await measure('--against')).toContain(`| accepted ${tokens} |`);
  accepted(1000);
  expect(await measure('--against')).toContain('| accepted 1000, **worse** |');
});
