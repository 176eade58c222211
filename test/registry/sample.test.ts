import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startImports } from '../../src/app/import-schedule.ts';
import { readConfig } from '../../src/config/config.ts';
import { registryEntry } from '../support/entries.ts';
import { type Importing, openImporting } from '../support/importing.ts';
import { manyEntries } from '../support/registry-entries.ts';

let importing: Importing;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-sample-'));
  importing = await openImporting(manyEntries(3));
});
afterEach(async () => {
  await importing.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the shipped sample', () => {
  it('imports whole', async () => {
    expect(await importing.run({ source: 'sample' })).toMatchObject({
      state: 'done',
      counts: { rows_seen: 16, rows_new: 16, rows_quarantined: 0, listings_new: 14 },
    });
  });

  it('holds the two listings of the specification', async () => {
    await importing.run({ source: 'sample' });
    expect(await importing.store.listings.byHandle('co.webhook/webhook')).toMatchObject({
      description:
        'Receive, inspect, replay and deliver webhooks, with signature verification and agent triggers.',
      endpoint: 'https://mcp.webhook.co/mcp',
      repository: 'https://github.com/webhook-co/webhook',
    });
    expect(await importing.store.listings.byHandle('com.politicalcomms/api')).toMatchObject({
      description:
        'Compliant political SMS/MMS from MCP clients, covering projects, contacts, analytics and billing.',
      endpoint: undefined,
      repository: 'https://github.com/Political-Comms/political-comms-sdk',
    });
  });
});

describe('a saved copy', () => {
  const entries = manyEntries(230);
  it.each([
    ['an array', JSON.stringify(entries)],
    ['a list page', JSON.stringify({ servers: entries })],
    ['a gzipped array', gzipSync(JSON.stringify(entries))],
  ])('is read as %s', async (_, bytes) => {
    const path = join(folder, 'copy.json');
    writeFileSync(path, bytes);
    const totals: (number | undefined)[] = [];
    const report = await importing.run({
      source: `file:${path}`,
      onProgress: ({ total }) => totals.push(total),
    });
    expect(report).toMatchObject({ kind: 'full', state: 'done', counts: { rows_new: 230 } });
    expect(totals).toEqual([230, 230]);
    expect((await importing.store.imports.last()).run?.source).toMatch(/^file:copy\.json#[0-9a-f]{12}$/);
  });

  it('is written in ever larger parts, up to a thousand rows', async () => {
    const path = join(folder, 'copy.json');
    writeFileSync(path, JSON.stringify(manyEntries(2900)));
    const seen: number[] = [];
    await importing.run({ source: path, onProgress: ({ counts }) => seen.push(counts.rows_seen) });
    expect(seen).toEqual([100, 300, 700, 1500, 2500, 2900]);
  });

  it('is not taken from an address with a user name or a password', async () => {
    for (const source of ['https://:secret@registry.example', 'https://me@registry.example'])
      await expect(importing.run({ source })).rejects.toThrow(
        'the address must not contain a user name or a password',
      );
  });

  it('is refused by name only where it cannot be read', async () => {
    const path = join(folder, 'copy.json');
    await expect(importing.run({ source: path })).rejects.toThrow('the saved copy copy.json cannot be read');
    writeFileSync(path, '{"servers": 7}');
    await expect(importing.run({ source: path })).rejects.toThrow(
      'the saved copy copy.json is not a JSON list of entries',
    );
  });
});

describe('the schedule', () => {
  /** Runs the schedule until `isEnough`, then stops it. */
  async function schedule(environment: Record<string, string>, isEnough: () => Promise<boolean>) {
    const lines: string[] = [];
    const log = pino(
      { level: 'warn' },
      { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) },
    );
    const config = readConfig(
      {
        REGISTRY_URL: importing.registry.url,
        REGISTRY_NAME: 'registry.modelcontextprotocol.io',
        ...environment,
      },
      '0.0.0',
    );
    const stopping = new AbortController();
    const ended = startImports(
      { store: importing.store, config, log, clock: () => new Date() },
      stopping.signal,
    );
    await expect.poll(isEnough, { interval: 10 }).toBe(true);
    stopping.abort();
    await ended;
    return lines;
  }
  const { listings } = { listings: () => importing.store.listings.count() };

  it('brings the sample first, then the registry', async () => {
    importing.registry.answerOnly(0);
    const seen: number[] = [];
    await schedule({}, async () => {
      seen.push(await listings());
      if (seen.at(-1) === 14) importing.registry.answerOnly(Number.POSITIVE_INFINITY);
      return seen.at(-1) === 3;
    });
    expect(seen).toContain(14);
    expect(seen.at(-1)).toBe(3);
  });

  it('imports again after the interval', async () => {
    await schedule({ IMPORT_INTERVAL: '1s' }, async () => {
      if (importing.registry.requests.length > 0)
        importing.registry.serve([registryEntry('a.b/new', {}, { updatedAt: new Date().toISOString() })]);
      return (await listings()) === 4 || importing.registry.requests.length > 2;
    });
    const [first, second] = importing.registry.requests;
    expect(first?.query.has('updated_since')).toBe(false);
    expect(second?.query.has('updated_since')).toBe(true);
  });

  it('logs in one line that the registry cannot be reached; the sample stays', async () => {
    const { last } = importing.store.imports;
    importing.registry.trouble('html');
    const lines = await schedule({}, async () => (await last()).run?.state === 'failed');
    expect(lines.slice(0, 1)).toEqual([
      'import did not complete: the answer is not JSON (another kind of server, or a sign-in page); still showing the shipped sample; next attempt in 30 s',
    ]);
    expect(lines.length).toBe(1);
    expect(await listings()).toBe(14);
  });

  it('logs why an import is held, and tries again as after a failure', async () => {
    const { registry, run, store } = importing;
    registry.serve(manyEntries(100));
    await run();
    const official = { status: 'deleted', updatedAt: '2026-11-02T08:00:00Z' };
    registry.serve(manyEntries(100, () => ({ official })));
    const isHeld = async () => (await store.imports.last()).run?.state === 'held';
    expect(await schedule({ REGISTRY_NAME: 'registry.test' }, isHeld)).toEqual([
      expect.stringMatching(
        /^import did not complete: held: more than 20 % of 100 .*; next attempt in 30 s$/,
      ),
    ]);
  });

  it('brings no sample into the directory of another registry', async () => {
    await schedule({ REGISTRY_NAME: 'registry.example' }, async () => (await listings()) > 0);
    expect(await importing.store.listings.byHandle('co.webhook/webhook')).toBeUndefined();
    expect(await listings()).toBe(3);
  });

  it('sends no request when the registry is off', async () => {
    await schedule({ REGISTRY_URL: 'off' }, async () => (await listings()) === 14);
    expect(importing.registry.requests).toEqual([]);
  });
});
