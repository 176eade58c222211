import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDossier } from '../support/command.ts';
import { atEnd, openFolder } from '../support/opened.ts';

const folder = openFolder();
const file = join(folder, 'views.json');

it('a view that is written while the service runs is served, and a file with a fault changes nothing', async () => {
  const write = (content: string) => {
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
  };
  write(JSON.stringify({ first: { title: 'First', criteria: [{ criterion: 'active' }] } }));
  const service = startDossier(['serve'], {
    PORT: '0',
    REGISTRY_URL: 'off',
    VIEWS: file,
    LOG_FORMAT: 'json',
  });
  atEnd(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
  });
  const url = await service.line(/^listening on (\S+)/m);
  const said: string[] = [];
  service.child.stderr?.on('data', (text: string) => said.push(text));
  const statusOf = async (name: string) => (await fetch(`${url}/views/${name}/feed.json`)).status;
  expect(await statusOf('second')).toBe(404);
  write(JSON.stringify({ second: { title: 'Second', criteria: [{ criterion: 'active' }] } }));
  await expect.poll(() => statusOf('second')).not.toBe(404);
  expect(await statusOf('first')).toBe(404);
  write(JSON.stringify({ third: { title: 'Third', criteria: [{ criterion: 'no_such_criterion' }] } }));
  await expect.poll(() => said.join('')).toContain('no_such_criterion');
  expect(await statusOf('third')).toBe(404);
  expect(await statusOf('second')).not.toBe(404);
  const listed = async () => (await fetch(`${url}/views`)).text();
  expect(await listed()).toContain('Second');
  write(JSON.stringify({ fourth: { title: 'Fourth', criteria: [{ criterion: 'active' }] } }));
  await expect.poll(() => statusOf('fourth')).not.toBe(404);
  expect(await listed()).not.toContain('Second');
  write(JSON.stringify({ fourth: { title: 'Ours', readers: 'everyone', approvals: [] } }));
  await expect.poll(listed).not.toContain('Fourth');
  expect(await listed()).not.toContain('Ours');
});
