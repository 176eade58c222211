import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audit } from '../../src/audit/audit.ts';
import { createStoredEvidence } from '../../src/audit/stored.ts';
import { readTarget } from '../../src/moderation/action.ts';
import { actions, applyAction } from '../../src/moderation/actions.ts';
import type { ModerationReason } from '../../src/moderation/moderation.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { onGitHub } from '../support/registry-entries.ts';

type Json = Record<string, unknown>;
const subject = 'co.webhook/webhook';
const rater = 'com.rater/api';

let directory: ClaimedDirectory;
let owner: string;
let source: string;
let made = 0;
beforeAll(async () => {
  directory = await openClaimedDirectory({
    entries: [...seedEntries, registryEntry(rater, onGitHub('rater/api'))],
  });
  owner = await directory.claim(subject, 'webhook-co/webhook');
  source = await directory.claim(rater, 'rater/api');
});
afterAll(() => directory.close());

const call = async (tool: string, body: object, secret?: string) =>
  (await (await directory.post(`/api/tools/${tool}`, body, secret)).json()) as Json;

/** What a source wrote about one interaction; everything that it sent has the word in it. */
function createInteraction() {
  const word = `zebulon${made++}`;
  const interaction_at = directory.context.clock().toISOString();
  const ids: string[] = [];
  const rate = async (change: object = {}) => {
    directory.wait(1);
    const sent = {
      ...{ handle: subject, interaction_id: `job-${word}`, interaction_at, protocol: 'mcp' },
      ...{ relationship: 'none', outcome: 'failed', comment: `${word} says ${ids.length}`, operation: word },
      ...{ tags: [word], evidence: [{ kind: 'trace_id', value: word }], ...change },
    };
    const { rating_id } = await call('submit_rating', sent, source);
    ids.push(String(rating_id));
  };
  const respond = (at: number) =>
    call('respond_to_rating', { rating_id: ids[at], text: `${word} did not` }, owner);
  const withdraw = (at: number) =>
    call('withdraw_rating', { rating_id: ids[at], reason: 'other', note: word }, source);
  const moderate = (name: string, at: number, kind = '') => {
    const [action, target] = [actions.find((one) => one.name === name), readTarget(`${kind}${ids[at]}`)];
    if (!action || !target) throw new Error(`${name} ${kind}`);
    const now = directory.context.clock().toISOString();
    const reason: ModerationReason = 'personal_data';
    return directory.store.write((tx) => applyAction(tx, action, { target, at: now, reason }));
  };
  const amend = (change: object = {}) => rate({ supersedes: ids.at(-1), ...change });
  return { word, ids, rate, amend, respond, withdraw, moderate };
}
type Interaction = ReturnType<typeof createInteraction>;

const pages = [subject, rater].flatMap((handle) =>
  ['', '.json', '.md', '/ratings', '/ratings?group=new_source', '/history', '/history.json', '/badge'].map(
    (end) => `/agents/${handle}${end}`,
  ),
);
const others = [
  ...[
    '/',
    '/?q=webhook',
    '/changes?since=0',
    '/feed.atom',
    '/feed.json',
    '/transparency',
    '/transparency.json',
  ],
  ...['/log', '/log/checkpoint', '/log/tile/0/000.p/1', '/v0.1/servers', `/badge/${subject}`],
  ...[`/v0.1/servers/${encodeURIComponent(subject)}/versions/latest`, '/sitemap.xml', '/llms.txt'],
  ...[`/compare?handles=${subject},${rater}`, `/agents/${subject}/card.png`],
];

/** Every public door, by name, and what it answers. */
async function readDoors({ ids }: Interaction): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const size = await directory.store.log.size();
  const entries = Array.from({ length: size }, (_, at) => `/log/entry/${at}`);
  for (const path of [...pages, ...others, ...entries])
    found.set(path, await (await directory.app.request(path)).text());
  const client = await connect('v2', { app: directory.app });
  const asked: [string, Json][] = [
    ['get_agent', { handle: subject, detail: 'full' }],
    ['get_agent', { handle: rater, detail: 'full' }],
    ['list_ratings', { handle: subject }],
    ['compare_agents', { handles: [subject, rater] }],
    ['search_agents', { query: 'webhook' }],
    ...entries.map((_, log_index): [string, Json] => ['get_proof', { log_index }]),
    ...ids.map((rating_id): [string, Json] => ['get_proof', { rating_id }]),
  ];
  for (const [tool, input] of asked)
    found.set(`${tool} ${JSON.stringify(input)}`, JSON.stringify(await client.call(tool, input)));
  const uri = `agent://${subject}`;
  found.set(uri, JSON.stringify(await client.read(uri).catch(() => [])));
  await client.close();
  return found;
}

/** The doors that still show something of an interaction. */
const findShown = async (interaction: Interaction): Promise<string[]> =>
  [...(await readDoors(interaction))]
    .filter(([, text]) => text.includes(interaction.word))
    .map(([door]) => door);

async function faults(): Promise<string[]> {
  const found: string[] = [];
  const reader = createStoredEvidence(directory.context);
  await audit(reader, [], { onFault: ({ where, message }) => void found.push(`${where}: ${message}`) });
  return found;
}

/** What is written and taken back, and what is done with it. */
const sequences: readonly (readonly [string, (one: Interaction) => Promise<unknown>])[] = [
  ['a rating that is withdrawn', (one) => one.withdraw(0)],
  ['a rating that is hidden', (one) => one.moderate('hide', 0)],
  ['a rating that is erased', (one) => one.moderate('erase', 0)],
  [
    'an answered rating that is withdrawn',
    async (one) => {
      await one.respond(0);
      await one.withdraw(0);
    },
  ],
  [
    'an answered rating that is hidden',
    async (one) => {
      await one.respond(0);
      await one.moderate('hide', 0);
    },
  ],
  [
    'an amended rating whose newest version is withdrawn',
    async (one) => {
      await one.amend();
      await one.withdraw(1);
    },
  ],
  [
    'an amended rating whose newest version is hidden',
    async (one) => {
      await one.amend();
      await one.moderate('hide', 1);
    },
  ],
  [
    'an amended rating, answered before, whose newest version is hidden',
    async (one) => {
      await one.respond(0);
      await one.amend();
      await one.amend();
      await one.moderate('hide', 2);
    },
  ],
  [
    'an amended rating, answered before, whose newest version is erased',
    async (one) => {
      await one.respond(0);
      await one.amend();
      await one.moderate('erase', 1);
    },
  ],
  [
    'a rating that is withdrawn, made again and withdrawn again',
    async (one) => {
      await one.withdraw(0);
      await one.rate();
      await one.withdraw(1);
    },
  ],
  [
    'a rating that is withdrawn, made again and hidden',
    async (one) => {
      await one.withdraw(0);
      await one.rate();
      await one.moderate('hide', 1);
    },
  ],
  [
    'a hidden rating that is withdrawn',
    async (one) => {
      await one.respond(0);
      await one.moderate('hide', 0);
      await one.withdraw(0);
    },
  ],
  ['a hidden rating that its source amends', (one) => one.moderate('hide', 0).then(() => one.amend())],
  [
    'a hidden rating that its source withdraws and makes again',
    async (one) => {
      await one.moderate('hide', 0);
      await one.withdraw(0);
      await one.rate();
    },
  ],
  [
    'a withdrawn rating that is erased',
    async (one) => {
      await one.respond(0);
      await one.withdraw(0);
      await one.moderate('erase', 0);
    },
  ],
  [
    'a voided rating that is withdrawn',
    async (one) => {
      await one.moderate('void', 0);
      await one.withdraw(0);
    },
  ],
];

describe.each(sequences)('%s', (_, act) => {
  it('is shown by no door', async () => {
    const interaction = createInteraction();
    await interaction.rate();
    expect((await findShown(interaction)).length).toBeGreaterThan(5);
    await act(interaction);
    expect(await findShown(interaction)).toEqual([]);
    expect(await faults()).toEqual([]);
  });
});

it('the dump of a day later has nothing of them', async () => {
  directory.wait(86_400);
  const { files } = (await (await directory.app.request('/export/manifest.json')).json()) as {
    files: { path: string }[];
  };
  const texts: string[] = [];
  for (const { path } of files)
    texts.push(
      gunzipSync(Buffer.from(await (await directory.app.request(path)).arrayBuffer())).toString('utf8'),
    );
  expect(texts.join('\n')).toContain(subject);
  expect(texts.join('\n')).not.toContain('zebulon');
});
