import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordClaimEvent } from '../../src/claims/suspend.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { addSource, recordSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

let DATABASE_URL: string;
let directory: ClaimedDirectory;
const ids: string[] = [];

beforeEach(async () => {
  DATABASE_URL = await createSharedDatabase();
  directory = await openClaimedDirectory({ environment: { DATABASE_URL } });
  const owner = await directory.claim('co.webhook/webhook', 'webhook-co/webhook');
  const rater = await addSource(directory.store);
  await recordSource(directory.store);
  const call = async (tool: string, input: object, as: string) =>
    (await (await directory.post(`/api/tools/${tool}`, input, as)).json()) as { rating_id: string };
  const rate = (interaction_id: string, change: object = {}) =>
    call(
      'submit_rating',
      ratingOf('co.webhook/webhook', {
        interaction_id,
        interaction_at: '2026-11-21T10:00:00Z',
        outcome: 'failed',
        relationship: 'none',
        comment: 'Timed out.',
        ...change,
      }),
      rater,
    );
  const first = await rate('one');
  const second = await rate('one', { supersedes: first.rating_id, outcome: 'partial' });
  const third = await rate('two');
  const fourth = await rate('three');
  await call('withdraw_rating', { rating_id: third.rating_id }, rater);
  await call('respond_to_rating', { rating_id: fourth.rating_id, text: 'Fixed.' }, owner);
  ids.splice(0, ids.length, ...[first, second, third, fourth].map(({ rating_id }) => rating_id));
});
afterEach(() => directory.close());

const auditDatabase = (...options: string[]) => runDossier(['audit', DATABASE_URL, ...options], {});

/** The same database behind another process, so that nothing is in memory from before an edit. */
async function auditService(...options: string[]) {
  const service = await openDirectory({
    entries: [],
    listening: true,
    environment: { DATABASE_URL, LIMITS: 'off', PUBLIC_URL: directory.url },
  });
  try {
    return await runDossier(['audit', `http://127.0.0.1:${service.context.config.port}`, ...options], {});
  } finally {
    await service.close();
  }
}

interface Report {
  readonly entries: number;
  readonly listings: number;
  readonly holds: boolean;
  readonly faults: readonly { readonly where: string; readonly message: string; readonly next: string }[];
}

/** What both audits find, without the advice. */
async function findFaults(audit: typeof auditDatabase): Promise<string[]> {
  const { code, stdout } = await audit('--json');
  const { faults, holds } = JSON.parse(stdout) as Report;
  expect([code, holds]).toEqual(faults.length > 0 ? [1, false] : [0, true]);
  for (const { next } of faults) expect(next).toMatch(/^(Find out who|Keep this database)/);
  return faults.map(({ where, message }) => `${where}: ${message}`).toSorted();
}

describe.each([
  ['a database', auditDatabase, ''],
  [
    'a service over HTTP',
    auditService,
    'NOT CHECKED  1 record of withdrawn ratings, or of withdrawn or hidden listings: a service does not give them out\n',
  ],
] as const)('an audit of %s', (_, audit, withheld) => {
  it('finds nothing where all is as the log has it, and says what it could not check', async () => {
    expect(await audit()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^NOT CHECKED  stated_overlap of 2 ratings: the log does not contain the registry records that this flag depends on\n${withheld}(NOT CHECKED  the tree as a whole: there is no checkpoint to compare it with\n)?The log has 8 entries; 2 listings compared; 0 faults\n$`,
        ),
      ) as string,
    });
  });

  it('holds for a claim of more than 100 events, which shows the newest, and finds its edits', async () => {
    await directory.store.write(async (tx) => {
      const claim = await tx.claims.claim('b/source');
      for (let second = 100; second < 220; second++)
        if (claim)
          await recordClaimEvent(tx, claim, { type: 'rotated', at: `2026-11-20T10:00:00.${second}Z` });
    });
    expect(await findFaults(audit)).toEqual([]);
    const answer = await directory.app.request('/agents/b/source.json');
    const { claim } = (await answer.json()) as { claim: { history: { at: string }[] } };
    expect([claim.history.length, claim.history[0]?.at, claim.history.at(-1)?.at]).toEqual([
      100,
      '2026-11-20T10:00:00.120Z',
      '2026-11-20T10:00:00.219Z',
    ]);
    await editDatabase(DATABASE_URL, "delete from claim_event where at = '2026-11-20T10:00:00.218Z'");
    await editDatabase(
      DATABASE_URL,
      "update claim set claimed_at = '2025-01-01T00:00:00.000Z' where handle = 'b/source'",
    );
    await editDatabase(DATABASE_URL, "update rating set new_until = '2027-01-01T00:00:00.000Z'");
    // Over HTTP only the day is shown.
    const found = (await findFaults(audit)).map((fault) =>
      fault.replace('-01T00:00:00.000Z, but', '-01, but'),
    );
    expect(found).toEqual([
      'claim of b/source: claimed_at is "2025-01-01T00:00:00.000Z", but its events up to log entry 127 say "2026-11-01T00:00:00.000Z"',
      'entry 126: it records the event "rotated" of b/source, but no listing shows that',
      `rating ${ids[1]} of co.webhook/webhook: it is shown as new_source, but no rating or claim event in the log makes it new_source`,
      `rating ${ids[1]} of co.webhook/webhook: its date of new_source is 2027-01-01, but claim events in the log lead to 2026-11-08T00:00:00.000Z`,
      `rating ${ids[3]} of co.webhook/webhook: it is shown as new_source, but no rating or claim event in the log makes it new_source`,
      `rating ${ids[3]} of co.webhook/webhook: its date of new_source is 2027-01-01, but claim events in the log lead to 2026-11-08T00:00:00.000Z`,
    ]);
  });

  it('finds a saved checkpoint that the log does not continue, and a root that was noted', async () => {
    const checkpoint = await (await directory.app.request('/log/checkpoint')).text();
    const file = join(tmpdir(), `dossier-checkpoint-${process.pid}-${audit.name}.txt`);
    writeFileSync(file, checkpoint);
    const [, size, root] = checkpoint.split('\n');
    const kept = ['--root', `${size}:${root}`];
    expect(await audit(...kept)).toMatchObject({ code: 0 });
    const other = `8:${Buffer.alloc(32).toString('base64')}`;
    const { code, stdout } = await audit('--root', other);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'FAULT  root given for 8 entries: the first 8 entries of the log have a different root: history was rewritten. Keep this database',
    );
    const key = ['--key', (await (await directory.app.request('/log/key')).text()).trim()];
    expect(await audit('--checkpoint', file, ...key)).toMatchObject({ code: 0 });
    writeFileSync(file, checkpoint.replace('\n8\n', '\n6\n'));
    expect(await audit('--checkpoint', file, ...key)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${file}: it is not signed by the key of the log, `) as string,
    });
    expect(await audit('--root', `9:${root}`)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        'it covers 9 entries, but the log has only 8: entries were lost',
      ) as string,
    });
  });
});

it('finds a replaced leaf, a changed record, a deleted record and a changed node', async () => {
  await editDatabase(
    DATABASE_URL,
    "update log_record set record = replace(record, 'failed', 'partial') where log_index = 2",
  );
  await editDatabase(DATABASE_URL, 'delete from log_record where log_index = 4');
  await editDatabase(DATABASE_URL, "update log_node set hash = 'ff' where level = 1 and position = 1");
  expect(await findFaults(auditDatabase)).toEqual([
    'entry 2: its stored record is not the one that its leaf (rating.submitted) commits to',
    'entry 4: the record of this rating.submitted is not stored, and no entry "record.erased" names it',
    'log, tree node 1 of level 1: the stored hash is not the one that follows from the leaves',
    expect.stringContaining('outcome is "failed", but log entry 2 says "partial"'),
    expect.stringContaining(': it is shown and names entry 4, but no record of that entry is stored'),
  ]);
});

/** Listens in front of the directory, and lets `bend` change what it answers. */
async function openProxy(
  bend: (url: string, sent: string, answer: () => Promise<Response>) => Promise<Response>,
) {
  const proxy = createServer(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    const headers = { 'content-type': 'application/json' };
    const sent = await text(request);
    const answer = await bend(url, sent, async () =>
      directory.app.request(url, { method, headers, body: method === 'POST' ? sent : null }),
    );
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => proxy.close() };
}

it('does not accuse a service of another log because one of its answers failed', async () => {
  const failing = await openProxy(async (url, _, answer) =>
    url === '/api/tools/get_proof'
      ? Response.json(
          { code: 'internal', detail: 'Try again later; the failure was logged.' },
          { status: 500 },
        )
      : answer(),
  );
  const { code, stdout, stderr } = await runDossier(['audit', failing.url], {});
  failing.close();
  expect([code, stdout]).toEqual([69, '']);
  expect(stderr).toContain('get_proof: answered with status 500');
});

it.each([
  ['ratings', '/api/tools/list_ratings', { handle: 'co.webhook/webhook', ratings: [], group_reasons: {} }],
  ['history', '/agents/co.webhook/webhook/history.json', { events: [] }],
])(
  'does not read %s without end from a service that names new pages again and again',
  async (_, path, page) => {
    let pages = 0;
    const proxy = await openProxy(async (url, sent, answer) => {
      if (!url.startsWith(path) || !(url + sent).includes('webhook')) return answer();
      pages += 1;
      return Response.json({ ...page, ...(pages < 3000 && { next_cursor: `page-${pages}` }) });
    });
    const { code, stderr } = await runDossier(['audit', proxy.url], {});
    proxy.close();
    expect([code, stderr]).toEqual([
      69,
      `audit: ${path}: it names more than 1,008 pages, and the service signed a log of only 8 entries\n`,
    ]);
    expect(pages).toBe(1008);
  },
);

it('finds leaves that are missing', async () => {
  await editDatabase(DATABASE_URL, 'delete from log_leaf where log_index = 2');
  expect(await findFaults(auditDatabase)).toContain(
    'entries 0 to 7: 1 of these 8 leaves are missing, so the rest of this log cannot be checked',
  );
});

it('ends with 74 for a database that does not exist, 69 for no service, 64 for a root of another form', async () => {
  expect(await runDossier(['audit', '/nowhere/dossier.db'], {})).toMatchObject({ code: 74 });
  expect(await runDossier(['audit', 'http://127.0.0.1:9'], {})).toMatchObject({ code: 69 });
  expect(await auditDatabase('--root', 'nothing')).toMatchObject({ code: 64 });
});
