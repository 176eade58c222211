import { expect, it } from 'vitest';
import { createObserver } from '../../src/observations/observer.ts';
import { json, messageOf, reply } from '../support/endpoints/faults.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { opened, openedDirectory, openedEndpoint } from '../support/opened.ts';

const handle = 'com.example.roomy/a';
const paths = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Tools that take more than 100 KB of what is stored. */
const tools = Array.from({ length: 1500 }, (_, n) => ({
  name: `tool-${n}-${'x'.repeat(60)}`,
  inputSchema: { type: 'object' },
}));

it.each([404, 503])(
  'endpoints that answer one by one, and then with %i, leave at most 512 KiB of a listing',
  async (status) => {
    let open = '';
    const server = await openedEndpoint((body, { url }, response) => {
      if (url !== `/${open}` || body === '')
        return void response.writeHead(url === '/robots.txt' ? 404 : status).end();
      json(response, reply(body, { ...introduction, tools }));
    });
    const remotes = paths.map((path) => ({
      type: 'streamable-http',
      url: `https://roomy.example.com/${path}`,
    }));
    const directory = await openedDirectory({
      entries: [registryEntry(handle, { remotes })],
      hosts: { 'roomy.example.com': server },
    });
    const observer = await opened(createObserver(directory.context));
    const look = async () => {
      const listing = await directory.store.listings.byHandle(handle);
      if (listing) await observer.observe(listing);
      directory.wait(7200);
    };
    const sizes: number[] = [];
    for (open of paths) {
      await look();
      await look();
      const known = await directory.store.observations.ofListing(handle);
      sizes.push(JSON.stringify(known?.timelines).length);
    }
    expect(sizes[0]).toBeGreaterThan(40_000);
    expect(Math.max(...sizes)).toBeLessThan(524_288);
    const stored = await directory.store.observations.ofListing(handle);
    const lists = stored?.observations.filter(({ kind }) => kind === 'tools.surface') ?? [];
    // None of the endpoints took away what was seen of another, though all list the same.
    expect(lists.map(({ subject }) => subject)).toEqual(remotes.map(({ url }) => url));
    const digests = stored?.timelines.flatMap(({ kind, spans }) =>
      kind === 'tools.surface' ? spans.findLast(({ outcome }) => outcome === 'seen')?.value : [],
    );
    expect(digests).toEqual(remotes.map(() => expect.stringMatching(/^[0-9a-f]{64}$/)));
    expect(new Set(digests).size).toBe(1);
  },
);

it('says how many of the names of a long list of tools are kept', async () => {
  const long = Array.from({ length: 2000 }, (_, n) => ({
    name: `${n}-${'x'.repeat(190)}`,
    description: 'x'.repeat(60),
    inputSchema: { type: 'object' },
  }));
  const server = await openedEndpoint((body, { url }, response) => {
    if (url !== '/mcp' || body === '') return void response.writeHead(404).end();
    const isAsked = messageOf(body).method === 'tools/list';
    json(response, reply(body, isAsked ? { tools: long } : introduction));
  });
  const directory = await openedDirectory({
    entries: [registryEntry(handle, remotesAt('https://long.example.com/mcp'))],
    hosts: { 'long.example.com': server },
  });
  await directory.observe(handle);
  const answer = await directory.app.request(`/agents/${handle}/tools.json`);
  const { endpoints } = (await answer.json()) as { endpoints: { names: string[]; reason: string }[] };
  const [{ names = [], reason = '' } = {}] = endpoints;
  expect(names.length).toBeGreaterThan(500);
  expect(names.length).toBeLessThan(2000);
  expect(reason).toMatch(new RegExp(` Only the first ${names.length} of 2000 names are stored\\.$`));
});
