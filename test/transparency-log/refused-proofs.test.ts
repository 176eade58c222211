import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSharedDatabase } from '../support/database.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { addSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

let databaseUrl: string;
let directory: Directory;
let rating: { rating_id: string; log_index: number };

const call = async (tool: string, input: object, capability = '') => {
  const response = await directory.post(`/api/tools/${tool}`, input, capability);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

beforeEach(async () => {
  databaseUrl = await createSharedDatabase();
  directory = await openDirectory({
    environment: { DATABASE_URL: databaseUrl, LIMITS: 'off', METRICS_PORT: '127.0.0.1:0' },
  });
  const capability = await addSource(directory.store);
  const submit = async (interaction_id: string) =>
    (
      await call(
        'submit_rating',
        ratingOf('a/subject-0', {
          interaction_id,
          interaction_at: new Date().toISOString(),
          outcome: 'failed',
          relationship: 'none',
          score: 2,
          comment: 'Timed out.',
        }),
        capability,
      )
    ).body as typeof rating;
  await submit('first');
  rating = await submit('second');
});
afterEach(() => directory.close());

const refused = {
  status: 500,
  body: {
    code: 'internal',
    detail:
      'The database disagrees with the log about this entry, so no proof is given. Try again later; the failure was logged.',
  },
};

it('is given for a rating that is as the log has it', async () => {
  const { status, body } = await call('get_proof', { rating_id: rating.rating_id });
  expect([status, body.log_index]).toEqual([200, rating.log_index]);
  expect(JSON.parse(String(body.record))).toMatchObject({ id: rating.rating_id, outcome: 'failed' });
});

it.each([
  ['its outcome was edited', "update rating set outcome = 'succeeded' where log_index = 1"],
  ['its score was edited', 'update rating set score = 5 where log_index = 1'],
  ['its score was removed', 'update rating set score = null where log_index = 1'],
  [
    'its comment was edited',
    "update rating set content = replace(content, 'Timed out', 'Fine') where log_index = 1",
  ],
  ['it points to the entry of another', 'update rating set log_index = 0 where log_index = 1'],
  ['it points beyond the log', 'update rating set log_index = 7 where log_index = 1'],
])('by rating_id is refused where %s', async (_, sql) => {
  await editDatabase(databaseUrl, sql);
  expect(await call('get_proof', { rating_id: rating.rating_id })).toMatchObject(refused);
});

it.each([
  [
    'its record was edited',
    "update log_record set record = replace(record, 'failed', 'succeeded') where log_index = 1",
  ],
  ['its salt was replaced', "update log_record set salt = 'AAAAAAAAAAAAAAAAAAAAAA==' where log_index = 1"],
  [
    'its leaf was replaced',
    'update log_leaf set leaf = (select leaf from log_leaf where log_index = 0) where log_index = 1',
  ],
  ['its leaf was deleted', 'delete from log_leaf where log_index = 1'],
])('is refused where %s', async (_, sql) => {
  await editDatabase(databaseUrl, sql);
  expect(await call('get_proof', { log_index: 1 })).toMatchObject(refused);
  expect(await call('get_proof', { rating_id: rating.rating_id })).toMatchObject(refused);
});

it('counts refusals', async () => {
  const metrics = await directory.startMetrics();
  await editDatabase(databaseUrl, 'update rating set score = 5 where log_index = 1');
  await call('get_proof', { rating_id: rating.rating_id });
  expect(await (await fetch(metrics.url)).text()).toContain('dossier_log_mismatches_total 1\n');
  await metrics.stop();
});
