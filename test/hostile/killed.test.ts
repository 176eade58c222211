import { expect, it } from 'vitest';
import { runDossier, startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { partOf } from '../support/long.ts';
import { openFolder } from '../support/opened.ts';

const kills = partOf(2, 5);

it(`loses nothing it acknowledged when it is killed in the middle of writing, ${kills} times`, async () => {
  const folder = openFolder();
  const settings = {
    DATABASE_URL: await createSharedDatabase(folder),
    PORT: '0',
    REGISTRY_URL: 'off',
    LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
  const acknowledged: string[] = [];
  for (let round = 0; round < kills; round++) {
    const service = startDossier([], settings);
    const url = await service.line(/^listening on (\S+)$/m);
    const send = async (): Promise<void> => {
      const response = await fetch(`${url}/api/feedback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"message":"written while the process dies"}',
      });
      if (response.status === 200) acknowledged.push(((await response.json()) as { id: string }).id);
      if (acknowledged.length < (round + 1) * 30) return send();
      service.child.kill('SIGKILL');
      return send();
    };
    await Promise.allSettled(Array.from({ length: 4 }, send));
    expect((await service.ended).code).toBeNull();
  }
  const { stdout } = await runDossier(['feedback', 'list'], settings);
  expect(acknowledged.length).toBeGreaterThanOrEqual(kills * 30);
  expect(acknowledged.filter((id) => !stdout.includes(id))).toEqual([]);
});
