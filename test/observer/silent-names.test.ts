import { expect, it, vi } from 'vitest';
import { createDnsServer, noSuchName, serverFailure } from '../support/endpoints/dns-server.ts';
import { json, reply } from '../support/endpoints/faults.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry } from '../support/entries.ts';
import { opened, openedDirectory, openedEndpoint } from '../support/opened.ts';

const tarpits = Array.from({ length: 10 }, (_, at) => `h${at}.tarpit.example`);
const healthy = ['a', 'b', 'c'].map((name) => `mcp.good-${name}.example`);
const unsent = (host: string) =>
  `No request was sent to \`${host}\`: Dossier’s own network or DNS resolver could not reach it.`;
const theirs = (host: string) =>
  `No request was sent to \`${host}\`: its name could not be resolved, although Dossier’s DNS servers resolved a name of another domain in the hour before.`;

const dns = await opened(createDnsServer());
const server = await openedEndpoint((body, _, response) => {
  if (body === '') return void response.writeHead(404).end();
  json(response, reply(body, { ...introduction, tools: [] }));
});
const entry = (name: string, hosts: readonly string[]) =>
  registryEntry(`com.example.${name}/x`, {
    remotes: hosts.map((host) => ({ type: 'streamable-http', url: `https://${host}/mcp` })),
  });
// The operator named these hosts, so the system resolves them, in threads that must be free.
const { port } = new URL(server.url);
const directory = await openedDirectory({
  entries: [
    entry('tarpit', tarpits),
    ...healthy.map((host, at) => entry(`good${at}`, [host])),
    ...['private', 'broken', 'missing', 'fresh', 'lost0', 'lost1', 'lost2'].map((name) =>
      entry(name, [`mcp.${name}.example`]),
    ),
  ],
  hosts: Object.fromEntries(healthy.map((host) => [host, { url: `http://localhost:${port}` }])),
  environment: { DNS_SERVERS: dns.address },
  // No test waits until this ends.
  timeouts: { name_ms: 120_000 },
});

async function answers(name: string) {
  const { observations } = await directory.observe(`com.example.${name}/x`);
  const { outcome, value, reason, missed } =
    observations.find(({ kind }) => kind === 'endpoint.answers') ?? {};
  return { outcome, value, reason: missed?.reason ?? reason };
}

it('a domain whose name servers fail is at fault only once a name of another domain was resolved', async () => {
  dns.zone.set('mcp.broken.example', serverFailure);
  dns.zone.set('mcp.private.example', { addresses: ['10.0.0.1'] });
  dns.zone.set('mcp.missing.example', noSuchName);
  expect(await answers('broken')).toMatchObject({
    outcome: 'not_asked',
    reason: unsent('mcp.broken.example'),
  });
  expect(await answers('missing')).toMatchObject({
    outcome: 'absent',
    reason: 'No request was sent to `mcp.missing.example`: DNS has no address for that name.',
  });
  expect(await answers('private')).toMatchObject({ outcome: 'not_asked' });
  // robots.txt without an answer is asked for again after ten minutes.
  directory.wait(86_400);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + 60_000);
  expect(await answers('broken')).toMatchObject({
    outcome: 'not_asked',
    reason: theirs('mcp.broken.example'),
  });
  vi.useRealTimers();
});

it('three domains without an answer since the last name that was resolved are not at fault: DNS itself may be away', async () => {
  for (const at of [0, 1, 2]) dns.zone.set(`mcp.lost${at}.example`, serverFailure);
  dns.zone.set('mcp.fresh.example', { addresses: ['10.0.0.1'] });
  expect(await answers('fresh')).toMatchObject({ outcome: 'not_asked' });
  for (const at of [0, 1])
    expect(await answers(`lost${at}`)).toMatchObject({
      outcome: 'not_asked',
      reason: theirs(`mcp.lost${at}.example`),
    });
  expect(await answers('lost2')).toMatchObject({ outcome: 'not_asked', reason: unsent('mcp.lost2.example') });
});

it('endpoints of others are answered while ten hosts of a domain wait for its silent name servers', async () => {
  const release = Promise.withResolvers<void>();
  for (const host of tarpits) dns.held.set(host, release.promise);
  const asked = () => new Set(dns.asked.filter((name) => tarpits.includes(name)));
  let hasEnded = false;
  const silent = answers('tarpit').finally(() => {
    hasEnded = true;
  });
  await expect.poll(() => asked().size).toBeGreaterThan(0);
  for (const at of [0, 1, 2])
    expect(await answers(`good${at}`)).toMatchObject({ outcome: 'seen', value: 200 });
  dns.zone.set('mcp.private.example', { addresses: ['10.0.0.1'] });
  directory.wait(86_400);
  expect(await answers('private')).toMatchObject({ outcome: 'not_asked' });
  expect(hasEnded).toBe(false);
  release.resolve();
  expect(await silent).toMatchObject({ outcome: 'absent' });
  expect(asked().size).toBe(10);
});
