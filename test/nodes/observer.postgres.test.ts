import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runDossier, type Started, startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { registryEntry } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { opened, openedEndpoint, openFolder } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const folder = openFolder();
const count = 60;
const started: Started[] = [];
let atOnce = 0;
let mostAtOnce = 0;

const endpoint = await openedEndpoint((_, _request, response) => {
  atOnce += 1;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  setTimeout(() => {
    atOnce -= 1;
    response.writeHead(404).end();
  }, 20);
});
const registry = join(folder, 'registry.json');
const remotes = (n: number) => [{ type: 'streamable-http', url: `https://shared.example.com/${n}` }];
writeFileSync(
  registry,
  JSON.stringify(
    Array.from({ length: count }, (_, n) => registryEntry(`com.example.many/n${n}`, { remotes: remotes(n) })),
  ),
);
const environment = {
  DATABASE_URL: await createSharedDatabase(),
  REGISTRY_URL: `file:${registry}`,
  HOST_OVERRIDES: JSON.stringify({ 'shared.example.com': endpoint.url }),
};
expect((await runDossier(['import'], environment)).code).toBe(0);
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
});

const observe = () => {
  const node = startDossier(['observe'], environment);
  started.push(node);
  return node;
};
/** How often each listing was asked for: requests of its path that introduce a client. */
const introductions = () =>
  endpoint.sent.filter(({ body }) => body.includes('"server/discover"')).map(({ path }) => path);

it('two nodes share the listings of one host, one request at a time, and a killed one leaves its part to the other', async () => {
  const first = observe();
  const second = observe();
  await expect.poll(() => introductions().length).toBeGreaterThan(10);
  first.child.kill('SIGKILL');
  await first.ended;
  expect((await second.ended).code).toBe(0);
  expect((await observe().ended).code).toBe(0);
  const store = await openDatabase(environment.DATABASE_URL ?? '');
  const looks = await store.observations.lastRuns(-1, 100);
  await store.close();
  expect(looks.filter(({ observed_at }) => observed_at === null)).toEqual([]);
  expect(looks).toHaveLength(count);
  // What the killed node was looking at is looked at again.
  // The killed node may leave one request behind that the server still answers.
  expect(mostAtOnce).toBeLessThanOrEqual(2);
  expect(introductions().length - new Set(introductions()).size).toBeLessThanOrEqual(32);
});

/** A database of its own with these listings, and what a node needs besides. */
async function createListings(name: string, entries: readonly object[], more: Record<string, string>) {
  const registry = join(folder, `${name}.json`);
  writeFileSync(registry, JSON.stringify(entries));
  const settings = { DATABASE_URL: await createSharedDatabase(), PACKAGE_REGISTRIES: '{}', ...more };
  expect((await runDossier(['import'], { ...settings, REGISTRY_URL: `file:${registry}` })).code).toBe(0);
  return { ...settings, REGISTRY_URL: 'off' };
}

const numbers = (total: number) => Array.from({ length: total }, (_, n) => n);

const pairCount = partOf(12, 30);
it(`two nodes end ${pairCount} pairs of listings whose remotes are at the same two hosts in opposite order`, async () => {
  const remote = (host: string) => ({ type: 'streamable-http', url: `https://${host}/mcp` });
  const pairs = numbers(pairCount).map((n) => [`a${n}.first${n}.org`, `b${n}.second${n}.org`]);
  const settings = await createListings(
    'crossing',
    pairs.flatMap((hosts, n) => [
      registryEntry(`com.forth${n}.app/agent`, { remotes: hosts.map(remote) }),
      registryEntry(`com.back${n}.app/agent`, { remotes: hosts.toReversed().map(remote) }),
    ]),
    { HOST_OVERRIDES: JSON.stringify(Object.fromEntries(pairs.flat().map((host) => [host, endpoint.url]))) },
  );
  const both = [startDossier(['observe'], settings), startDossier(['observe'], settings)];
  started.push(...both);
  const ended = await Promise.all(both.map((node) => node.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const looked = ended.map(({ stdout }) => Number(/^observed (\d+)/m.exec(stdout)?.[1]));
  expect(looked.reduce((sum, one) => sum + one, 0)).toBe(2 * pairCount);
}, 300_000);

it('two nodes have a repository host of sixty listings by turns; one of them, stopped, ends and leaves the rest to the other', async () => {
  const forge = await openedEndpoint((_, _request, response) => {
    setTimeout(() => response.writeHead(404).end(), 60);
  });
  const settings = await createListings(
    'repositories',
    numbers(60).map((n) => registryEntry(`io.github.owner${n}/agent`, onGitHub(`owner${n}/agent`))),
    { REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: forge.url, raw: `${forge.url}/raw` } }) },
  );
  const serve = (vantage: string) => {
    const node = startDossier(['serve'], { ...settings, PORT: '0', OBSERVE: 'on', OBSERVE_VANTAGE: vantage });
    started.push(node);
    return node;
  };
  const [first] = [serve('here'), serve('there')];
  const store = await opened(openDatabase(settings.DATABASE_URL));
  const vantages = async () => {
    const all = await Promise.all(
      numbers(60).map((n) => store.observations.ofListing(`io.github.owner${n}/agent`)),
    );
    return all.map((known) => known?.observations[0]?.vantage).filter((vantage) => vantage !== undefined);
  };
  const patience = { timeout: 120_000, interval: 100 };
  await expect.poll(async () => new Set(await vantages()), patience).toEqual(new Set(['here', 'there']));
  first.child.kill('SIGTERM');
  const { code, stderr } = await first.ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain('background work did not end in time');
  expect((await vantages()).length).toBeLessThan(60);
  await expect.poll(async () => (await vantages()).length, patience).toBe(60);
}, 300_000);
