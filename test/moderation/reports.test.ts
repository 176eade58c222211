import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { operationsOf } from '../support/operations.ts';
import { ratingOf } from '../support/ratings.ts';

const token = 'a-token-of-the-operator';
let directory: ClaimedDirectory;
let rating_id: string;
let environment: Record<string, string>;

beforeEach(async () => {
  const DATABASE_URL = await createSharedDatabase();
  directory = await openClaimedDirectory({
    environment: { DATABASE_URL, METRICS_PORT: '0', OPERATOR_TOKEN: token },
  });
  environment = { DATABASE_URL, LOG_LEVEL: 'silent' };
  const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
  const rated = await directory.post(
    '/api/tools/submit_rating',
    ratingOf('co.webhook/webhook', {
      interaction_at: directory.context.clock().toISOString(),
      outcome: 'failed',
      comment: 'Ask Jane Doe',
    }),
    capability,
  );
  ({ rating_id } = (await rated.json()) as { rating_id: string });
});
afterEach(() => directory.close());

const send = async (body: object): Promise<Record<string, unknown>> => {
  const answer = await directory.post('/api/tools/submit_feedback', { message: 'It names me.', ...body });
  return { ...((await answer.json()) as object), status: answer.status };
};
const page = async (path: string) =>
  (await directory.app.request(path, { headers: { accept: 'text/html' } })).text();

describe('a report', () => {
  it('names a listing or a rating, and is kept with the rated listing', async () => {
    expect(await send({ category: 'report', rating_id })).toMatchObject({
      status: 200,
      statement: 'Received. Reports are private. A person reads them; a report changes nothing by itself.',
    });
    expect(await send({ category: 'report', handle: 'co.webhook/webhook' })).toMatchObject({ status: 200 });
    const kept = await directory.store.feedback.list({ state: 'open', kind: 'report' }, 10);
    expect(kept).toMatchObject([
      { handle: 'co.webhook/webhook' },
      { handle: 'co.webhook/webhook', rating_id },
    ]);
    expect(await directory.store.feedback.count({ state: 'open', kind: 'feedback' })).toBe(0);
  });
  it.each<[{ readonly [name: string]: string }, string]>([
    [{ category: 'report' }, 'handle'],
    [{ category: 'other', message: '\u200b \u2060' }, 'message'],
    [{ category: 'report', rating_id: 'none' }, 'rating_id'],
    [{ category: 'report', rating_id: 'of another listing', handle: 'com.politicalcomms/api' }, 'rating_id'],
  ])('is refused at the field that is wrong: %j', async (sent, field) => {
    const body = sent.rating_id?.startsWith('of') ? { ...sent, rating_id } : sent;
    expect(await send(body)).toMatchObject({ status: 422, code: 'invalid_input', fields: [{ field }] });
  });
  it('has a form that links on the listing and on the rating fill in', async () => {
    const listing = '/feedback?category=report&amp;handle=co.webhook%2Fwebhook';
    expect(await page('/agents/co.webhook/webhook')).toContain(`href="${listing}"`);
    const rating = `/feedback?category=report&amp;rating_id=${rating_id}`;
    expect(await page('/agents/co.webhook/webhook/ratings')).toContain(`href="${rating}"`);
    const form = await page(rating.replace('&amp;', '&'));
    expect(form).toContain('<h1>Report a listing or a rating</h1>');
    expect(form).toContain(`name="rating_id" aria-describedby="rating_id-hint" value="${rating_id}"`);
    const sent = await directory.app.request('/feedback', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ category: 'report', rating_id, message: 'It names me.' }).toString(),
    });
    expect(sent.status).toBe(303);
  });
});

it('dossier reports lists, shows and closes reports, apart from other feedback', async () => {
  const { id } = await send({ category: 'report', rating_id });
  await send({ message: 'The tag page is empty' });
  const { stdout } = await runDossier(['reports', 'list'], environment);
  expect(stdout).toContain(`open  rating ${rating_id}  co.webhook/webhook  It names me.\n`);
  expect(stdout).not.toContain('The tag page is empty');
  expect((await runDossier(['feedback'], environment)).stdout).toContain('The tag page is empty');
  expect((await runDossier(['feedback', 'show', String(id)], environment)).code).toBe(64);
  expect((await runDossier(['reports', 'show', String(id)], environment)).stdout).toContain(
    `rating_id: ${rating_id}\n`,
  );
  expect((await runDossier(['reports', 'close', String(id)], environment)).stdout).toBe(`closed ${id}\n`);
  expect((await runDossier(['reports'], environment)).stdout).toBe('No open reports.\n');
  expect((await runDossier(['reports', 'list', '--all'], environment)).stdout).toContain(String(id));
});

it('dossier feedback list says how many there are when it does not print all', async () => {
  await directory.store.write(async (tx) => {
    for (let count = 0; count < 203; count++)
      await tx.feedback.add({
        id: `f${count}`,
        received_at: '2026-11-20T08:00:00.000Z',
        state: count < 2 ? 'closed' : 'open',
        message: 'x',
      });
  });
  const { stdout } = await runDossier(['feedback', 'list', '--all'], environment);
  expect(stdout.split('\n')).toHaveLength(202);
  expect(stdout).toContain('\nThe newest 200 of 203; dossier feedback list --all --limit 203 prints all.\n');
  const all = await runDossier(['feedback', 'list', '--limit', '201'], environment);
  expect(all.stdout.split('\n')).toHaveLength(202);
  expect(all.stdout).not.toContain('newest');
  expect((await runDossier(['feedback', 'list', '--limit', 'many'], environment)).code).toBe(64);
});

describe('the page of reports', () => {
  it('is on the metrics port, for the bearer of OPERATOR_TOKEN only', async () => {
    await send({ category: 'report', rating_id, message: '<b>It names me.</b>' });
    const metrics = await directory.startMetrics();
    const url = metrics.url.replace('/metrics', '/reports');
    const ask = (authorization?: string) =>
      fetch(url, authorization === undefined ? {} : { headers: { authorization } });
    expect((await ask()).status).toBe(401);
    expect((await ask('Bearer another-token-of-someone')).status).toBe(401);
    const answer = await ask(`Bearer ${token}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const text = await answer.text();
    expect(text).toContain('1 open report.');
    expect(text).toContain('&lt;b&gt;It names me.&lt;/b&gt;');
    await metrics?.stop();
    expect((await directory.app.request('/reports')).status).toBe(404);
  });
  it('is not there without a token', async () => {
    const { config } = directory.context;
    const other = operationsOf({ ...directory.context, config: { ...config, operatorToken: '' } });
    const metrics = await other.startMetrics();
    expect((await fetch(metrics.url.replace('/metrics', '/reports'))).status).toBe(404);
    await metrics.stop();
  });
});
