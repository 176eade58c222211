import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createServiceChecks } from '../../src/app/observer-thread.ts';
import { startObserving } from '../../src/observations/schedule.ts';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { type Endpoint, startEndpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { readable } from '../support/facts.ts';

const heavyWorker = new URL('../support/heavy-worker.ts', import.meta.url);
const patience = { interval: 50 };

const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.splice(0).reverse()) await one();
});

const handleOf = (name: string) => (name.includes('/') ? `org.${name}` : `org.${name}/agent`);
const hostOf = (name: string) => `mcp.${name.replace('/', '-')}.org`;

/**
 * Opens a node that checks listings in a worker thread, over a database file. Each name is a listing with one
 * endpoint; `name/other` is another listing of the same namespace.
 */
async function openNode(
  endpoints: Readonly<Record<string, Endpoint>>,
  { environment = {}, silence_ms = 4000 } = {},
) {
  const names = Object.keys(endpoints);
  const directory = await openDirectory({
    entries: names.map((name) => registryEntry(handleOf(name), remotesAt(`https://${hostOf(name)}/mcp`))),
    listening: true,
    timeouts: { observerSilence_ms: silence_ms },
    hosts: Object.fromEntries(Object.entries(endpoints).map(([name, one]) => [hostOf(name), one])),
    environment: {
      DATABASE_URL: await createSharedDatabase(),
      OBSERVE: 'asked',
      OBSERVE_MEMORY: '64',
      ...environment,
    },
  });
  const { context, store } = directory;
  const stopping = new AbortController();
  const checks = createServiceChecks(context, stopping.signal, heavyWorker);
  const observing = startObserving(context, stopping.signal, checks);
  const stop = async () => {
    stopping.abort();
    await observing;
  };
  close.push(...Object.values(endpoints).map((one) => one.close), directory.close, stop);
  /** Reads a listing with get_agent; returns what the answer says about a check. */
  const read = async (name: string) => {
    const body = JSON.stringify({ handle: handleOf(name) });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${directory.url}/api/tools/get_agent`, { method: 'POST', headers, body });
    return { status: answer.status, isChecked: (await answer.text()).includes('is waiting or running') };
  };
  const known = async (name: string) => store.observations.ofListing(handleOf(name));
  /** The outcome of a fact of a listing, with its reason; undefined if there is no such fact. */
  const fact = async (name: string, kind: string) => {
    const found = (await known(name))?.observations.find((one) => one.kind === kind);
    return found && { outcome: found.outcome, reason: readable(found).reason };
  };
  // Each check that ended, after its place is free and its namespace rests; its facts are stored before that.
  let ended = 0;
  const stopCounting = onMeasured(({ name }) => {
    if (name === 'dossier_observer_due_listings') ended += 1;
  });
  close.push(async () => stopCounting());
  const health = async () => (await fetch(`${directory.url}/healthz`)).status;
  return { ...directory, read, known, fact, health, stop, ended: () => ended };
}

/** Creates an endpoint that never answers its first message, and answers every later one with 404. */
function startSlow(): Promise<Endpoint> {
  let messages = 0;
  return startEndpoint((_, { method }, response) => {
    messages += method === 'POST' ? 1 : 0;
    if (method !== 'POST' || messages > 1) response.writeHead(404).end();
  });
}

const listing = (name: string) => startModernServer(() => [{ name, description: 'Does something' }]);
const messagesTo = ({ sent }: Endpoint) => sent.filter(({ method }) => method === 'POST').length;

const tooLong = 'Dossier stopped this check, because reading or storing the answers took more than 4 s.';
const tooMuch =
  'Dossier stopped this check, because reading or storing the answers used up the memory that it has for checks.';

describe('an endpoint whose list of tools', () => {
  it('cannot be read or stored ends its own check, and nothing else', async () => {
    const spins = await listing('spins-when-read');
    const stored = await listing('spins-when-stored');
    const slow = await startSlow();
    const other = await listing('replay');
    const hostile = { spins, stored };
    const node = await openNode({ ...hostile, slow, other });
    const outcomes: unknown[] = [];
    const stopCounting = onMeasured(({ name, labels }) => {
      if (name === 'dossier_observer_checks_total') outcomes.push(labels.outcome);
    });
    close.push(async () => stopCounting());
    expect((await node.read('slow')).isChecked).toBe(true);
    await expect.poll(() => messagesTo(slow), patience).toBe(1);
    for (const name of Object.keys(hostile)) expect((await node.read(name)).isChecked).toBe(true);
    await expect.poll(() => spins.methods(), patience).toContain('tools/list');
    expect(await node.health()).toBe(200);
    expect(await node.read('other')).toEqual({ status: 200, isChecked: true });
    const unread = { outcome: 'not_asked', reason: tooLong };
    await expect.poll(() => node.fact('spins', 'tools.count'), patience).toEqual(unread);
    await expect.poll(() => node.fact('stored', 'tools.count'), patience).toEqual(unread);
    // The check that ran beside them is made again, with those that waited.
    await expect
      .poll(() => node.fact('slow', 'endpoint.answers'), patience)
      .toMatchObject({ outcome: 'absent' });
    expect(messagesTo(slow)).toBeGreaterThan(1);
    await expect.poll(() => node.fact('other', 'tools.count'), patience).toMatchObject({ outcome: 'seen' });
    await expect.poll(() => node.read('other'), patience).toMatchObject({ isChecked: false });
    // Their checks count as made, so reading them begins no new one.
    const asked = Object.values(hostile).map(messagesTo);
    for (const name of Object.keys(hostile))
      expect(await node.read(name)).toEqual({ status: 200, isChecked: false });
    expect(Object.values(hostile).map(messagesTo)).toEqual(asked);
    expect(await node.health()).toBe(200);
    expect(outcomes.toSorted()).toEqual(['changed', 'changed', 'ended', 'ended']);
    expect(await node.audit()).toEqual([]);
  });

  it('uses up the memory of the thread ends its own check, however long that takes', async () => {
    const exhausts = await listing('exhausts-memory');
    const other = await listing('replay');
    const node = await openNode({ exhausts, other }, { silence_ms: 600_000 });
    expect((await node.read('exhausts')).isChecked).toBe(true);
    await expect
      .poll(() => node.fact('exhausts', 'tools.count'), patience)
      .toEqual({ outcome: 'not_asked', reason: tooMuch });
    expect(await node.health()).toBe(200);
    await expect.poll(() => node.read('exhausts'), patience).toEqual({ status: 200, isChecked: false });
    expect((await node.read('other')).isChecked).toBe(true);
    await expect.poll(() => node.fact('other', 'tools.count'), patience).toMatchObject({ outcome: 'seen' });
  });

  it('ends the thread three times is left alone after that', async () => {
    const hostile = await listing('ends-the-thread');
    const other = await listing('replay');
    const node = await openNode({ hostile, other });
    expect((await node.read('hostile')).isChecked).toBe(true);
    await expect
      .poll(() => node.fact('hostile', 'tools.count'), patience)
      .toEqual({
        outcome: 'not_asked',
        reason: 'Dossier stopped this check, because its observer failed 3 times while the check ran.',
      });
    expect(await node.read('hostile')).toEqual({ status: 200, isChecked: false });
    expect((await node.read('other')).isChecked).toBe(true);
    await expect.poll(() => node.fact('other', 'tools.count'), patience).toMatchObject({ outcome: 'seen' });
  });

  it('is stuck changes nothing that was known of the listing, and lets its namespace rest for an hour', async () => {
    let tool = 'replay';
    const hostile = await startModernServer(() => [{ name: tool }]);
    const node = await openNode({ hostile, 'hostile/other': await listing('replay') });
    await node.read('hostile');
    await expect.poll(() => node.fact('hostile', 'tools.count'), patience).toMatchObject({ outcome: 'seen' });
    await expect.poll(node.ended, patience).toBe(1);
    tool = 'spins-when-read';
    node.wait(2 * 86_400);
    expect(await node.read('hostile')).toEqual({ status: 200, isChecked: true });
    await expect
      .poll(async () => (await node.known('hostile'))?.observations.map(readable), patience)
      .toContainEqual(
        expect.objectContaining({
          kind: 'tools.count',
          value: 1,
          missed: expect.objectContaining({ reason: tooLong }),
        }),
      );
    const [availability] =
      (await node.known('hostile'))?.observations.filter(({ kind }) => kind === 'endpoint.availability') ??
      [];
    expect(availability?.value).toMatchObject({ days_30: { answered: 1, made: 1 } });
    await expect.poll(node.ended, patience).toBe(2);
    for (const name of ['hostile', 'hostile/other'])
      expect(await node.read(name)).toEqual({ status: 200, isChecked: false });
    node.wait(3601);
    expect(await node.read('hostile/other')).toEqual({ status: 200, isChecked: true });
    await expect
      .poll(() => node.fact('hostile/other', 'tools.count'), patience)
      .toMatchObject({ outcome: 'seen' });
  });
});

it('SIGTERM ends the service while its thread is busy with an answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-thread-'));
  const hostile = await listing('spins-when-read');
  close.push(async () => rmSync(folder, { recursive: true, force: true }), hostile.close);
  const registry = join(folder, 'registry.json');
  const remotes = [{ type: 'streamable-http', url: 'https://mcp.hostile.org/mcp' }];
  writeFileSync(registry, JSON.stringify([registryEntry('org.hostile/agent', { remotes })]));
  const faults = new URL('../support/heavy-json.ts', import.meta.url);
  const service = startDossier(['serve'], {
    DATABASE_URL: await createSharedDatabase(folder),
    PORT: '0',
    OBSERVE: 'asked',
    PACKAGE_REGISTRIES: '{}',
    NODE_OPTIONS: `--import ${faults.href}`,
    REGISTRY_URL: `file:${registry}`,
    HOST_OVERRIDES: JSON.stringify({ 'mcp.hostile.org': hostile.url }),
  });
  close.push(async () => void service.child.kill('SIGKILL'));
  const url = await service.line(/^listening on (\S+)/m);
  const read = async () => (await fetch(`${url}/agents/org.hostile/agent.md`)).status;
  await expect.poll(read, patience).toBe(200);
  await expect.poll(() => hostile.methods(), patience).toContain('tools/list');
  expect(await read()).toBe(200);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('cut off') });
});
