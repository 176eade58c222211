import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { actions } from '../../src/actions/actions.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { whereShown } from '../support/doors.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openFolder } from '../support/opened.ts';
import { operationsOf } from '../support/operations.ts';
import { ratingOf } from '../support/ratings.ts';

type Json = Record<string, unknown>;
const subject = 'co.webhook/webhook';
const rater = 'com.politicalcomms/api';
const listing = `/agents/${subject}`;

const titled = 'org.twin/a';
/** Two namespaces below that of one owner of a domain. */
const below = ['com.evil.two/x', 'com.Evil/x'];
const entries = [
  ...seedEntries,
  ...below.map((handle) => registryEntry(handle)),
  registryEntry('com.evilest/x'),
  registryEntry(titled, { title: 'Lighthouse keeper' }),
  registryEntry('net.other/b', { title: 'Lighthouse keeper' }),
];

const folder = openFolder();
const VIEWS = join(folder, 'views.json');
const view = { title: 'With an endpoint', criteria: [{ criterion: 'has_endpoint' }] };

/** Another process on the same database. */

const DATABASE_URL = await createSharedDatabase();
writeFileSync(VIEWS, JSON.stringify({ endpoints: view }));
const environment = {
  DATABASE_URL,
  LOG_LEVEL: 'silent',
  REGISTRY_URL: 'off',
  PUBLIC_URL: 'http://127.0.0.1:3000',
};
const directory = await opened(
  openClaimedDirectory({
    entries,
    listening: true,
    environment: { DATABASE_URL, OPERATOR_CONTACT: 'appeals@example.org', VIEWS },
  }),
);
const nodeStore = await opened(openDatabase(DATABASE_URL));
const node = operationsOf({ ...directory.context, store: nodeStore });
const capability = await directory.claim(rater, 'Political-Comms/political-comms-sdk');
const owner = await directory.claim(subject, 'webhook-co/webhook');
afterAll(async () => {
  await node.close();
});

const post = async (tool: string, body: object, secret?: string): Promise<Json> =>
  (await directory.post(`/api/tools/${tool}`, body, secret)).json() as Promise<Json>;
const rate = async (interaction_id: string, change: object = {}) =>
  String(
    (
      await post(
        'submit_rating',
        ratingOf(subject, {
          interaction_id,
          outcome: 'failed',
          comment: 'Ask Jane Doe of Springfield',
          ...change,
        }),
        capability,
      )
    ).rating_id,
  );
const text = async (path: string, accept = '*/*') =>
  (await directory.app.request(path, { headers: { accept } })).text();
const json = async (path: string) => JSON.parse(await text(path)) as Json;
/** Waits until the service has seen what another process changes. */
async function seenAfter<T>(work: () => Promise<T>): Promise<T> {
  const seen = new Promise<void>((resolve) => {
    const stop = directory.store.onChange(() => {
      stop();
      resolve();
    });
  });
  const result = await work();
  await seen;
  return result;
}
/** Applies an action on another node. */
const act = (name: string, on: string, reason: string) => seenAfter(() => node.act(name, on, reason));
/** Undoes everything that stands, on another node. */
const restore = (on: string) => seenAfter(() => node.restore(on));
/** Every face that shows what a rating says. */
const faces = async (rating_id: string) =>
  [
    await text(`${listing}`),
    await text(`${listing}/ratings`),
    await text(`${listing}.json`),
    await text(`${listing}.md`),
    JSON.stringify(await post('list_ratings', { handle: subject })),
    JSON.stringify(await post('get_agent', { handle: subject })),
    JSON.stringify(await post('get_proof', { rating_id })),
  ].join('\n');
/** Every action adds to the history, of which the page has a picture. */
const withoutHistory = (page: string) => page.replace(/<figure class="picture axis">.*?<\/figure>/s, '');
/** The faces without what changes with the log. */
const shown = async () => [
  withoutHistory(await text(listing, 'text/html')),
  await text(`${listing}/ratings`, 'text/html'),
  await text(`${listing}.json`),
  await text(`${listing}.md`),
  JSON.stringify(await post('list_ratings', { handle: subject })),
  JSON.stringify(await post('search_agents', { query: 'webhook' })),
  await text(`/badge/${subject}`),
];

it('a hidden rating keeps its place and its count, says why where its text was, and comes back as it was', async () => {
  const rating_id = await rate('job-hidden');
  const before = await shown();
  const { statement } = await act('hide', rating_id, 'personal_data');
  expect(statement).toMatch(
    /The operator of this directory hid the texts of this rating on \d{4}-\d\d-\d\d, because it has personal data that should not be public\. The rating counts as before; any older version of it is hidden too\.$/,
  );
  expect(await faces(rating_id)).not.toContain('Jane Doe');
  expect((await faces(rating_id)).split('hid the texts of this rating').length).toBeGreaterThan(4);
  const document = await json(`${listing}.json`);
  expect(document).toMatchObject({
    appeal:
      'To appeal against an action of the operator, write to appeals@example.org and name its log index.',
    signals: { native: { ratings: 1, hidden: 1, voided: 0 } },
  });
  expect(await text(`${listing}/ratings`, 'text/html')).toContain(
    '<a href="/about#operator">Appeal to the operator</a>',
  );
  for (const side of [subject, rater])
    expect(await text(`/agents/${side}/feed.json`)).toContain(
      'action of the operator (hide rating, personal data)',
    );
  expect(await directory.audit()).toEqual([]);
  await restore(rating_id);
  expect(await shown()).toEqual(before);
  expect(await faces(rating_id)).toContain('Jane Doe');
  expect(await directory.audit()).toEqual([]);
});

it('a hidden response leaves the rating that it answers', async () => {
  const rating_id = await rate('job-answered', { comment: 'Slow' });
  await post('respond_to_rating', { rating_id, text: 'Jane Doe is a liar' }, owner);
  const before = await shown();
  await act('hide', `response:${rating_id}`, 'threat_or_insult');
  const records = JSON.stringify(await post('list_ratings', { handle: subject }));
  expect(records).toContain('hid the text of this response');
  expect(records).toContain('Slow');
  expect(records).not.toContain('is a liar');
  expect(await directory.audit()).toEqual([]);
  await restore(`response:${rating_id}`);
  expect(await shown()).toEqual(before);
});

it('a hidden rating takes no response, which would say again what it said', async () => {
  const rating_id = await rate('job-answered-late');
  const form = `<input type="hidden" name="rating_id" value="${rating_id}">`;
  expect(await text(`${listing}/ratings`, 'text/html')).toContain(form);
  await act('hide', rating_id, 'personal_data');
  expect(await text(`${listing}/ratings`, 'text/html')).not.toContain(form);
  expect(
    await post('respond_to_rating', { rating_id, text: 'Jane Doe never called us' }, owner),
  ).toMatchObject({
    code: 'rating_not_current',
    detail: expect.stringMatching(/^The operator hid this rating; list_ratings has the reason\./),
  });
  expect(await text(`${listing}.md`)).not.toContain('Jane Doe never called us');
});

describe('a voided rating', () => {
  it('is one that counts: a version that was amended is refused, and nothing is logged', async () => {
    const sent = ratingOf(subject, { interaction_id: 'job-amended' });
    const first = (await post('submit_rating', sent, capability)) as { rating_id: string };
    await post('submit_rating', { ...sent, score: 2, supersedes: first.rating_id }, capability);
    const entries = await directory.store.log.size();
    await expect(act('void', first.rating_id, 'no_interaction')).rejects.toThrow(
      'only a current rating can be voided; this one was amended, withdrawn or erased',
    );
    expect(await directory.store.log.size()).toBe(entries);
  });
  it('is in no group, is counted as voided, and cannot be made again', async () => {
    const rating_id = await rate('job-void');
    const before = await shown();
    const { signals } = (await json(`${listing}.json`)) as { signals: { native: { ratings: number } } };
    await act('void', rating_id, 'no_interaction');
    expect(await json(`${listing}.json`)).toMatchObject({
      signals: { native: { ratings: signals.native.ratings - 1, voided: 1 } },
    });
    expect(await text(`${listing}.md`)).toContain('voided by the operator');
    expect(await faces(rating_id)).toContain('Not counted: 1 rating that the operator voided.');
    const sent = { handle: subject, interaction_id: 'job-void', interaction_at: '2026-11-20T10:00:00Z' };
    const content = { outcome: 'succeeded', protocol: 'mcp', relationship: 'customer' };
    expect(await post('submit_rating', { ...sent, ...content }, capability)).toMatchObject({
      code: 'rating_exists',
    });
    expect(
      await post('submit_rating', { ...sent, ...content, supersedes: rating_id }, capability),
    ).toMatchObject({ code: 'rating_not_current' });
    expect(await directory.audit()).toEqual([]);
    await restore(rating_id);
    expect(await shown()).toEqual(before);
  });
});

describe('a hidden listing', () => {
  it('shows no text of its publisher, is not found by it, and stays so after an import', async () => {
    const before = await shown();
    const words = 'Receive, inspect, replay and deliver webhooks, with signature';
    const name = encodeURIComponent(subject);
    const shownAt = () =>
      whereShown(
        directory,
        { handles: [subject], query: 'webhook', tag: 'webhooks', view: 'endpoints' },
        words,
      );
    expect(await shownAt()).toEqual(
      expect.arrayContaining([
        listing,
        `${listing}.json`,
        `${listing}.md`,
        '/agents?q=webhook',
        '/tags/webhooks',
        '/v0.1/servers?search=webhook',
        `/v0.1/servers/${name}`,
        `/v0.1/servers/${name}/versions`,
        '/views/endpoints',
        '/views/endpoints/v0.1/servers',
        '/publishers/co.webhook',
        `agent://${subject}`,
        `/views/endpoints/v0.1/servers/${name}/versions`,
        'search_agents {"query":"webhook"}',
        `/views/endpoints/v0.1/servers/${name}/versions/latest`,
      ]),
    );
    await act('hide', subject, 'advertising');
    await directory.importEntries(entries);
    expect(await shownAt()).toEqual([]);
    expect(await json(`${listing}.json`)).toMatchObject({
      description: '',
      moderation: [{ action: 'hide', reason: 'advertising' }],
    });
    expect(JSON.stringify(await post('search_agents', { query: 'replay' }))).not.toContain(subject);
    expect(await post('get_agent', { handle: subject })).toMatchObject({
      description: '',
      notes: [
        expect.stringMatching(/^The operator .*because it advertises.* Log index \d+\.$/),
        expect.stringContaining('appeals@example.org'),
      ],
    });
    const client = await opened(connect('v1', { app: directory.app }));
    const { content } = await client.call('get_agent', { handle: subject });
    expect((content[0] as { text: string }).text).not.toContain('\n“”');
    expect(await text(listing, 'text/html')).not.toContain('“”');
    expect(await directory.audit()).toEqual([]);
    await restore(subject);
    expect(await shown()).toEqual(before);
  });
  it('is similar to none by its title', async () => {
    const alike = async (handle: string) =>
      JSON.stringify((await post('search_agents', { similar_to: handle })).listings);
    expect(await alike('net.other/b')).toContain('lighthouse');
    await act('hide', titled, 'impersonation');
    expect(await alike('net.other/b')).not.toContain(titled);
    expect(await alike(titled)).not.toContain('net.other/b');
    await restore(titled);
    expect(await alike('net.other/b')).toContain(titled);
  });
});

it('a withdrawn listing answers 410 with the reason and the way to appeal, cannot write, and comes back as it was', async () => {
  const before = await shown();
  await act('withdraw', subject, 'malicious');
  await directory.importEntries(entries);
  const gone = await directory.app.request(listing, { headers: { accept: 'text/html' } });
  expect(gone.status).toBe(410);
  expect(await gone.text()).toMatch(
    /withdrew this listing on .*because it leads to malware, phishing or fraud.* Log index <a href="\/log\/entry\/\d+">\d+<\/a>\. .*write to <a href="mailto:appeals@example\.org">appeals@example\.org<\/a> and name/,
  );
  expect(await post('get_agent', { handle: subject })).toMatchObject({
    code: 'listing_withdrawn',
    detail: expect.stringContaining('withdrew this listing'),
  });
  expect(JSON.stringify(await post('search_agents', { query: 'webhook' }))).not.toContain(subject);
  expect((await directory.app.request(`/v0.1/servers/${encodeURIComponent(subject)}`)).status).toBe(404);
  expect(
    await post(
      'submit_rating',
      ratingOf(rater, { interaction_id: 'x', outcome: 'failed', relationship: 'none' }),
      owner,
    ),
  ).toMatchObject({
    code: 'writing_blocked',
  });
  expect(await text(`${listing}/feed.json`)).toContain(
    'action of the operator (withdraw listing, malicious)',
  );
  expect(await directory.audit()).toEqual([]);
  await restore(subject);
  expect(await shown()).toEqual(before);
  expect(
    (await directory.app.request('/api/capability', { headers: { authorization: `Bearer ${owner}` } }))
      .status,
  ).toBe(200);
});

describe('a writer', () => {
  const whoAmI = async (secret = capability) => {
    const answer = await directory.app.request('/api/capability', {
      headers: { authorization: `Bearer ${secret}` },
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  it.each([
    ['revoke', 'capability', 'stolen_capability', 401, 'capability_revoked'],
    ['block', 'namespace:com.politicalcomms', 'repeated', 403, 'writing_blocked'],
    ['block', 'namespace:COM.politicalcomms', 'repeated', 403, 'writing_blocked'],
    ['block', 'account:github.com/Political-Comms', 'repeated', 403, 'writing_blocked'],
  ])(
    '%s %s: is told why and how to appeal, and where it looks',
    async (action, named, reason, status, code) => {
      const { capability_id } = (await whoAmI()).body;
      const target = named === 'capability' ? String(capability_id) : named;
      await act(action, target, reason);
      const refused = await whoAmI();
      expect(refused).toMatchObject({ status, body: { code } });
      expect((await whoAmI(owner)).status).toBe(200);
      expect(String(refused.body.detail)).toContain('appeals@example.org');
      expect(await json(`/agents/${rater}.json`)).toMatchObject({
        state: 'claimed',
        moderation: [{ action, reason }],
      });
      expect(await post('get_agent', { handle: rater })).toMatchObject({
        notes: [
          expect.stringMatching(/^The operator .* Log index \d+\.$/),
          expect.stringContaining('appeals@'),
        ],
      });
      if (action === 'block') expect(await post('claim_agent', { handle: rater })).toMatchObject({ code });
      expect(await directory.audit()).toEqual([]);
      await restore(target);
      expect((await whoAmI()).status).toBe(200);
    },
  );
  it.each(['namespace:com.evil', 'account:evil.com'])(
    'whom %s keeps from writing is not another one by one more label or by capitals',
    async (target) => {
      await act('block', target, 'repeated');
      for (const handle of below)
        expect(await post('claim_agent', { handle, method: 'dns' })).toMatchObject({
          code: 'writing_blocked',
        });
      expect(await post('claim_agent', { handle: 'com.evilest/x', method: 'dns' })).toMatchObject({
        status: 'challenge_issued',
      });
      await restore(target);
    },
  );
  it('from a blocked network can read and cannot write, and the log names no address', async () => {
    const sent = () =>
      fetch(`${directory.url}/api/feedback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"message":"x"}',
      });
    expect((await sent()).status).toBe(200);
    const { log_index } = await act('block', 'network:127.0.0.0/8', 'overload');
    expect((await sent()).status).toBe(403);
    expect((await fetch(`${directory.url}${listing}`)).status).toBe(200);
    const proof = JSON.stringify(await post('get_proof', { log_index }));
    expect(proof).toMatch(
      /blocked a network from writing on .*\. Everything that was written before the block stays, and reading is open as before\./,
    );
    expect(proof).not.toContain('127.0.0.0');
    await restore('network:127.0.0.0/8');
    expect((await sent()).status).toBe(200);
  });
});

it('an erased rating says who erased it and why, and nothing brings it back', async () => {
  const rating_id = await rate('job-erased', { comment: 'Jane Doe lives in Elm Street' });
  await act('erase', rating_id, 'personal_data');
  expect(await faces(rating_id)).not.toContain('Elm Street');
  expect(JSON.stringify(await post('list_ratings', { handle: subject }))).toContain(
    'erased what this rating said',
  );
  expect(await directory.audit()).toEqual([]);
  await expect(restore(rating_id)).rejects.toThrow('nothing undoes erase');
  expect(await directory.audit()).toEqual([]);
});

describe('dossier moderate', () => {
  it('acts, lists what stands, and undoes it', async () => {
    const run = async (...words: string[]) => (await runDossier(['moderate', ...words], environment)).stdout;
    const rating_id = await rate('job-command');
    expect(await run('hide', rating_id, '--reason', 'personal_data', '--dry-run')).toMatch(
      /^This would be published for good:\nhide \S+; entry \d+ of the log says so\nThe operator of this directory hid the texts of this rating.*\nNothing was changed\.\n$/s,
    );
    expect(await run('list')).not.toContain(rating_id);
    expect(await run('hide', rating_id, '--reason', 'personal_data')).toMatch(
      /^hide \S+; entry \d+ of the log says so\nThe operator of this directory hid the texts of this rating/,
    );
    expect(await run('list')).toContain(`hide  rating ${rating_id}  personal_data\n`);
    const again = ['moderate', 'hide', rating_id, '--reason', 'advertising'];
    expect(await runDossier(again, environment)).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/log entry \d+ did this already and is still in force/) as string,
    });
    expect(await run('hide', rating_id, '--undo', '--reason', 'mistake')).toMatch(
      /^undid hide \S+; entry \d+ of the log says so\n$/,
    );
  });
  it.each([
    [['hide', 'nothing', '--reason', 'personal_data'], 'name rating, response, listing'],
    [
      ['hide', 'no.such/listing', '--reason', 'personal_data'],
      'there is no listing no.such/listing; nothing was changed',
    ],
    [['hide', subject, '--reason', 'because'], '--reason because: one of personal_data, unlawful'],
    [
      ['block', 'network:2001:db8::/96', '--reason', 'overload'],
      'network:2001:db8::/96: name namespace, account, network',
    ],
    [
      ['block', 'network:198.51.100.7/', '--reason', 'overload'],
      'network:198.51.100.7/: name namespace, account, network',
    ],
    [
      ['block', 'network:fe80::1%eth0', '--reason', 'overload'],
      'network:fe80::1%eth0: name namespace, account, network',
    ],
    [
      ['block', 'network:::ffff:c633:6407', '--reason', 'overload'],
      'network:::ffff:c633:6407: name namespace, account, network',
    ],
    [['restore', subject, '--reason', 'appeal'], `no action in force on ${subject} can be undone`],
  ])('refuses %j with 64 and one line', async (words, said) => {
    const { code, stderr } = await runDossier(['moderate', ...words], environment);
    expect(code).toBe(64);
    expect(stderr).toContain(said);
  });
});

it('docs/moderation.md lists every action with its targets and reasons', () => {
  const rows = readFileSync('docs/moderation.md', 'utf8').matchAll(
    /^\| `(\w+)` \| ([^|]+) \|.*\| ([^|]+) \|$/gm,
  );
  expect([...rows].map(([, ...cells]) => cells)).toEqual(
    actions.map(({ name, targets, reasons }) => [
      name,
      targets.join(', '),
      reasons.map((reason) => `\`${reason}\``).join(', '),
    ]),
  );
});

it('/transparency.json counts every action by month, action, kind and reason, and those that were undone', async () => {
  const { actions, months, statement } = (await json('/transparency.json')) as {
    actions: Json;
    months: Json[];
    statement: string;
  };
  expect(statement).toContain(
    'The counts do not cover deletions in the registry, opt-outs by publishers, or',
  );
  expect(actions).toEqual({
    hide: { applied: 6, undone: 5 },
    withdraw: { applied: 1, undone: 1 },
    void: { applied: 1, undone: 1 },
    revoke: { applied: 1, undone: 1 },
    block: { applied: 6, undone: 6 },
    erase: { applied: 1, undone: 0 },
  });
  const month = new Date().toISOString().slice(0, 7);
  expect(months.map((row) => Object.values(row).join(' ')).toSorted()).toEqual([
    `${month} block account repeated 2 2`,
    `${month} block namespace repeated 3 3`,
    `${month} block network overload 1 1`,
    `${month} erase rating personal_data 1 0`,
    `${month} hide listing advertising 1 1`,
    `${month} hide listing impersonation 1 1`,
    `${month} hide rating personal_data 3 2`,
    `${month} hide response threat_or_insult 1 1`,
    `${month} revoke capability stolen_capability 1 1`,
    `${month} void rating no_interaction 1 1`,
    `${month} withdraw listing malicious 1 1`,
  ]);
});
