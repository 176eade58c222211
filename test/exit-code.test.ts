import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('failed tests end npm test with 1, also where PostgreSQL ran', () => {
  const code = "import './test/support/postgres-setup.ts'; process.exitCode = 1;";
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', code]).status).toBe(1);
});
