import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { json, reply } from '../support/endpoints/faults.ts';
import { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { introduction } from '../support/endpoints/saying.ts';

let state: 'up' | 'down' | 'gone' = 'up';
const server = startEndpoint((body, _, response) => {
  if (state === 'down') return void response.destroy();
  if (state === 'gone' || body === '') return void response.writeHead(404).end();
  json(response, reply(body, { ...introduction, tools: [] }));
});
const { directory } = await openObserved({ fades: server }, { LIMITS: 'off' });

async function checkedWhile(now: typeof state) {
  state = now;
  directory.wait(86_400);
  await directory.observe(handleAt('fades'));
  const { lines, stands_out, next } = await callTool<{
    lines: { where: string };
    stands_out?: string[];
    next?: string;
  }>(directory, 'get_agent', { handle: handleAt('fades') });
  return { where: lines.where, standsOut: stands_out?.join(' ') ?? '', next };
}
const today = () => directory.context.clock().toISOString().slice(0, 10);

it('the count of answered checks has the newest check, also if a later check is to tell what it means', async () => {
  await checkedWhile('up');
  expect((await checkedWhile('up')).where).toContain(', 2 of 2 checks in 30 days');
  expect((await checkedWhile('down')).standsOut).toMatch(
    new RegExp(`^No check since .*; 2 of 3 checks in 30 days until ${today()} were answered\\.`),
  );
  expect((await checkedWhile('down')).standsOut).toContain('; 2 of 4 checks in 30 days were answered.');
  expect((await checkedWhile('gone')).standsOut).toContain(
    `; no check since ${today()} saw it answer; 2 of 5 checks in 30 days until ${today()} were answered.`,
  );
  expect((await checkedWhile('gone')).standsOut).toContain('; 2 of 6 checks in 30 days were answered.');
  expect((await checkedWhile('down')).standsOut).toContain(
    `; no check since ${today()} saw it answer; 2 of 7 checks in 30 days until ${today()} were answered.`,
  );
});

it('names get_history as long as a check of the last 30 days failed', async () => {
  directory.wait(31 * 86_400);
  expect((await checkedWhile('up')).next).toBe('check_surface');
  const failed = await checkedWhile('down');
  expect(failed.next).toContain('get_history');
  expect(await checkedWhile('up')).toMatchObject({ standsOut: '', next: 'get_history; check_surface' });
  directory.wait(31 * 86_400);
  expect((await checkedWhile('up')).next).toBe('check_surface');
});
