import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authenticate } from '../../src/claims/authenticate.ts';
import { claimKeyRing, createChallenge } from '../../src/claims/challenge.ts';
import { recheckDue_ms, startRecheck } from '../../src/claims/checks/recheck.ts';
import { suspendClaim } from '../../src/claims/suspend.ts';
import type { Context } from '../../src/context.ts';
import type { Written } from '../../src/core/words.ts';
import { compareAgents } from '../../src/tools/compare-agents.ts';
import { callTool } from '../../src/tools/tool.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { operationsOf } from '../support/operations.ts';
import {
  type Answer,
  type ClaimDirectory,
  claimableListing,
  openClaimDirectory,
  putListings,
} from './claim-directory.ts';

const file = 'dossier-claim.txt';
const handle = 'co.webhook/webhook';
const day_s = 86_400;
let directory: ClaimDirectory;
beforeEach(async () => {
  directory = await openClaimDirectory();
  directory.repository.commit({ 'README.md': 'Webhook\n' });
});
afterEach(() => directory.close());

const standing = () => directory.context.store.claims.claim(handle);
async function claim(): Promise<Answer> {
  const issued = await directory.ask();
  directory.repository.commit({ [file]: issued.challenge });
  await directory.ask();
  return issued;
}
/** Every request to the host fails with this status. */
const fail = (status: number) => {
  directory.git.fault = (_request, response) => {
    response.writeHead(status).end();
    return true;
  };
};
const heal = () => {
  directory.git.fault = undefined;
};

describe('a line that does not count is named', () => {
  const binding = {
    origin: 'https://dossier.example',
    handle: 'co.webhook/webhook',
    placeKey: 'github.com/webhook-co/webhook',
  };
  const key = { kid: 1, secret: Buffer.alloc(32, 1) };
  const issued = { hash: 'ab'.repeat(32), at_s: Date.parse('2026-11-21T10:00:00Z') / 1000 };
  const cases: [string, string][] = [
    ['challenge_foreign', createChallenge(key, { ...binding, handle: 'co.webhook/other' }, issued)],
    ['challenge_foreign', createChallenge({ ...key, secret: Buffer.alloc(32, 2) }, binding, issued)],
    ['challenge_key_retired', createChallenge({ ...key, kid: 9 }, binding, issued)],
    ['challenge_expired', createChallenge(key, binding, { ...issued, at_s: issued.at_s - 8 * day_s })],
    ['challenge_from_future', createChallenge(key, binding, { ...issued, at_s: issued.at_s + 900 })],
    ['no_challenge_in_file', `x${createChallenge(key, binding, issued)}`],
    ['no_challenge_in_file', 'Nothing here.\n'],
    ['html_page', '\uFEFF<html><body>Sign in</body></html>'],
    ['lfs_pointer', 'version https://git-lfs.github.com/spec/v1\n'],
    ['too_large', 'x'.repeat(20_000)],
  ];
  let keyed: ClaimDirectory;
  beforeEach(async () => {
    keyed = await openClaimDirectory({ CLAIM_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}` });
  });
  afterEach(() => keyed.close());

  test.each(cases)('%s', async (reason, text) => {
    keyed.repository.commit({ [file]: text });
    const answer = await keyed.ask();
    expect(answer).toMatchObject({ status: 'not_proven', reason, check: { result: reason, pinned: true } });
    expect(answer.message).toMatch(/^\S.{30,}\.$/);
    expect(answer.challenge).toMatch(/^dossier-claim-v1\./);
    expect(answer.capability).toMatch(/^dossier_cap_/);
    expect(await keyed.context.store.claims.claim(handle)).toBeUndefined();
  });

  test('repository_empty and repository_not_found', async () => {
    expect(await keyed.ask()).toMatchObject({ status: 'not_proven', reason: 'repository_empty' });
    const row = claimableListing(1, handle, 'https://github.com/webhook-co/missing');
    await putListings(keyed.context.store, row);
    expect(await keyed.ask()).toMatchObject({ status: 'not_proven', reason: 'repository_not_found' });
  });
});

describe('the host in trouble', () => {
  test('still issues a challenge, and changes nothing for 30 days', async () => {
    fail(503);
    const issued = await directory.ask();
    expect(issued).toMatchObject({ status: 'not_proven', reason: 'host_error', check: { pinned: false } });
    heal();
    directory.repository.commit({ [file]: issued.challenge });
    await directory.ask();
    fail(503);
    for (let day = 1; day <= 29; day++) {
      directory.wait(day_s);
      expect(await directory.ask()).toMatchObject({ status: 'claimed', check: { result: 'host_error' } });
    }
    directory.wait(day_s);
    expect(await directory.ask()).toMatchObject({ status: 'not_proven', reason: 'host_error' });
    expect(await standing()).toMatchObject({ suspended_reason: 'host_unreachable_30d' });
    heal();
    expect(await directory.ask()).toMatchObject({ status: 'claimed', changed: 'restored' });
  });

  test('a comparison says since when checks have failed', async () => {
    await claim();
    fail(503);
    const failed: string[] = [];
    for (const days of [2, 1]) {
      directory.wait(days * day_s);
      await directory.ask();
      failed.push(directory.context.clock().toISOString().slice(0, 10));
    }
    await putListings(directory.context.store, claimableListing(1, 'co.webhook/other', undefined));
    const answer = await callTool(
      compareAgents,
      {
        handles: [handle, 'co.webhook/other'],
        criteria: ['claimed', 'claim_checked_within_days:2', 'claim_checked_within_days:30'],
      },
      directory.context,
    );
    const { listings } = JSON.parse(JSON.stringify(answer)) as Written<typeof answer>;
    expect(listings[0]).toMatchObject({
      native: {
        claimed: 'met',
        'claim_checked_within_days:2': 'not_met',
        'claim_checked_within_days:30': 'met',
      },
      lines: {
        whose: expect.stringContaining(
          `nothing more; checks have failed since ${failed[0]}, the last on ${failed[1]}.`,
        ),
      },
    });
  });

  test('a clock that jumps a year ahead suspends nothing before checks failed on ten days', async () => {
    await claim();
    fail(503);
    directory.wait(365 * day_s);
    for (let day = 1; day <= 9; day++) {
      for (let times = 0; times < 3; times++)
        expect(await directory.ask()).toMatchObject({ status: 'claimed', check: { result: 'host_error' } });
      directory.wait(day_s);
    }
    expect(await directory.ask()).toMatchObject({ status: 'not_proven', reason: 'host_error' });
    expect(await standing()).toMatchObject({ suspended_reason: 'host_unreachable_30d' });
  });

  test.each([
    ['a year', 365 * day_s],
    ['22 hours', 22 * 3600],
  ])(
    'a claim that was checked while the clock was %s ahead is checked again once it is right',
    async (_, ahead_s) => {
      await claim();
      directory.wait(ahead_s);
      await directory.ask();
      directory.wait(-ahead_s);
      directory.repository.commit({ [file]: null });
      expect(await operationsOf(directory.context).recheck()).toBe(1);
      expect(await standing()).toMatchObject({
        state: 'claimed',
        missing: { line: directory.context.clock().toISOString() },
      });
    },
  );

  test('a check that reads the line begins the count of days again', async () => {
    await claim();
    for (let count = 0; count < 2; count++) {
      fail(503);
      for (let day = 1; day <= 9; day++) {
        directory.wait(day_s);
        await directory.ask();
      }
      heal();
      expect(await directory.ask()).toMatchObject({ status: 'claimed', check: { result: 'proven' } });
    }
    fail(503);
    directory.wait(40 * day_s);
    expect(await directory.ask()).toMatchObject({ status: 'claimed', check: { result: 'host_error' } });
  });

  test('an unpinned read activates a line and never takes one away', async () => {
    const first = await claim();
    const second = await directory.ask({ rotate: true }, first.capability);
    directory.git.fault = (request, response) => {
      if (!request.url?.endsWith('/git-upload-pack')) return false;
      response.writeHead(500).end();
      return true;
    };
    directory.repository.commit({ [file]: null });
    expect(await directory.ask()).toMatchObject({
      status: 'claimed',
      check: { result: 'file_absent', pinned: false },
    });
    directory.repository.commit({ [file]: second.challenge });
    expect(await directory.ask()).toMatchObject({
      changed: 'rotated',
      check: { result: 'proven', pinned: false },
    });
    directory.repository.commit({ [file]: `${second.challenge}\noptout co.webhook/webhook` });
    expect(await directory.ask()).toMatchObject({ status: 'claimed', changed: 'none' });
    directory.repository.commit({ [file]: second.challenge });
    for (const { capability } of [first, second])
      expect(await authenticate(directory.as(capability))).toMatchObject({ state: 'active' });
    heal();
    expect(await directory.ask()).toMatchObject({ changed: 'none', check: { pinned: true } });
    directory.wait(day_s);
    expect(await directory.ask()).toMatchObject({ changed: 'rotated', check: { pinned: true } });
    await expect(authenticate(directory.as(first.capability))).rejects.toMatchObject({
      code: 'capability_suspended',
    });
  });
});

describe('a listing whose recorded repository changes', () => {
  const change = async (context: Context, repository: string) => {
    await context.store.write(async (tx) => {
      await tx.listings.putListings([claimableListing(1, handle, repository)]);
      const at = context.clock().toISOString();
      await suspendClaim(tx, await tx.claims.claim(handle), { reason: 'repository_not_recorded', at });
    });
  };

  test('during a check gets no claim from it', async () => {
    const issued = await directory.ask();
    directory.repository.commit({ [file]: issued.challenge });
    directory.git.fault = (request, response) => {
      if (!request.url?.startsWith('/raw/')) return false;
      void change(directory.context, 'https://github.com/webhook-co/new').then(() =>
        response.end(issued.challenge),
      );
      return true;
    };
    await expect(directory.ask()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await standing()).toBeUndefined();
  });
});

describe('the re-check', () => {
  test('checks after a day, give or take a fifth, and suspends claims whose line is gone', async () => {
    await claim();
    directory.repository.commit({ [file]: null });
    directory.wait(0.79 * day_s);
    expect(await operationsOf(directory.context).recheck()).toBe(0);
    expect(await standing()).toMatchObject({ state: 'claimed' });
    directory.wait(0.42 * day_s);
    expect(await operationsOf(directory.context).recheck()).toBe(1);
    expect(await standing()).toMatchObject({ state: 'claimed' });
    expect(await operationsOf(directory.context).recheck()).toBe(0);
    directory.wait(0.31 * day_s);
    expect(await operationsOf(directory.context).recheck()).toBe(1);
    expect(await standing()).toMatchObject({ state: 'claimed' });
    directory.wait(0.7 * day_s);
    expect(await operationsOf(directory.context).recheck()).toBe(1);
    expect(await standing()).toMatchObject({ state: 'suspended', suspended_reason: 'proof_missing' });
    expect(await operationsOf(directory.context).recheck()).toBe(0);
  });

  test('does not wait for a host that stalls, and asks a failing one again after a quarter of the time', async () => {
    const stalled = Array.from({ length: 5 }, (_, at) => `org.stalled/s${at}`);
    await putListings(
      directory.context.store,
      ...stalled.map((name, at) => claimableListing(at + 2, name, `https://slow.example/stalled/s${at}`)),
    );
    await directory.context.store.write(async (tx) => {
      for (const [at, name] of stalled.entries())
        await tx.claims.putClaim({
          handle: name,
          state: 'claimed',
          claimed_at: '2026-11-20T00:00:00.000Z',
          kind: 'repository',
          place: `https://slow.example/stalled/s${at}`,
          place_key: `slow.example/stalled/s${at}`,
          root: 'slow.example/stalled',
          root_generation: 0,
          first_proved_at: '2026-11-20T00:00:00.000Z',
          checked_at: '2026-11-20T00:00:00.000Z',
        });
    });
    await claim();
    directory.repository.commit({ [file]: null });
    directory.wait(1.3 * day_s);
    let asked = 0;
    let release = () => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    const stalling = {
      ...directory.context,
      repositories: {
        ...directory.context.repositories,
        place: (url: string) =>
          url.startsWith('https://slow.example/')
            ? { host: 'slow.example', path: url.slice(21), key: url.slice(8) }
            : directory.context.repositories.place(url),
        check: async (...place: Parameters<Context['repositories']['check']>) => {
          if (place[0].host !== 'slow.example') return directory.context.repositories.check(...place);
          asked += 1;
          await released;
          return { result: 'host_timeout', pinned: false } as const;
        },
      },
    };
    const other = operationsOf(stalling);
    const pass = other.recheck();
    const place = 'repository github.com/webhook-co/webhook recheck';
    const read = () => directory.context.store.checks.newest(handle, place);
    await expect.poll(read).toMatchObject({ outcome: { check: { result: 'file_absent' } } });
    expect(asked).toBe(1);
    release();
    expect(await pass).toBe(6);
    directory.wait(0.15 * day_s);
    expect(await other.recheck()).toBe(0);
    directory.wait(0.16 * day_s);
    expect(await other.recheck()).toBe(6);
  });

  test('spreads claims over time, and stops on request', async () => {
    const row = { checked_at: '2026-11-21T00:00:00.000Z' } as Parameters<typeof recheckDue_ms>[0];
    const due = Array.from(
      { length: 200 },
      (_, index) => recheckDue_ms({ ...row, handle: `a/${index}` }, 1000) - Date.parse(row.checked_at),
    );
    expect(Math.min(...due)).toBeGreaterThanOrEqual(800_000);
    expect(Math.min(...due)).toBeLessThan(850_000);
    expect(Math.max(...due)).toBeGreaterThan(1_150_000);
    expect(Math.max(...due)).toBeLessThanOrEqual(1_200_000);
    const stopping = new AbortController();
    const rechecking = startRecheck(directory.context, stopping.signal);
    stopping.abort();
    await expect(rechecking).resolves.toBeUndefined();
  });
});

describe('the key ring', () => {
  test('of CLAIM_KEYS signs with the first and verifies with all', async () => {
    const keys = [2, 1].map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join(',');
    const ring = await claimKeyRing({
      ...directory.context,
      config: { ...directory.context.config, claimKeys: keys },
    });
    expect(ring.map(({ kid, secret }) => [kid, secret[0]])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(await directory.context.store.claims.signingKeys()).toEqual([]);
  });
});

test('two nodes on one database agree on a key, and prove at once with one event', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-claim-'));
  const url = await createSharedDatabase(folder);
  const store = await openDatabase(url);
  await putListings(store, claimableListing(1, handle, 'https://github.com/webhook-co/webhook'));
  const nodes = await Promise.all([0, 1].map(() => startNode(url, directory.git.url)));
  const [issued] = await Promise.all(nodes.map((node) => node.ask('2026-11-21T10:00:00Z')));
  expect(await store.claims.signingKeys()).toHaveLength(1);
  directory.repository.commit({ [file]: issued?.challenge ?? '' });
  const answers = await Promise.all(nodes.map((node) => node.ask('2026-11-21T10:01:00Z')));
  expect(answers.map(({ changed }) => changed).toSorted()).toEqual(['activated', 'none']);
  expect(await store.claims.history(handle)).toMatchObject([{ type: 'activated', log_index: 0 }]);
  expect(await store.log.size()).toBe(1);
  for (const node of nodes) await node.stop();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A node of its own: another process, another connection. It asks claim_agent at the time it is told. */
async function startNode(database: string, git: string) {
  const child = fork(new URL('./claim-node.ts', import.meta.url), [database, git], { execArgv: [] });
  await once(child, 'message');
  return {
    async ask(now: string): Promise<Answer> {
      child.send(now);
      const [answer] = await once(child, 'message');
      return answer as Answer;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
