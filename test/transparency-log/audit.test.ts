import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { editDatabase } from '../support/edit-database.ts';
import { addSource } from '../support/rating-source.ts';

let DATABASE_URL: string;
let directory: ClaimedDirectory;
const ids: string[] = [];

beforeEach(async () => {
  DATABASE_URL = await createSharedDatabase();
  directory = await openClaimedDirectory({ environment: { DATABASE_URL } });
  const owner = await directory.claim('co.webhook/webhook', 'webhook-co/webhook');
  const rater = await addSource(directory.store);
  const call = async (tool: string, input: object, as: string) =>
    (await (await directory.post(`/api/tools/${tool}`, input, as)).json()) as { rating_id: string };
  const rate = (interaction_id: string, change: object = {}) =>
    call(
      'submit_rating',
      {
        ...{ handle: 'co.webhook/webhook', interaction_id, interaction_at: '2026-11-21T10:00:00Z' },
        ...{ outcome: 'failed', protocol: 'mcp', relationship: 'none', comment: 'Timed out.', ...change },
      },
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

const audit = () => runDossier(['audit', DATABASE_URL], {});

it('finds nothing in a database that is as the log has it, and each edit of another', async () => {
  expect(await audit()).toMatchObject({ code: 0, stdout: '7 log entries; 0 differences\n' });
  const [first, second, , fourth] = ids;
  await editDatabase(DATABASE_URL, `update rating set outcome = 'succeeded' where id = '${second}'`);
  await editDatabase(DATABASE_URL, `update rating set withdrawn_at = 'x' where id = '${fourth}'`);
  await editDatabase(DATABASE_URL, "update rating_response set text = 'Never happened.'");
  await editDatabase(DATABASE_URL, "update claim_event set repository = 'https://github.com/else/where'");
  await editDatabase(DATABASE_URL, `delete from rating where id = '${first}'`);
  const { code, stdout } = await audit();
  expect([code, stdout.trim().split('\n').toSorted()]).toEqual([
    1,
    [
      '7 log entries; 5 differences',
      'DIFFERS  claim event 0: differs from its log entry in repository',
      `DIFFERS  entry 1: rating ${first} is not stored`,
      `DIFFERS  rating ${second}: differs from its log entry in outcome`,
      `DIFFERS  rating ${fourth}: is withdrawn, and no log entry says so`,
      `DIFFERS  response to rating ${fourth}: differs from its log entry in text`,
    ],
  ]);
});

it('finds a replaced leaf, a changed record and a changed node', async () => {
  await editDatabase(
    DATABASE_URL,
    "update log_record set record = replace(record, 'failed', 'partial') where log_index = 1",
  );
  await editDatabase(DATABASE_URL, "update log_node set hash = 'ff' where level = 1 and position = 1");
  const { code, stdout } = await audit();
  expect(code).toBe(1);
  expect(stdout).toContain('DIFFERS  entry 1: the leaf does not commit to the stored record\n');
  expect(stdout).toContain('DIFFERS  tree node 1: the node is not the hash of its two children\n');
});
