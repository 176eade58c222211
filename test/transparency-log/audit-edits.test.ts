import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { openOwnEvidence } from '../../src/app/own-evidence.ts';
import { audit } from '../../src/audit/audit.ts';
import { createServedEvidence, type EvidenceReader } from '../../src/audit/served.ts';
import { createServiceClient } from '../../src/audit/service.ts';
import { openDomainDirectory, recorded, wellKnown } from '../claims/domain-directory.ts';
import { createSharedDatabase } from '../support/database.ts';
import { callTool, openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { registryEntry } from '../support/entries.ts';
import { opened, openFolder } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';

const subject = 'com.example/tool';
const friend = 'io.github.bob/friend';
const critic = 'io.github.carol/critic';
const opted = 'io.github.dave/opted';
const returned = 'io.github.erin/returned';
const quiet = 'com.quiet/quiet';
/** The log names it nowhere. */
const unnamed = 'com.never/named';
const file = 'dossier-claim.txt';
const day_s = 86_400;

/** Ratings by name. */
const ids: Record<string, string> = {};

const post = async (tool: string, input: object, as?: string) => {
  return callTool<{ rating_id: string }>(world.directory, tool, input, as);
};
async function rate(name: string, as: string, input: object) {
  const answer = await post(
    'submit_rating',
    ratingOf(subject, {
      interaction_id: name,
      relationship: 'none',
      outcome: 'failed',
      interaction_at: world.directory.context.clock().toISOString(),
      ...input,
    }),
    as,
  );
  expect(answer, name).toMatchObject({ rating_id: expect.any(String) as string });
  ids[name] = answer.rating_id;
}
async function claimByRepository(handle: string, path: string) {
  const repository = world.git.createRepository(path);
  repository.commit({ 'README.md': handle });
  const { file_contents, capability } = await world.claim(handle);
  repository.commit({ [file]: String(file_contents) });
  expect((await world.claim(handle)).status).toBe('claimed');
  return { repository, capability, line: String(file_contents) };
}
const act = (name: string, on: string) => world.directory.act(name, on, 'unlawful');

const DATABASE_URL = await createSharedDatabase();
const world = await opened(
  openDomainDirectory(
    [
      registryEntry(subject),
      recorded(friend, 'bob/friend'),
      recorded(critic, 'carol/critic'),
      recorded(opted, 'dave/opted'),
      recorded(returned, 'erin/returned'),
      registryEntry(quiet),
      registryEntry('com.gone/gone'),
      registryEntry(unnamed),
      registryEntry('com.deleted/deleted'),
    ],
    ['example.com'],
    { DATABASE_URL, LIMITS: 'off' },
  ),
);
const own = await world.ask(subject, { method: 'well_known' });
world.web.files.set(wellKnown, own.challenge);
await world.ask(subject, { method: 'well_known' });
world.setTxt('_dossier-challenge.example.com', own.challenge);
expect(await world.ask(subject, { method: 'dns' })).toMatchObject({ changed: 'moved' });
const byFriend = await claimByRepository(friend, 'bob/friend');
const byCritic = await claimByRepository(critic, 'carol/critic');
for (const handle of [opted, returned]) {
  const [, account = ''] = /github\.(\w+)/.exec(handle) ?? [];
  const { repository, line, capability } = await claimByRepository(
    handle,
    `${account}/${handle.split('/')[1]}`,
  );
  await rate(account, capability, { outcome: 'partial' });
  repository.commit({ [file]: `${line}\noptout ${handle}\n` });
  expect(await world.claim(handle, {}, capability)).toMatchObject({ status: 'opted_out' });
  if (handle === returned) {
    repository.commit({ [file]: line });
    expect(await world.claim(handle)).toMatchObject({ status: 'claimed' });
  }
}
world.directory.wait(9 * day_s);
await rate('praise', byFriend.capability, { outcome: 'succeeded', score: 5 });
await rate('back', own.capability, { handle: friend, outcome: 'succeeded' });
await rate('back-withdrawn', own.capability, { handle: critic, outcome: 'succeeded' });
await rate('criticism', byCritic.capability, { score: 1, comment: 'Slow.' });
const declared = { outcome: 'succeeded', interaction_at: world.directory.context.clock().toISOString() };
await rate('declared', byCritic.capability, { ...declared, relationship: 'paid' });
await rate('declared', byCritic.capability, { ...declared, supersedes: ids.declared });
await rate('independent', byCritic.capability, { outcome: 'succeeded' });
await rate('withdrawn', byCritic.capability, {});
await post('withdraw_rating', { rating_id: ids.withdrawn }, byCritic.capability);
await post('withdraw_rating', { rating_id: ids['back-withdrawn'] }, own.capability);
await rate('withdrawn', byCritic.capability, { outcome: 'partial' });
await post('respond_to_rating', { rating_id: ids.criticism, text: 'Faster now.' }, own.capability);
for (const name of ['voided', 'hidden', 'erased', 'deleted']) await rate(name, byCritic.capability, {});
await rate('about-deleted', byCritic.capability, { handle: 'com.deleted/deleted' });
await act('void', `${ids.voided}`);
await act('hide', `${ids.hidden}`);
await act('erase', `${ids.erased}`);
await act('withdraw', 'com.gone/gone');
await act('hide', quiet);
await world.directory.restore(quiet);
await act('hide', critic);
byFriend.repository.commit({ [file]: 'nothing' });
await world.claimTwice(friend);
byFriend.repository.commit({ [file]: byFriend.line });
expect(await world.claim(friend)).toMatchObject({ changed: 'restored' });
await world.directory.importEntries([
  registryEntry('com.deleted/deleted', {}, { status: 'deleted', updatedAt: '2026-11-20T08:00:00Z' }),
]);

async function findIn(reader: EvidenceReader) {
  const faults: string[] = [];
  const { not_checked } = await audit(reader, [], {
    onFault: ({ where, message }) => void faults.push(`${where}: ${message}`),
  });
  return { faults, not_checked };
}

interface Served {
  readonly status: number;
  readonly body: Buffer;
}
/** Changes an answer of the service. */
type Bend = (path: string, answer: Served) => Served;

/** What both audits find of the database as it is now; the service's answers may be bent on their way. */
async function findFaults(bend?: Bend) {
  const service = await openDirectory({
    entries: [],
    listening: true,
    environment: { DATABASE_URL, LIMITS: 'off', PUBLIC_URL: world.directory.url },
  });
  const clock = () => world.directory.context.clock();
  service.wait((clock().getTime() - Date.now()) / 1000);
  const proxy = createServer(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    const answer = await service.app.request(url, {
      method,
      headers: { 'content-type': 'application/json' },
      body: method === 'POST' ? await text(request) : null,
    });
    const served = { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
    const { status, body } = bend?.(url, served) ?? served;
    response.writeHead(status).end(body);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const { port } = proxy.address() as AddressInfo;
  try {
    return {
      stored: bend ? undefined : await findIn(await openOwnEvidence({ ...service.context, clock })),
      served: await findIn(createServedEvidence(createServiceClient(`http://127.0.0.1:${port}`))),
    };
  } finally {
    proxy.close();
    await service.close();
  }
}

it('a directory with every kind of history has no faults, and what was not checked is said', async () => {
  const { stored, served } = await findFaults();
  expect(stored).toEqual({
    faults: [],
    not_checked: [
      'stated_overlap of 11 ratings: the log does not contain the registry records that this flag depends on',
      'declared_interest of 5 ratings: an erased version of a rating by the same source may have declared an interest',
      'the tree as a whole: there is no checkpoint to compare it with',
    ],
  });
  expect(served).toEqual({
    faults: [],
    not_checked: [
      'stated_overlap of 10 ratings: the log does not contain the registry records that this flag depends on',
      'declared_interest of 5 ratings: an erased version of a rating by the same source may have declared an interest',
      expect.stringMatching(
        /^\d records of withdrawn ratings, or of withdrawn or hidden listings: a service does not give them out$/,
      ),
      expect.stringMatching(/^3 listings that the log names and the service does not show: /),
    ],
  });
});

/** What is done to the database, and faults: of both audits, and of that of the database. */
interface Edit {
  readonly sql: () => readonly string[];
  readonly said?: readonly string[];
  readonly unseen?: readonly string[];
}

const ratingColumns =
  'subject_handle, source_handle, source_capability_id, source_root, source, source_identity, source_root_generation, interaction_at, outcome, content, content_digest, proof_class, related, declared_interest, reciprocal, new_until, created_at, first_created_at, pair_until, is_current';
const insertCopy = (log_index: number) =>
  `insert into rating (id, interaction_id, log_index, ${ratingColumns}) select 'forged-${log_index}', 'forged-${log_index}', ${log_index}, ${ratingColumns} from rating where id = '${ids.independent}'`;
const long_ago = '2025-01-01T00:00:00.000Z';

/** Of edits that are made at once none changes what another one is found by. */
const edits: readonly Record<string, Edit>[] = [
  {
    'a source counted as another one': {
      sql: () => [`update rating set source = 'elsewhere' where id = '${ids.independent}'`],
      said: [`counts of ${subject}: the document has`],
    },
    'a score': {
      sql: () => [`update rating set score = 5 where id = '${ids.criticism}'`],
      said: [`rating <criticism> of ${subject}: score is 5, but log entry # says 1`],
    },
    'praise that is no pair any more': {
      sql: () => [`update rating set reciprocal = 0 where id = '${ids.praise}'`],
      said: [
        `rating <praise> of ${subject}: it is not shown as reciprocal, but the ratings and claim events in the log make it reciprocal`,
      ],
    },
    'praise without a pair that is one': {
      sql: () => [`update rating set reciprocal = 1 where id = '${ids.erin}'`],
      said: [
        `rating <erin> of ${subject}: it is shown as reciprocal, but no rating or claim event in the log makes it reciprocal`,
      ],
    },
    'a listing that the operator withdrew': {
      sql: () => [
        "update listing set withdrawn = null where handle = 'com.gone/gone'",
        "update moderation set ended_by = 1, ended_at = '2026-11-21T00:00:00.000Z', end_reason = 'mistake' where action = 'withdraw'",
      ],
      said: [
        'entry #: it records the action "withdraw" of the operator on listing com.gone/gone, but the action is shown nowhere',
      ],
    },
    'a listing that its publisher opted out': {
      sql: () => [`update listing set withdrawn = null where handle = '${opted}'`],
      said: [`listing ${opted}: it is shown, but log entry # says that it is withdrawn`],
    },
    'hidden texts of a listing': {
      sql: () => [`update listing set hidden = 0 where handle = '${critic}'`],
      unseen: [`listing ${critic}: its texts are shown, but log entry # says that they are hidden`],
    },
    'a claim of a listing that the log does not name': {
      sql: () => [`update claim set handle = '${unnamed}' where handle = '${critic}'`],
      said: [`claim of ${unnamed}: it is shown as claimed, but no entry of the log records a proof of it`],
    },
    'a claim that moved as if it had not': {
      sql: () => [`update claim set kind = 'well_known' where handle = '${subject}'`],
      said: [`claim of ${subject}: kind is "well_known", but its events up to log entry # say "dns"`],
    },
    'the date on which a source ended': {
      sql: () => [
        `update rating set source_ended_at = '2025-01-01T00:00:00.000Z' where source_handle = '${opted}'`,
      ],
      said: [`rating <dave> of ${subject}: its date of source_ended is 2025-01-01`],
    },
  },
  {
    'criticism set apart by what the rated listing states': {
      sql: () => [
        `update rating set stated_overlap = '{"by":"${subject}","of":"${critic}","at":"2026-11-01T00:00:00.000Z"}' where id = '${ids.criticism}'`,
      ],
      said: [
        `rating <criticism> of ${subject}: it is shown as stated_overlap because of a record that cannot set it apart: Set apart because the record of ${subject} named on 2026-11-01 an account or domain that ${critic} holds or has named. The connection is not proven.`,
      ],
    },
    'a voided rating that counts': {
      sql: () => [`update rating set voided_at = null, is_current = 1 where id = '${ids.voided}'`],
      said: [`rating <voided> of ${subject}: voided_at is nothing, but the actions of the operator say "`],
    },
    'texts of a listing that are hidden without an entry': {
      sql: () => [`update listing set hidden = 1 where handle = '${returned}'`],
      unseen: [`listing ${returned}: its texts are hidden, and no log entry says so`],
    },
    'columns of a claim': {
      sql: () => [
        `update claim set claimed_at = '${long_ago}', place = 'https://github.com/else/where', "commit" = 'abc', root = 'github.com/else', root_generation = 7, first_proved_at = '${long_ago}' where handle = '${friend}'`,
      ],
      said: [
        `claim of ${friend}: claimed_at is "${long_ago}", but its events up to log entry # say "`,
        `claim of ${friend}: place is "https://github.com/else/where", but its events up to log entry # say "https://github.com/bob/friend"`,
        `claim of ${friend}: commit is "abc", but its events up to log entry # say "`,
      ],
      unseen: [
        `claim of ${friend}: root is "github.com/else", but its events up to log entry # say "github.com/bob"`,
        `claim of ${friend}: root_generation is 7, but its events up to log entry # say 0`,
        `claim of ${friend}: first_proved_at is "${long_ago}", but its events up to log entry # say "`,
      ],
    },
    'a new source that is shown as none': {
      sql: () => [`update rating set new_until = '${long_ago}' where id = '${ids.praise}'`],
      unseen: [`rating <praise> of ${subject}: its date of new_source is ${long_ago}, but claim events`],
    },
  },
  {
    'criticism set apart by a record that was read after it': {
      sql: () => [
        `update rating set stated_overlap = '{"by":"${critic}","of":"${subject}","at":"2027-11-01T00:00:00.000Z"}' where id = '${ids.criticism}'`,
      ],
      said: [
        `rating <criticism> of ${subject}: it is shown as stated_overlap because of a record that cannot set it apart: Set apart because the record of ${critic} named on 2027-11-01 an account or domain that ${subject} holds or has named. The connection is not proven.`,
      ],
    },
    'a claim that was suspended without an entry': {
      sql: () => [
        `update claim set state = 'suspended', suspended_reason = 'withdrawn' where handle = '${friend}'`,
      ],
      said: [
        `claim of ${friend}: state is "suspended", but its events up to log entry # say "claimed"`,
        `claim of ${friend}: suspended_reason is "withdrawn", but its events up to log entry # say nothing`,
      ],
    },
    'columns of a rating': {
      sql: () => [
        `update rating set outcome = 'succeeded', proof_class = 'service_receipt', related = 1, declared_interest = 1, new_until = '2099-01-01T00:00:00.000Z', source_ended_at = '${long_ago}', source = 'elsewhere', source_identity = 'elsewhere', is_current = 0, first_created_at = '${long_ago}', pair_until = '${long_ago}' where id = '${ids.erin}'`,
      ],
      said: [
        `rating <erin> of ${subject}: outcome is "succeeded", but log entry # says "partial"; proof_class differ too`,
        ...['related', 'declared_interest', 'source_ended', 'new_source'].map(
          (flag) =>
            `rating <erin> of ${subject}: it is shown as ${flag}, but no rating or claim event in the log makes it ${flag}`,
        ),
      ],
      unseen: [
        `rating <erin> of ${subject}: its date of new_source is 2099-01-01T00:00:00.000Z, but claim events in the log lead to 2`,
        `rating <erin> of ${subject}: source is "elsewhere", but its listed versions make it "github.com/erin"`,
        `rating <erin> of ${subject}: source_identity is "elsewhere", but its listed versions make it "github.com/erin"`,
        `rating <erin> of ${subject}: is_current is 0, but its listed versions make it 1`,
        `rating <erin> of ${subject}: pair_until is "${long_ago}", but its listed versions make it "2`,
        `rating <erin> of ${subject}: first_created_at is "${long_ago}", but its listed versions make it "2`,
      ],
    },
    'an action that is ended without an entry, and one with another statement': {
      sql: () => [
        `update moderation set ended_by = 1, ended_at = '${long_ago}', end_reason = 'mistake' where target = '${ids.hidden}'`,
        "update moderation set statement = 'Never.' where action = 'void'",
      ],
      said: [
        'entry #: it records the action "hide" of the operator on rating <hidden>, but the action is shown nowhere',
        'rating <voided>: it shows the action "void" of the operator by entry #, but that entry says something else',
      ],
    },
  },
  {
    'texts and ends of ratings, and a claim event': {
      sql: () => [
        'update rating set superseded_by = null',
        `update rating set withdrawn_at = null where id = '${ids['back-withdrawn']}'`,
        "update rating_response set text = 'Never happened.'",
        `update claim_event set place = 'https://github.com/else/where' where handle = '${friend}'`,
      ],
      said: [
        ': superseded_by is nothing, but log entry # says "<declared>"',
        'rating <back-withdrawn>: withdrawn_at is nothing, but log entry # says "2',
        'response to rating <criticism>: text is "Never happened.", but log entry # says "Faster now."',
        'repository is "https://github.com/else/where", but log entry # says "https://github.com/bob/friend"',
      ],
    },
    'a rating that is hidden without an entry': {
      sql: () => [
        `insert into moderation (log_index, action, target_kind, target, handle, record_indexes, reason, statement, at) select 9999, 'hide', 'rating', id, subject_handle, '[' || log_index || ']', 'personal_data', 'The operator hid it.', '${long_ago}' from rating where id = '${ids.criticism}'`,
      ],
      said: [
        'rating <criticism>: it shows the action "hide" of the operator by entry #, but that entry records no action',
      ],
    },
    'a rating that is voided without an entry': {
      sql: () => [
        `update rating set is_current = 0, voided_at = '${long_ago}' where id = '${ids.criticism}'`,
      ],
      said: [`counts of ${subject}: the document has 1 as voided, but the listed records lead to 2`],
    },
  },
  {
    'a rating that is left out of the counts': {
      sql: () => [`update rating set is_current = 0 where id = '${ids.criticism}'`],
      said: [`counts of ${subject}: the document has`],
    },
    'a claim that is gone': {
      sql: () => [`delete from claim where handle = '${friend}'`],
      said: [`claim of ${friend}: no claim is shown, but log entry # gives it the state claimed`],
    },
  },
  {
    'rows that were deleted': {
      sql: () => [
        `delete from rating where id = '${ids.criticism}'`,
        'delete from rating_response',
        `delete from claim_event where handle in ('${friend}', '${returned}')`,
      ],
      said: [
        `entry #: it records rating <criticism> of ${subject}, but no listing shows that`,
        'entry #: it records a response to rating <criticism>, but no listing shows that',
        `entry #: it records the event "activated" of ${friend}, but no listing shows that`,
        `entry #: it records the event "listing_restored" of ${returned}, but no listing shows that`,
      ],
    },
  },
  {
    'an action that was moved to another rating': {
      sql: () => [
        `update rating set voided_at = null, is_current = 1 where id = '${ids.voided}'`,
        `update rating set is_current = 0, voided_at = (select at from moderation where action = 'void') where id = '${ids.criticism}'`,
        `update moderation set target = '${ids.criticism}', record_indexes = (select '[' || log_index || ']' from rating where id = '${ids.criticism}') where action = 'void'`,
      ],
      said: [
        `rating <criticism>: it shows the action "void" of the operator by entry #, but that entry is about rating <voided>`,
      ],
    },
    'rows under the number of another entry, and under none': {
      sql: () => [insertCopy(0), insertCopy(9999)],
      said: [
        'but log entry # says nothing; ',
        `rating forged-9999 of ${subject}: it is shown and names entry #, but no record of that entry is stored`,
      ],
    },
  },
  {
    'a listing that is withdrawn without an entry': {
      sql: () => [`update listing set withdrawn = 'operator' where handle = '${subject}'`],
      unseen: [`listing ${subject}: it is withdrawn (operator), and no log entry says so`],
    },
  },
  {
    'a listing that is gone while its claim is in force': {
      sql: () => [`update listing set withdrawn = 'deleted' where handle = '${subject}'`],
      unseen: [`claim of ${subject}: it is in force, and the listing is withdrawn (deleted)`],
    },
  },
];

/** A fault with the ids of ratings in the place of their names. */
const withIds = (said: string) => said.replaceAll(/<([\w-]+)>/g, (_all, name: string) => ids[name] ?? '');
/** All faults, without the numbers of entries, which differ between engines. */
const textOf = (faults: readonly string[] = []) => faults.join('\n').replaceAll(/entry \d+/g, 'entry #');

const tables = ['rating', 'listing', 'claim', 'moderation', 'rating_response', 'claim_event'];
describe.each(edits)('an edit of the database:', (together) => {
  let found: Awaited<ReturnType<typeof findFaults>>;
  beforeAll(async () => {
    const edit = (text: string) => editDatabase(DATABASE_URL, text);
    for (const table of tables) await edit(`create table kept_${table} as select * from ${table}`);
    for (const { sql } of Object.values(together)) for (const change of sql()) await edit(change);
    found = await findFaults();
    for (const table of tables) {
      await edit(`delete from ${table}`);
      await edit(`insert into ${table} select * from kept_${table}`);
      await edit(`drop table kept_${table}`);
    }
  });
  it.each(Object.entries(together))('%s', (_, { said = [], unseen = [] }) => {
    for (const one of said) expect(textOf(found.served.faults)).toContain(withIds(one));
    for (const one of [...said, ...unseen]) expect(textOf(found.stored?.faults)).toContain(withIds(one));
  });
});

const bendText =
  (path: string, from: string | RegExp, to: string): Bend =>
  (asked, answer) =>
    asked === path ? { ...answer, body: Buffer.from(answer.body.toString().replace(from, to)) } : answer;
const document = `/agents/${subject}.json`;

let lastListed: Served | undefined;
/** What a service that lies answers, and a fault of the audit over HTTP. */
const lies: Record<string, [bend: Bend, said: string]> = {
  'a larger total': [
    bendText(document, /"native":\{("statement":"[^"]*"),"ratings":\d+/, '"native":{$1,"ratings":99'),
    `counts of ${subject}: the document has 99 as ratings, but the listed records lead to`,
  ],
  'fewer flags': [
    bendText(document, /"flags":\{"[^}]*\}/, '"flags":{}'),
    `counts of ${subject}: the document has {} as flags, but the listed records lead to`,
  ],
  'another outcome in the newest ratings': [
    bendText(document, /("recent":\[\{[^}]*"outcome":)"\w+"/, '$1"succeeded"'),
    `of ${subject}: the document has "succeeded" as outcome, but the listed records lead to "failed"`,
  ],
  'a rating that is listed twice': [
    (path, answer) => {
      if (path !== '/api/tools/list_ratings') return answer;
      const listed = JSON.parse(answer.body.toString()) as { ratings: unknown[] };
      return {
        ...answer,
        body: Buffer.from(JSON.stringify({ ...listed, ratings: [...listed.ratings, ...listed.ratings] })),
      };
    },
    `rating <criticism> of ${subject}: it is listed 2 times`,
  ],
  'ratings of another listing': [
    (path, answer) => {
      if (path !== '/api/tools/list_ratings') return answer;
      const isOwn = answer.body.toString().includes(`${ids.criticism}`);
      if (isOwn) lastListed = answer;
      return isOwn ? answer : (lastListed ?? answer);
    },
    `rating <criticism> of ${returned}: it is listed here, but it is about ${subject}`,
  ],
  'a history of one event a hundred times': [
    (path, answer) => {
      if (path !== `/agents/${friend}.json`) return answer;
      const shown = JSON.parse(answer.body.toString()) as { claim: { history: unknown[] } };
      shown.claim.history = Array.from({ length: 100 }, () => shown.claim.history.at(-1));
      return { ...answer, body: Buffer.from(JSON.stringify(shown)) };
    },
    `it records the event "suspended" of ${friend}, but no listing shows that`,
  ],
  'a checkpoint that nobody signed': [
    bendText('/log/checkpoint', /\n— .*\n$/, '\n'),
    'checkpoint of log 1: it is not',
  ],
  'a checkpoint of another tree': [
    bendText('/log/checkpoint', /\n(\d+)\n[^\n]*\n/, `\n$1\n${Buffer.alloc(32).toString('base64')}\n`),
    'checkpoint of log 1: it is not signed by the key of the log, ',
  ],
  'a key that cannot be read': [
    bendText('/log', /"key":"[^"]*"/, '"key":"none"'),
    'checkpoint of log 1: its signature cannot be checked, because the key of the log is unknown',
  ],
  'a checkpoint of a log that is not there, without a key': [
    (path, answer) =>
      bendText(
        '/log/checkpoint',
        /^([^\n]*\/log)\n/,
        '$1/7\n',
      )(path, bendText('/log', /"key":"[^"]*"/, '"key":"none"')(path, answer)),
    'checkpoint of log 1: it is a checkpoint of log 7',
  ],
  'a log without its last entry': [
    bendText('/log', /"entries":(\d+)/, '"entries":5'),
    'entries, but the log has only 5: entries were lost',
  ],
};

it.each(Object.entries(lies))('a service that shows %s is found', async (_, [bend, said]) => {
  const { served } = await findFaults(bend);
  expect(textOf(served.faults)).toContain(withIds(said));
});

it('holds a database against its checkpoint file, and finds one of another log or of none', async () => {
  const { context } = world.directory;
  const folder = openFolder();
  const checkpointFile = join(folder, 'checkpoint');
  const checkpoint = await (await world.directory.app.request('/log/checkpoint')).text();
  const findWith = async (content: string) => {
    writeFileSync(checkpointFile, content);
    return findIn(await openOwnEvidence({ ...context, config: { ...context.config, checkpointFile } }));
  };
  const honest = await findWith(checkpoint);
  expect(honest.faults).toEqual([]);
  expect(honest.not_checked.join('\n')).not.toContain('checkpoint');
  const other = await findWith(checkpoint.replace('/log\n', '/log/2\n'));
  expect(textOf(other.faults)).toMatch(/^checkpoint of log 1: it is (not signed|a checkpoint of log 2)/);
  const torn = await findWith('torn');
  expect(torn.faults).toEqual(['checkpoint of log 1: it is not a checkpoint (C2SP tlog-checkpoint)']);
});

it('a service that names the same page of ratings again and again does not keep the audit of it from ending', async () => {
  let pages = 0;
  let last: Served = { status: 500, body: Buffer.alloc(0) };
  const { served } = await findFaults((path, answer) => {
    if (!path.startsWith('/api/tools/list_ratings')) return answer;
    pages += 1;
    if (answer.status !== 200) return last;
    const page = JSON.parse(answer.body.toString('utf8')) as object;
    last = { ...answer, body: Buffer.from(JSON.stringify({ ...page, next_cursor: 'again' })) };
    return last;
  });
  expect(served.faults.join('\n')).toContain('it is listed 2 times');
  expect(pages).toBeLessThan(100);
});
