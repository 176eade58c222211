import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';

const subject = 'co.webhook/webhook';
const rater = 'com.politicalcomms/api';

let DATABASE_URL: string;
let directory: ClaimedDirectory;
let rating_id: string;
let claimed_at: string;
beforeAll(async () => {
  DATABASE_URL = await createSharedDatabase();
  directory = await openClaimedDirectory({
    entries: [...seedEntries, registryEntry('com.example/quiet')],
    environment: { DATABASE_URL },
  });
  await directory.claim(subject, 'webhook-co/webhook');
  const capability = await directory.claim(rater, 'Political-Comms/political-comms-sdk');
  claimed_at = (await directory.store.claims.claim(subject))?.claimed_at ?? '';
  const answer = await directory.post(
    '/api/tools/submit_rating',
    {
      handle: subject,
      interaction_id: 'one',
      interaction_at: directory.context.clock().toISOString(),
      outcome: 'failed',
      protocol: 'mcp',
      relationship: 'none',
    },
    capability,
  );
  ({ rating_id } = (await answer.json()) as { rating_id: string });
});
afterAll(() => directory.close());

async function findFaults(place: string): Promise<string[]> {
  const { stdout } = await runDossier(['audit', place, '--json'], {});
  const { faults } = JSON.parse(stdout) as { faults: { where: string; message: string }[] };
  return faults.map(({ where, message }) => `${where}: ${message}`);
}

async function findServedFaults(): Promise<string[]> {
  const environment = { DATABASE_URL, LIMITS: 'off' };
  const service = await openDirectory({ entries: [], listening: true, environment });
  try {
    return await findFaults(`http://127.0.0.1:${service.context.config.port}`);
  } finally {
    await service.close();
  }
}

it('a directory that nobody edited has no faults, in the database and from outside', async () => {
  expect(await findFaults(DATABASE_URL)).toEqual([]);
  expect(await findServedFaults()).toEqual([]);
});

it('a claim that was rotated, suspended, restored and suspended for good, and its ratings, have no faults at any time', async () => {
  const DATABASE = await createSharedDatabase();
  const service = await openClaimedDirectory({ environment: { DATABASE_URL: DATABASE } });
  const { git, post, wait, close } = service;
  const repository = git.createRepository('Political-Comms/political-comms-sdk');
  const ask = async (body: object) => {
    wait(31);
    return (await (await post('/api/claim-github', { handle: rater, ...body })).json()) as Record<
      string,
      string
    >;
  };
  const put = (text: string) => repository.commit({ 'dossier-claim.txt': text });
  const states: unknown[] = [];
  const note = async () => {
    states.push((await service.store.claims.history(rater)).at(-1)?.type);
    expect(await findFaults(DATABASE)).toEqual([]);
  };
  put('nothing yet');
  const first = await ask({});
  put(String(first.file_contents));
  await ask({});
  await note();
  const interaction_at = service.context.clock().toISOString();
  const rating = {
    handle: subject,
    interaction_id: 'one',
    interaction_at,
    outcome: 'failed',
    protocol: 'mcp',
  };
  await post('/api/tools/submit_rating', { ...rating, relationship: 'paid' }, first.capability);
  const second = await ask({ rotate: true });
  put(`${first.file_contents}\n${second.file_contents}`);
  await ask({});
  await note();
  put('nothing');
  await ask({});
  await note();
  wait(86_400);
  await service.recheck();
  await note();
  put(String(first.file_contents));
  await ask({});
  await note();
  wait(30 * 86_400);
  put('nothing again');
  await ask({});
  await note();
  wait(86_400);
  await service.recheck();
  await note();
  expect(states[0]).toBe('activated');
  expect(states.at(-1)).toBe('suspended');
  await close();
});

/** A column of one claim, an SQL value for it and the one that puts it back, and what the audit says. */
const claimEdits: [column: string, value: string, said: string][] = [
  ['state', "'suspended'", 'state is "suspended", but its events up to log entry 0 say "claimed"'],
  [
    'claimed_at',
    "'2025-01-01T00:00:00.000Z'",
    'claimed_at is "2025-01-01T00:00:00.000Z", but its events up to log entry 0 say "<claimed_at>"',
  ],
  [
    'place',
    "'https://github.com/else/where'",
    'place is "https://github.com/else/where", but its events up to log entry 0 say "https://github.com/webhook-co/webhook"',
  ],
  [
    'kind',
    "'profile_repository'",
    'kind is "profile_repository", but its events up to log entry 0 say "repository"',
  ],
  ['"commit"', "'abc'", 'commit is "abc", but its events up to log entry 0 say "<commit>"'],
  [
    'suspended_reason',
    "'withdrawn'",
    'suspended_reason is "withdrawn", but its events up to log entry 0 say nothing',
  ],
  [
    'root',
    "'github.com/else'",
    'root is "github.com/else", but its events up to log entry 0 say "github.com/webhook-co"',
  ],
  ['root_generation', '7', 'root_generation is 7, but its events up to log entry 0 say 0'],
  [
    'first_proved_at',
    "'2025-01-01T00:00:00.000Z'",
    'first_proved_at is "2025-01-01T00:00:00.000Z", but its events up to log entry 0 say "<claimed_at>"',
  ],
];

it.each(claimEdits)('finds an edited %s of a claim', async (column, value, said) => {
  const commit = (await directory.store.claims.claim(subject))?.commit ?? '';
  await editDatabase(DATABASE_URL, `create table kept as select * from claim where handle = '${subject}'`);
  await editDatabase(DATABASE_URL, `update claim set ${column} = ${value} where handle = '${subject}'`);
  const found = await findFaults(DATABASE_URL);
  await editDatabase(
    DATABASE_URL,
    `update claim set ${column} = (select ${column} from kept) where handle = '${subject}'`,
  );
  await editDatabase(DATABASE_URL, 'drop table kept');
  const line = said.replace('<claimed_at>', claimed_at).replace('<commit>', commit);
  expect(found).toContain(`claim of ${subject}: ${line}`);
});

/** A column of the rating, an SQL value, and what the audit of the database says of the rating. */
const ratingEdits: [column: string, value: string, said: string][] = [
  [
    'new_until',
    "'2020-01-01T00:00:00.000Z'",
    'it is not shown as new_source, but the ratings and claim events in the log make it new_source',
  ],
  [
    'new_until',
    "'2099-01-01T00:00:00.000Z'",
    'its date of new_source is 2099-01-01T00:00:00.000Z, but claim events in the log lead to 2',
  ],
  ['related', '1', 'it is shown as related, but no rating or claim event in the log makes it related'],
  [
    'declared_interest',
    '1',
    'it is shown as declared_interest, but no rating or claim event in the log makes it declared_interest',
  ],
  [
    'reciprocal',
    '1',
    'it is shown as reciprocal, but no rating or claim event in the log makes it reciprocal',
  ],
  [
    'stated_overlap',
    `'{"by":"${subject}","of":"${rater}","at":"2026-01-01T00:00:00.000Z"}'`,
    'it is shown as stated_overlap because of a record that cannot set it apart',
  ],
  [
    'source_ended_at',
    "'2026-01-01T00:00:00.000Z'",
    'it is shown as source_ended, but no rating or claim event in the log makes it source_ended',
  ],
  ['source', "'elsewhere'", 'source is "elsewhere", but its listed versions make it "github.com/'],
  [
    'source_identity',
    "'github.com/else'",
    'source_identity is "github.com/else", but its listed versions make it "github.com/',
  ],
  ['is_current', '0', 'is_current is 0, but its listed versions make it 1'],
  [
    'first_created_at',
    "'2020-01-01T00:00:00.000Z'",
    'first_created_at is "2020-01-01T00:00:00.000Z", but its listed versions make it "2',
  ],
  [
    'pair_until',
    "'2099-01-01T00:00:00.000Z'",
    'pair_until is "2099-01-01T00:00:00.000Z", but its listed versions make it "2',
  ],
  ['proof_class', "'service_receipt'", 'proof_class is "service_receipt", but log entry 2 says "none"'],
  ['outcome', "'succeeded'", 'outcome is "succeeded", but log entry 2 says "failed"'],
];

it.each(ratingEdits)('finds a rating whose %s was set to %s', async (column, value, said) => {
  await editDatabase(DATABASE_URL, 'create table kept as select * from rating');
  await editDatabase(DATABASE_URL, `update rating set ${column} = ${value}`);
  const found = await findFaults(DATABASE_URL);
  await editDatabase(DATABASE_URL, 'delete from rating');
  await editDatabase(DATABASE_URL, 'insert into rating select * from kept');
  await editDatabase(DATABASE_URL, 'drop table kept');
  expect(found.join('\n')).toContain(`rating ${rating_id} of ${subject}: ${said}`);
});

it('finds a claim without any event and one that is gone, and an edited claim and group from outside too', async () => {
  await editDatabase(
    DATABASE_URL,
    `update claim set claimed_at = '2025-01-01T00:00:00.000Z' where handle = '${subject}'`,
  );
  await editDatabase(DATABASE_URL, `update rating set related = 1`);
  const found = await findServedFaults();
  expect(found).toEqual(
    expect.arrayContaining([
      `claim of ${subject}: claimed_at is "2025-01-01T00:00:00.000Z", but its events up to log entry 0 say "${claimed_at}"`,
      `rating ${rating_id} of ${subject}: it is shown as related, but no rating or claim event in the log makes it related`,
    ]),
  );
  await editDatabase(DATABASE_URL, `delete from claim where handle = '${subject}'`);
  expect(await findFaults(DATABASE_URL)).toContain(
    `claim of ${subject}: no claim is shown, but log entry 0 gives it the state claimed`,
  );
  await editDatabase(DATABASE_URL, `update claim set handle = 'com.example/quiet' where handle = '${rater}'`);
  expect(await findFaults(DATABASE_URL)).toContain(
    'claim of com.example/quiet: it is shown as claimed, but no entry of the log records a proof of it',
  );
});
