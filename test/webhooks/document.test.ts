import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { freePort } from '../support/postgres-server.ts';
import { until } from '../support/until.ts';

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
let output = '';

const port = await freePort();
const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/changes.md', 'utf8')) ?? [];
const receiver = spawn(
  process.execPath,
  ['--input-type=module', '-e', code.replace('listen(8080)', `listen(${port}, () => console.log('ready'))`)],
  { env: { WEBHOOK_SECRET: secret }, stdio: ['ignore', 'pipe', 'inherit'] },
);
receiver.stdout?.setEncoding('utf8').on('data', (text: string) => {
  output += text;
});
await until(() => output.includes('ready'), true);
const service = await openDirectory({
  environment: { WEBHOOK_OVERRIDES: JSON.stringify({ 'you.example': `http://127.0.0.1:${port}` }) },
});
afterAll(async () => {
  receiver.kill();
  await once(receiver, 'exit');
  await service?.close();
});

it('the receiver of docs/changes.md proves its address, and reads what is posted', async () => {
  const directory = service;
  if (!directory) throw new Error('it did not open');
  const register = (body: object) =>
    directory.post('/api/webhooks', {
      url: 'https://you.example/hook',
      handle: 'co.webhook/webhook',
      ...body,
    });
  expect((await register({})).status).toBe(422);
  expect((await register({ secret })).status).toBe(200);
  await directory.importEntries([
    registryEntry(
      'co.webhook/webhook',
      { description: 'Another text' },
      { updatedAt: '2026-11-01T08:00:00Z' },
    ),
  ]);
  await directory.deliver();
  await expect.poll(() => output).toContain('1 listing.changed co.webhook/webhook');
  expect(await directory.store.webhooks.list()).toMatchObject([{ delivered: 1, failures: 0 }]);
});
