import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it.each([
  ['--rounds=0', '--rounds 0: a whole number above 0'],
  ['--rounds=1.5', '--rounds 1.5: a whole number above 0'],
  ['--seconds=', '--seconds : a number above 0'],
])('a benchmark with %s measures nothing and says why', async (option, reason) => {
  await expect(run(process.execPath, ['bench/run.ts', 'start', option])).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(reason),
  });
});
