import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';

const handle = 'com.example/turns';
const url = 'https://turns.example.com/mcp';
let description = 'Sends';
const endpoint = await opened(startModernServer(() => [{ name: 'send', description }]));
const directory = await opened(
  openClaimedDirectory({
    entries: [registryEntry(handle, remotesAt(url))],
    hosts: { 'turns.example.com': endpoint },
  }),
);

const checkWith = async (words: string) => {
  description = words;
  directory.wait(86_400);
  const { changes } = await directory.observe(handle);
  return changes;
};

it('two lists that take turns are one entry of the log and one thing to say, until there is a third', async () => {
  for (const words of ['Sends', 'Asks', 'Sends']) await checkWith(words);
  const third = await checkWith('Asks');
  const since = directory.context.clock().toISOString().slice(0, 8);
  expect([third, await checkWith('Sends'), await checkWith('Asks'), await checkWith('Sends')]).toEqual([
    1, 0, 0, 0,
  ]);
  expect(await directory.audit()).toEqual([]);
  const client = await opened(connect('v2', { app: directory.app }));
  const { content } = await client.call('get_agent', { handle });
  const { content: history } = await client.call('get_history', { handle });
  const said = /\d changes to and fro between two states since \d{4}-\d\d-\d\d/g;
  expect(content[0]?.text?.match(said)).toEqual([expect.stringMatching(/^6 /)]);
  // Of those that are no entries, the last is told.
  expect(history[0]?.text?.match(said)).toEqual([
    expect.stringMatching(/^6 /),
    expect.stringMatching(`^3 .* ${since}`),
  ]);
  expect(await checkWith('Deletes')).toBe(1);
  expect(await directory.audit()).toEqual([]);
});

it('between two days, each change of a value that came back is told once, with its own entry of the log', async () => {
  const began = directory.context.clock().toISOString().slice(0, 10);
  for (const words of ['One', 'Two', 'Three', 'Two', 'Three', 'One', 'Two', 'Three']) await checkWith(words);
  const until = directory.context.clock().toISOString().slice(0, 10);
  const client = await opened(connect('v2', { app: directory.app }));
  for (const days of [2, 3, 4]) {
    const since = new Date(Date.parse(began) + days * 86_400_000).toISOString();
    const entriesOf = async (input: object) => {
      const { content } = await client.call('get_history', { handle, ...input });
      return content[0]?.text?.match(/\(log index \d+\)/g)?.toSorted();
    };
    const all = await entriesOf({ since });
    expect(all?.length).toBeGreaterThan(3);
    expect(await entriesOf({ since, until })).toEqual(all);
  }
  const { content } = await client.call('get_agent', { handle });
  expect(content[0]?.text).toMatch(
    /; with this, 7 changes among 3 states since \d{4}-\d\d-\d\d, each of which came back/,
  );
});

it('two lists that changed to and fro over months have not alternated', async () => {
  const client = await opened(connect('v2', { app: directory.app }));
  for (const words of ['Reads', 'Writes', 'Reads', 'Writes']) {
    directory.wait(60 * 86_400);
    await checkWith(words);
  }
  const { content } = await client.call('get_agent', { handle });
  expect(content[0]?.text).toContain('Its tools changed');
  expect(content[0]?.text).not.toMatch(/to and fro|changes among/);
});
