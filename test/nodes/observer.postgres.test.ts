import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDossier, type Started, startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { type Endpoint, startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';

const folder = mkdtempSync(join(tmpdir(), 'dossier-observers-'));
const count = 60;
const started: Started[] = [];
let environment: Record<string, string>;
let endpoint: Endpoint;
let atOnce = 0;
let mostAtOnce = 0;

beforeAll(async () => {
  endpoint = await startEndpoint((_, _request, response) => {
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
      Array.from({ length: count }, (_, n) =>
        registryEntry(`com.example.many/n${n}`, { remotes: remotes(n) }),
      ),
    ),
  );
  environment = {
    DATABASE_URL: await createSharedDatabase(),
    REGISTRY_URL: `file:${registry}`,
    HOST_OVERRIDES: JSON.stringify({ 'shared.example.com': endpoint.url }),
  };
  expect((await runDossier(['import'], environment)).code).toBe(0);
}, 60_000);
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  await endpoint.close();
  rmSync(folder, { recursive: true, force: true });
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
  const [first, second] = [observe(), observe()];
  await expect.poll(() => introductions().length, { timeout: 40_000 }).toBeGreaterThan(10);
  first.child.kill('SIGKILL');
  await first.ended;
  expect((await second.ended).code).toBe(0);
  expect((await observe().ended).code).toBe(0);
  const store = await openDatabase(environment.DATABASE_URL ?? '');
  const looks = await store.observations.looks(-1, 100);
  await store.close();
  expect(looks.filter(({ observed_at }) => observed_at === undefined)).toEqual([]);
  expect(looks).toHaveLength(count);
  // What the killed node was looking at is looked at again.
  // The killed node may leave one request behind that the server still answers.
  expect(mostAtOnce).toBeLessThanOrEqual(2);
  expect(introductions().length - new Set(introductions()).size).toBeLessThanOrEqual(32);
}, 120_000);
