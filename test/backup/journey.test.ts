import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readAllRows } from '../support/all-rows.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier, type Started, startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { startEndpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened, openFolder } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { makeServiceKey, publishLines, signReceipt } from '../support/receipts.ts';
import { onGitHub, readRealEntries } from '../support/registry-entries.ts';

// Each test starts the command several times.
type Json = Record<string, unknown>;

const folder = openFolder();
const path = (name: string) => join(folder, name);
const original = `file:${path('original.db')}`;
const settings = { PUBLIC_URL: 'https://dossier.example', LOG_LEVEL: 'error', PORT: '0' };
const offline = { ...settings, REGISTRY_URL: 'off' };
const rater = registryEntry('com.rater/api', onGitHub('rater/api'));
/** Its second version names another endpoint. */
const moved = [1, 2].map((version) =>
  registryEntry(
    'com.moved/api',
    {
      version: `${version}.0.0`,
      remotes: [{ type: 'streamable-http', url: `https://v${version}.moved.example/mcp` }],
    },
    { isLatest: version === 2, publishedAt: `2026-10-0${version}T08:00:00Z` },
  ),
);
const gone = (status: string) => registryEntry('org.gone/server', onGitHub('gone/server'), { status });

/** More than a line of a backup has. */
const large = Array.from({ length: 60 }, (_, n) =>
  registryEntry(`org.large/n${n}`, {
    remotes: Array.from({ length: 60 }, (_remote, at) => ({
      type: 'streamable-http',
      url: `https://large.example/${n}/${at}/${'long'.repeat(25)}`,
    })),
  }),
);

const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();

const rating = (interaction_id: string, change = {}) =>
  ratingOf('co.webhook/webhook', {
    interaction_id,
    interaction_at: anHourAgo,
    comment: 'Delivered — 42 of 42, naïve 数据库 \u2028 🧾',
    ...change,
  });
async function tool(name: string, input: object, secret?: string): Promise<Json> {
  const answer = await service.post(`/api/tools/${name}`, input, secret);
  expect([name, answer.status]).toEqual([name, 200]);
  return (await answer.json()) as Json;
}

/** A service with something in every table. */
const endpoint = await startModernServer(() => [{ name: 'replay', description: 'Replays a webhook' }]);
const paid = await startEndpoint((_body, _request, response) => {
  const accepts = [{ scheme: 'exact', network: 'base', payTo: '0xb', asset: '0xa', maxAmountRequired: '1' }];
  response.writeHead(402, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ x402Version: 1, accepts }));
});
const service = await opened(
  openClaimedDirectory({
    entries: [
      ...(readRealEntries() ?? []).slice(0, 500),
      ...seedEntries,
      ...large,
      ...moved,
      rater,
      gone('active'),
      registryEntry('x', { version: 7 }),
    ],
    environment: {
      ...settings,
      DATABASE_URL: original,
      HOST_OVERRIDES: JSON.stringify({ 'mcp.webhook.co': endpoint.url, 'v2.moved.example': paid.url }),
    },
  }),
);
await service.importEntries([gone('deleted')]);
const capability = await service.claim('com.rater/api', 'rater/api');
const subject = await service.claim('co.webhook/webhook', 'webhook-co/webhook');
const first = await tool('submit_rating', rating('job-1'), capability);
await tool('submit_rating', rating('job-1', { supersedes: first.rating_id, score: 3 }), capability);
const second = await tool('submit_rating', rating('job-2'), capability);
await tool('respond_to_rating', { rating_id: second.rating_id, text: 'Thank you' }, subject);
const third = await tool('submit_rating', rating('job-3'), capability);
await tool('withdraw_rating', { rating_id: third.rating_id, reason: 'mistake' }, capability);
const key = makeServiceKey('2026-11');
await publishLines(service, [key.line]);
const iat = Math.floor(service.context.clock().getTime() / 1000);
const iss = 'co.webhook/webhook';
const sub = 'com.rater/api';
const value = await signReceipt(key, { iss, sub, jti: 'job-proven', iat });
await tool('submit_rating', rating('job-proven', { proof: { kind: 'service_receipt', value } }), capability);
const fourth = await tool('submit_rating', rating('job-erased'), capability);
await service.act('erase', String(fourth.rating_id), 'personal_data');
await service.act('hide', `response:${second.rating_id}`, 'personal_data');
await tool('submit_feedback', {
  message: 'The tag page is empty, \u0000 and "quoted"\nhere',
  contact: 'a@b.example',
});
await service.context.store.write((tx) =>
  tx.optOuts.put({
    handle: 'com.politicalcomms/api',
    state: 'seen',
    kind: 'repository',
    place: 'https://github.com/Political-Comms/political-comms-sdk',
    place_key: 'github.com/political-comms/political-comms-sdk',
    seen_at: '2026-11-20T08:00:00.000Z',
    checked_at: '2026-11-20T08:00:00.000Z',
    listing: undefined,
  }),
);
await service.context.store.write(async (tx) => {
  await tx.webhooks.put({
    id: '0192f0c1-0000-7000-8000-000000000001',
    url: 'https://hook.example/in',
    domain: 'hook.example',
    network: 'a-pseudonym',
    served_at: anHourAgo,
    secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    kind: 'tag',
    value: 'webhooks',
    created_at: anHourAgo,
    state: 'active',
    position: 1,
    delivered: 1,
    delivered_at: anHourAgo,
    failures: 1,
    failing_since: anHourAgo,
    rest_until: undefined,
    last_result: 'HTTP 500',
  });
  await tx.webhooks.putDelivery({
    webhook_id: '0192f0c1-0000-7000-8000-000000000001',
    seq: 1,
    handle: 'co.webhook/webhook',
    state: 'waiting',
    attempts: 1,
    next_at: '2100-01-01T00:00:00.000Z',
    result: 'HTTP 500',
  });
});
await service.context.store.write((tx) =>
  tx.listings.keepPast(['co.webhook/webhook'], '2100-01-01T00:00:00.000Z'),
);
await service.observe('com.moved/api');
await service.observe('co.webhook/webhook');
await endpoint.close();
await paid.close();
await service.app.request('/log/checkpoint');

const backup = (databaseUrl: string, name: string) =>
  runDossier(['backup', path(name)], { ...offline, DATABASE_URL: databaseUrl });
const restore = (databaseUrl: string, name: string) =>
  runDossier(['restore', path(name)], { ...offline, DATABASE_URL: databaseUrl });
/** The text of a backup without its header. */
const bodyOf = (name: string) => {
  const text = gunzipSync(readFileSync(path(name))).toString('utf8');
  return text.slice(text.indexOf('\n') + 1);
};
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
/** The bytes of the values of a row. */
const sizeOf_bytes = (cells: readonly unknown[]) =>
  sum(cells.map((cell) => Buffer.byteLength(cell === null ? '' : String(cell))));
const headerOf = (name: string) =>
  JSON.parse(
    gunzipSync(readFileSync(path(name)))
      .toString('utf8')
      .split('\n')[0] ?? '',
  ) as Json;
const ask = async (text: (path: string, body?: object) => Promise<Response>) => ({
  checkpoint: await (await text('/log/checkpoint')).text(),
  found: await (await text('/api/tools/search_agents', { query: 'webhook', limit: 50 })).json(),
  tags: await (await text('/api/tools/list_tags', {})).json(),
  ratings: await (await text('/api/tools/list_ratings', { handle: 'co.webhook/webhook' })).json(),
  listing: await (await text('/agents/co.webhook/webhook.json')).json(),
});
const overHttp =
  (url: string, secret?: string) =>
  (at: string, body?: object): Promise<Response> =>
    fetch(`${url}${at}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...(secret && { authorization: `Bearer ${secret}` }) },
    });
const inProcess = (at: string, body?: object) =>
  body ? service.post(at, body) : Promise.resolve(service.app.request(at));
async function stop({ child, ended }: Started): Promise<void> {
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
}

describe('a backup', () => {
  it('of a running service is one file, readable by its owner only, that lists its contents', async () => {
    const { code, stdout, stderr } = await backup(original, 'first.gz');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/first\.gz: \d+ rows in \d+\.\d s; it contains keys, so keep it secret\n$/);
    expect(statSync(path('first.gz')).mode & 0o777).toBe(0o600);
    const { rows, ...header } = headerOf('first.gz');
    expect(header).toEqual({
      format: 'dossier-backup',
      version: 9,
      dossier: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      created_at: expect.stringMatching(/^20\d\d-.*Z$/),
      checkpoint: expect.stringMatching(/^dossier\.example\/log\n16\n/),
    });
    expect(Object.entries(rows as Record<string, number>).filter(([, count]) => count === 0)).toEqual([]);
    expect(rows).toMatchObject({
      rating: 6,
      rating_response: 1,
      feedback: 1,
      claim: 2,
      log_leaf: 16,
      moderation: 2,
      log_head: 1,
    });
    expect(bodyOf('first.gz')).not.toContain(capability);
  });
  it('contains every column of every table, so that changing a table changes the format', async () => {
    const columns = Object.fromEntries(
      bodyOf('first.gz')
        .split('\n')
        .flatMap((line) => (line.startsWith('{"table"') ? [JSON.parse(line) as Json] : []))
        .map(({ table, columns: named }) => [table, (named as string[]).join(' ')]),
    );
    const all = await readAllRows(original);
    expect(columns).toEqual(
      Object.fromEntries(
        Object.entries(all).map(([table, rows]) => [table, Object.keys(rows[0] ?? {}).join(' ')]),
      ),
    );
    await expect(`${JSON.stringify(columns, null, 2)}\n`).toMatchFileSnapshot('format-9.json');
  });
  it('has 256 KiB of rows a line at most, and one row alone, so that neither end needs much memory', () => {
    const lines = bodyOf('first.gz')
      .split('\n')
      .flatMap((line) => (line.startsWith('{"table"') ? [JSON.parse(line) as Json] : []))
      .map(({ table, rows }) => ({ table, sizes: (rows as Json[][]).map(sizeOf_bytes) }));
    expect(lines.filter(({ table }) => table === 'listing_version').length).toBeGreaterThan(1);
    for (const { sizes } of lines) expect(sizes.length === 1 || sum(sizes) <= 262_144).toBe(true);
  });
  it('is written to standard output and restored from standard input', async () => {
    const made = startDossier(['backup', '-'], { ...offline, DATABASE_URL: original });
    const chunks: Buffer[] = [];
    made.child.stdout?.removeAllListeners('data').setEncoding('latin1');
    made.child.stdout?.on('data', (text: string) => chunks.push(Buffer.from(text, 'latin1')));
    expect((await made.ended).code).toBe(0);
    writeFileSync(path('piped.gz'), Buffer.concat(chunks));
    expect(bodyOf('piped.gz')).toBe(bodyOf('first.gz'));
    const put = startDossier(['restore', '-'], { ...offline, DATABASE_URL: `file:${path('piped.db')}` });
    put.child.stdin?.end(Buffer.concat(chunks));
    expect((await put.ended).code).toBe(0);
  });
});

/** Of database files, with a checkpoint file beside each. */
describe('a backup of a log that nobody read', () => {
  const at = (name: string) => `file:${path(name)}`;
  const saved = (name: string) => readFileSync(path(`${name}.checkpoint`), 'utf8').split('\n')[1];
  it('signs the log, so that a rollback is found and the restored tree can be compared', async () => {
    const quiet = { ...offline, DATABASE_URL: at('quiet.db') };
    expect(await restore(quiet.DATABASE_URL, 'first.gz')).toMatchObject({ code: 0 });
    const act = ['moderate', 'withdraw', 'org.large/n0', '--reason', 'malicious'];
    expect(await runDossier(act, quiet)).toMatchObject({ code: 0 });
    expect(await backup(quiet.DATABASE_URL, 'quiet.gz')).toMatchObject({ code: 0 });
    expect(saved('quiet.db')).toBe('17');
    expect(await restore(at('again.db'), 'quiet.gz')).toMatchObject({ code: 0 });
    expect(saved('again.db')).toBe('17');
    const audited = await runDossier(['audit'], { ...offline, DATABASE_URL: at('again.db') });
    expect([audited.code, audited.stdout]).toEqual([0, expect.not.stringContaining('no checkpoint')]);
  });
  it('signs nothing if the database is an older copy, and a restore keeps the newer checkpoint', async () => {
    cpSync(path('quiet.db.checkpoint'), path('older.db.checkpoint'));
    expect(await restore(at('older.db'), 'first.gz')).toMatchObject({ code: 0 });
    expect(await backup(at('older.db'), 'older.gz')).toMatchObject({ code: 0 });
    expect(saved('older.db')).toBe('17');
    expect(headerOf('older.gz')).not.toHaveProperty('checkpoint');
    expect((await readAllRows(at('older.db'))).log_head).toHaveLength(1);
  });
});

/** Runs for SQLite, and again for PostgreSQL. */
describe('a service restored into a new database', () => {
  let database: string;
  let restored: Started;
  let url: string;
  beforeAll(async () => {
    expect((await backup(original, 'there.gz')).code).toBe(0);
    database = await createSharedDatabase(folder);
    const { code, stdout } = await restore(database, 'there.gz');
    expect(stdout).toMatch(
      /^restored .*\.gz, made 20\d\d-.*Z by Dossier \d+\.\d+\.\d+\n1 webhook is paused;.*\n$/,
    );
    expect(code).toBe(0);
  });

  it('holds every row, with its webhooks paused, and once resumed a backup of it is the same text', async () => {
    const { webhook, ...rows } = await readAllRows(original);
    const paused = webhook?.map((row) => ({ ...row, state: 'paused' }));
    expect(await readAllRows(database)).toEqual({ ...rows, webhook: paused });
    const resumed = await runDossier(['webhooks', 'resume'], { ...offline, DATABASE_URL: database });
    expect(resumed.stdout).toBe('1 webhook is active again\n');
    expect((await backup(database, 'back.gz')).code).toBe(0);
    expect(bodyOf('back.gz')).toBe(bodyOf('there.gz'));
  });
  it('can be moved back into SQLite with every row', async () => {
    const back = `file:${path('back.db')}`;
    expect(await restore(back, 'back.gz')).toMatchObject({ code: 0 });
    await runDossier(['webhooks', 'resume'], { ...offline, DATABASE_URL: back });
    expect(await readAllRows(back)).toEqual(await readAllRows(original));
  });
  it('answers the same, with the same checkpoint', async () => {
    restored = startDossier(['serve'], { ...offline, DATABASE_URL: database });
    url = await restored.line(/^listening on (\S+)/m);
    const before = await ask(inProcess);
    expect(await ask(overHttp(url))).toEqual(before);
    expect(before.checkpoint.split('\n').slice(0, 2)).toEqual(['dossier.example/log', '16']);
    expect(JSON.stringify(before.found)).toContain('co.webhook/webhook');
  });
  it('agrees with its log, the erased record included', async () => {
    expect(await runDossier(['audit', database], {})).toMatchObject({ code: 0 });
  });
  it('proves its entries under the key that was known before', async () => {
    const key = await (await inProcess('/log/key')).text();
    const proof = await (await overHttp(url)('/api/tools/get_proof', { log_index: 4 })).text();
    writeFileSync(path('key'), key);
    writeFileSync(path('proof.json'), proof);
    const { code, stdout } = await runDossier(['verify', path('proof.json'), '--key', path('key')], {});
    expect([code, stdout.match(/^holds/gm)?.length, stdout.includes('FAILS')]).toEqual([0, 3, false]);
  });
  it('continues: the capability works, the log grows, the private feedback is there', async () => {
    const rated = await overHttp(url, capability)('/api/tools/submit_rating', rating('job-4'));
    expect([rated.status, await rated.json()]).toMatchObject([200, { status: 'created', log_index: 16 }]);
    await stop(restored);
    const { stdout } = await runDossier(['feedback'], { ...offline, DATABASE_URL: database });
    expect(stdout).toContain('The tag page is empty');
  });
});

/** The published checkpoint is saved outside the database (docs/decisions/log.md). */
describe('a backup restored beside a saved checkpoint', () => {
  const logsOf = async (databaseUrl: string, kept: string) => {
    const CHECKPOINT_FILE = path(`of ${kept}`);
    cpSync(path(kept), CHECKPOINT_FILE);
    const started = startDossier(['serve'], { ...offline, DATABASE_URL: databaseUrl, CHECKPOINT_FILE });
    const url = await started.line(/^listening on (\S+)/m);
    const { logs } = (await (await overHttp(url)('/log')).json()) as { logs: { log: string }[] };
    await stop(started);
    return logs.map(({ log }) => log);
  };
  it('continues its log if it is the newest state, and opens the next one if it is older', async () => {
    await inProcess('/log/checkpoint');
    cpSync(path('original.db.checkpoint'), path('kept.newest'));
    expect((await backup(original, 'newest.gz')).code).toBe(0);
    await tool('submit_rating', rating('job-5'), capability);
    service.wait(1);
    await inProcess('/log/checkpoint');
    const newest = await createSharedDatabase(folder);
    const older = await createSharedDatabase(folder);
    for (const database of [newest, older]) expect((await restore(database, 'newest.gz')).code).toBe(0);
    expect(await logsOf(newest, 'kept.newest')).toEqual(['https://dossier.example/log']);
    expect(await logsOf(older, 'original.db.checkpoint')).toEqual([
      'https://dossier.example/log',
      'https://dossier.example/log/2',
    ]);
  });
});
