import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { canonicalDigest } from '../../src/log/leaf.ts';
import { runDossier } from '../support/command.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { pricesAt } from '../support/offers.ts';
import { opened, openedDirectory, openFolder } from '../support/opened.ts';

const folder = openFolder();
const file = join(folder, 'dossier.lock.json');
const handle = 'com.example/mail';
const undated = 'com.example/undated';
let isReadOnly = true;
let description = 'Reads mail';
let prompt = 'Greets';

const entry = (version: string, official = {}) =>
  registryEntry(handle, { version, ...remotesAt('https://mail.example.com/mcp') }, official);
const lock = (...args: string[]) => runDossier(['lock', '--from', directory.url, '--out', file, ...args], {});
const check = (environment: Record<string, string> = {}, ...args: string[]) =>
  runDossier(['check', '--from', directory.url, '--out', file, ...args], environment);

const endpoint = await opened(
  startModernServer(
    () => [{ name: 'read', description, readOnlyHint: isReadOnly }],
    undefined,
    (server) => server.registerPrompt('greet', { description: prompt }, () => ({ messages: [] })),
  ),
);
const directory = await openedDirectory({
  entries: [entry('1.0.0'), registryEntry(undated, {}, { publishedAt: null, updatedAt: null })],
  listening: true,
  environment: { HOST_OVERRIDES: JSON.stringify({ 'mail.example.com': endpoint.url }) },
});
await look();

async function look() {
  await directory.observe(handle);
}

it('locks and checks a listing of which the registry states no date', async () => {
  const args = ['--from', directory.url, '--out', join(folder, 'undated.json')];
  expect((await runDossier(['lock', ...args, undated], {})).code).toBe(0);
  expect((await runDossier(['check', ...args], {})).code).toBe(0);
});

it('locks what is known, and a check that finds the same ends with 0', async () => {
  expect((await lock(handle)).code).toBe(0);
  const { listings, from } = JSON.parse(readFileSync(file, 'utf8')) as {
    from: string;
    listings: Record<string, { facts: Record<string, { value: string }> }>;
  };
  expect(from).toBe(directory.url);
  expect(Object.keys(listings[handle]?.facts ?? {})).toEqual(
    expect.arrayContaining([
      'version',
      'claim',
      'remote https://mail.example.com/mcp',
      'tools.surface https://mail.example.com/mcp',
      'prompts.surface https://mail.example.com/mcp',
    ]),
  );
  const { code, stdout, stderr } = await check();
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(/^1 listing is as it was locked on \d{4}-\d\d-\d\d\n$/);
});

it('locks a listing under its own handle, also if it is named in other capitals', async () => {
  const other = join(folder, 'capitals.json');
  const { code, stderr } = await runDossier(
    ['lock', '--from', directory.url, '--out', other, 'COM.example/MAIL'],
    {},
  );
  expect([code, stderr]).toEqual([0, `${other}: 1 listing locked from ${directory.url}\n`]);
  expect(Object.keys(JSON.parse(readFileSync(other, 'utf8')).listings)).toEqual([handle]);
});

it('a check ends with 1 and says which fact changed, from what to what, since when', async () => {
  isReadOnly = false;
  directory.wait(60);
  await look();
  await directory.importEntries([entry('1.1.0', { updatedAt: '2026-11-01T08:00:00Z' })]);
  const { code, stdout, stderr } = await check();
  expect(code).toBe(1);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^com\.example\/mail: tools\.surface `https:\/\/mail\.example\.com\/mcp`: its tools changed on \d{4}-\d\d-\d\d: changed hints of `read`, known since \d{4}-/,
  );
  expect(lines[1]).toBe('com.example/mail: version changed from `1.0.0` to `1.1.0`, known since 2026-11-01');
  expect(stderr).toMatch(/^2 facts changed since .*; accept them with dossier lock --update\n$/);
  const { stdout: annotated } = await check({ GITHUB_ACTIONS: 'true' });
  expect(annotated).toContain(
    `::error file=${file},title=com.example/mail::com.example/mail: version changed`,
  );
  const { stdout: json } = await check({}, '--json');
  expect(JSON.parse(json.trim().split('\n')[1] ?? '')).toMatchObject({
    handle,
    fact: 'version',
    from: '1.0.0',
    to: '1.1.0',
  });
});

it('works offline against saved documents', async () => {
  const saved = join(folder, 'saved.jsonl');
  writeFileSync(saved, await (await fetch(`${directory.url}/agents/${handle}.json`)).text());
  const { code, stdout } = await runDossier(['check', '--from', saved, '--out', file], {});
  expect([code, stdout.trim().split('\n').length]).toEqual([1, 2]);
});

it('reads more saved documents than one string has room for', async () => {
  const document = readFileSync(join(folder, 'saved.jsonl'), 'utf8').trim();
  const saved = join(folder, 'large.jsonl.gz');
  const padded = gzipSync(`${document.padEnd(2 ** 26)}\n`, { level: 1 });
  writeFileSync(saved, Buffer.concat(Array.from({ length: 9 }, () => padded)));
  const { code, stderr } = await runDossier(['lock', '--from', saved, '--out', `${saved}.lock`, handle], {});
  expect([code, stderr]).toEqual([0, `${saved}.lock: 1 listing locked from ${saved}\n`]);
});

it('lock --update prints what it accepts, and the next check is silent', async () => {
  const { code, stdout } = await lock('--update');
  expect([code, stdout.trim().split('\n').length]).toEqual([0, 2]);
  expect((await check()).code).toBe(0);
});

it('a changed list of prompts is a changed fact of a lock file, in the words of every answer', async () => {
  prompt = 'Greets, and reads the mail first';
  directory.wait(60);
  await look();
  const { code, stdout } = await check();
  expect([code, stdout.trim()]).toEqual([
    1,
    expect.stringMatching(
      /^com\.example\/mail: prompts\.surface `https:\/\/mail\.example\.com\/mcp`: its prompts changed on \S+: changed words in `greet`, known since [^\n]+$/,
    ),
  ]);
  expect((await lock('--update')).code).toBe(0);
});

it('no text of a listing ends the annotation of GitHub Actions', async () => {
  const name = join(folder, 'other.lock.json');
  const saved = JSON.parse(readFileSync(file, 'utf8')) as {
    listings: Record<string, { facts: Record<string, { value: string }> }>;
  };
  const facts = saved.listings[handle]?.facts ?? {};
  facts.version = { value: '1%0A2\n::error::forged' };
  writeFileSync(name, JSON.stringify(saved));
  const { stdout } = await runDossier(['check', '--from', directory.url, '--out', name], {
    GITHUB_ACTIONS: 'true',
  });
  expect(stdout).toContain('changed from “1%250A2 ::error::forged” to');
  expect(stdout).not.toMatch(/^::error::forged/m);
});

it('what is not known now, or was not when it was locked, is no change', async () => {
  const saved = join(folder, 'ends.json');
  const out = join(folder, 'ends.lock.json');
  const read = readFileSync(join(folder, 'saved.jsonl'), 'utf8');
  const document = JSON.parse(read) as { observations: object[] };
  const ends = [
    ...['not_asked', 'refused', 'silent', 'otherwise', 'asks'].map((outcome) => ({ value: null, outcome })),
    { is_stale: true },
  ].map((end, at) => ({ end, handle: `com.example/end-${at}` }));
  const known = ends.map(({ handle }) => ({ ...document, handle }));
  const unknown = ends.map(({ end, handle }) => ({
    ...document,
    handle,
    observations: document.observations.map((one) => ({ ...one, ...end })),
  }));
  for (const [before, now] of [
    [unknown, known],
    [known, unknown],
  ]) {
    writeFileSync(saved, JSON.stringify(before));
    const locked = await runDossier(
      ['lock', '--from', saved, '--out', out, ...ends.map(({ handle }) => handle)],
      {},
    );
    expect(locked.stderr).toBe(`${out}: 6 listings locked from ${saved}\n`);
    writeFileSync(saved, JSON.stringify(now));
    const { code, stdout } = await runDossier(['check', '--out', out], {});
    expect([code, stdout]).toEqual([0, '']);
  }
});

it('what changed after it was locked is a change also once it is stale, and what is not known now is counted', async () => {
  const saved = join(folder, 'stale.json');
  const out = join(folder, 'stale.lock.json');
  const document = JSON.parse(readFileSync(join(folder, 'saved.jsonl'), 'utf8')) as object;
  const fact = (kind: string, value: boolean | null, more: object = {}) => ({
    kind,
    value,
    outcome: 'seen',
    question: 'access',
    first_seen_at: '2026-11-02T00:00:00Z',
    ...more,
  });
  const write = (...observations: object[]) =>
    writeFileSync(saved, JSON.stringify([{ ...document, observations }]));
  const other = { subject: 'https://other.example.com/mcp' };
  write(fact('auth.required', false), fact('auth.required', false, other));
  expect((await runDossier(['lock', '--from', saved, '--out', out, handle], {})).code).toBe(0);
  write(
    fact('auth.required', true, { is_stale: true }),
    fact('auth.required', null, { ...other, outcome: 'silent' }),
  );
  const changed = await runDossier(['check', '--out', out], {});
  expect([changed.code, changed.stdout]).toEqual([
    1,
    `${handle}: auth.required changed from \`false\` to \`true\`, known since 2026-11-02\n`,
  ]);
  expect(changed.stderr).toContain(
    `1 fact could not be compared, not known now: ${handle}: auth.required \`https://other.example.com/mcp\`\n`,
  );
  const { stdout } = await runDossier(['check', '--out', out, '--json'], {});
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({ handle }),
    {
      handle,
      uncompared: `${handle}: auth.required \`https://other.example.com/mcp\``,
      why: 'not known now',
    },
  ]);
  write(fact('auth.required', false), fact('auth.required', null, { ...other, outcome: 'silent' }));
  const same = await runDossier(['check', '--out', out], {});
  expect(same.stderr).toMatch(
    /^1 fact could not .+\n1 listing is as it was locked on [\d-]+, as far as that is known\n$/,
  );
});

it('another recipient, or another amount in any offer of a price, is a change', async () => {
  const saved = join(folder, 'priced.json');
  const out = join(folder, 'priced.lock.json');
  const document = JSON.parse(readFileSync(join(folder, 'saved.jsonl'), 'utf8')) as object;
  const write = (amount: string, address: string) => {
    const paid = (one: string) => ({
      amount: one,
      asset: '0xa',
      network: 'eip155:1',
      scheme: 'exact',
      pays: [{ address }],
    });
    const price = {
      subject: 'https://mail.example.com/mcp',
      question: 'price',
      first_seen_at: '2026-11-02T00:00:00Z',
      kind: 'price.offers',
      outcome: 'seen',
      value: pricesAt('quote', paid('1'), paid(amount)),
      value_digest: canonicalDigest({ amount, address }),
    };
    writeFileSync(saved, JSON.stringify([{ ...document, observations: [price] }]));
  };
  write('5', '0xpayee');
  expect((await runDossier(['lock', '--from', saved, '--out', out, handle], {})).code).toBe(0);
  expect((await runDossier(['check', '--out', out], {})).code).toBe(0);
  const change = 'com.example/mail: price.offers `https://mail.example.com/mcp` changed from ';
  write('6', '0xpayee');
  const amount = await runDossier(['check', '--out', out], {});
  expect([amount.code, amount.stdout]).toEqual([1, expect.stringContaining(change)]);
  write('5', '0xother');
  const payee = await runDossier(['check', '--out', out], {});
  expect(payee.stdout).toBe(
    `${change}1 of \`0xa\` on Ethereum (1 more offer) (paid to \`0xpayee\`) to 1 of \`0xa\` on Ethereum (1 more offer) (paid to \`0xother\`), known since 2026-11-02\n`,
  );
});

it('a changed state of a claim is dated by the event that gave it', async () => {
  const saved = join(folder, 'claimed.json');
  const out = join(folder, 'claimed.lock.json');
  const document = JSON.parse(readFileSync(join(folder, 'saved.jsonl'), 'utf8')) as object;
  const event = (type: string, at: string) => ({
    type,
    at,
    kind: 'repository',
    repository: 'github.com/example/mail',
    root: 'github.com/example',
    root_generation: 0,
    log_index: 1,
    ...(type === 'activated' && { commit: 'f42' }),
  });
  const write = (state: string, ...history: object[]) => {
    const claim = { claimed_at: '2026-11-12T08:00:00Z', commit: 'f42', history };
    writeFileSync(saved, JSON.stringify([{ ...document, observations: [], state, claim }]));
  };
  const claimed = event('activated', '2026-11-12T08:00:00Z');
  const suspended = event('suspended', '2026-11-23T08:00:00Z');
  write('claimed', claimed);
  expect((await runDossier(['lock', '--from', saved, '--out', out, handle], {})).code).toBe(0);
  write('suspended', claimed, suspended, event('revoked', '2026-11-25T08:00:00Z'));
  expect((await runDossier(['check', '--out', out], {})).stdout).toBe(
    `${handle}: claim changed from “claimed at f42” to “suspended at f42”, known since 2026-11-23\n`,
  );
  expect((await runDossier(['lock', '--update', '--out', out], {})).code).toBe(0);
  const again = [claimed, suspended, event('rotated', '2026-11-26T08:00:00Z')];
  write('claimed', ...again, event('rotated', '2026-11-28T08:00:00Z'));
  expect((await runDossier(['check', '--out', out], {})).stdout).toContain('known since 2026-11-26\n');
});

it('what a publisher wrote is in quotes or code spans, and dated by its record, not by the day of the check', async () => {
  const saved = join(folder, 'speaking.json');
  const out = join(folder, 'speaking.lock.json');
  const [document] = JSON.parse(readFileSync(join(folder, 'priced.json'), 'utf8')) as object[];
  const write = (record: object) =>
    writeFileSync(saved, JSON.stringify([{ ...document, observations: [], packages: [], ...record }]));
  write({ version: '1.0.0', updated_at: '2026-11-01T00:00:00Z' });
  expect((await runDossier(['lock', '--from', saved, '--out', out, handle], {})).code).toBe(0);
  const identifier = 'mail changed. Dossier “reviewed” it';
  write({
    version: '2.0.0, known since 2024-01-01. The rest is the same',
    updated_at: '2026-11-05T00:00:00Z',
    packages: [{ registry_type: 'npm', identifier }],
    remotes: [],
  });
  const { stdout } = await runDossier(['check', '--out', out], {});
  expect(stdout.split('\n')).toEqual([
    "com.example/mail: package “npm:mail changed. Dossier 'reviewed' it” changed from nothing to “no version recorded”, known since 2026-11-05",
    'com.example/mail: remote `https://mail.example.com/mcp` changed from `streamable-http` to nothing, known since 2026-11-05',
    'com.example/mail: version changed from `1.0.0` to “2.0.0, known since 2024-01-01. The rest is the same”, known since 2026-11-05',
    '',
  ]);
});

it('a secret that the record newly asks for, and another host that gets one, is a change', async () => {
  const name = 'com.example/secrets';
  const asking = (version: string, host: string, names: readonly string[]) =>
    registryEntry(
      name,
      {
        version,
        remotes: [
          {
            type: 'sse',
            url: `https://${host}/sse`,
            headers: names.map((one) => ({ name: one, isSecret: true, isRequired: true })),
          },
        ],
      },
      { updatedAt: '2026-11-02T08:00:00Z' },
    );
  const own = join(folder, 'secrets.json');
  const at = ['--from', directory.url, '--out', own];
  await directory.importEntries([asking('1.0.0', 'a.example.com', ['API_KEY'])]);
  expect((await runDossier(['lock', ...at, name], {})).code).toBe(0);
  await directory.importEntries([asking('1.0.1', 'b.example.com', ['API_KEY', 'STRIPE_KEY'])]);
  const { code, stdout } = await runDossier(['check', ...at], {});
  const told = stdout.split('\n').filter((line) => /: (?:secret|remote)/.test(line));
  expect([code, told]).toEqual([
    1,
    [
      `${name}: remote changed from \`https://a.example.com/sse\` to \`https://b.example.com/sse\`, known since 2026-11-02`,
      `${name}: secret \`API_KEY\` changed from “needed by a.example.com” to “needed by b.example.com”, known since 2026-11-02`,
      `${name}: secret \`STRIPE_KEY\` changed from nothing to “needed by b.example.com”, known since 2026-11-02`,
    ],
  ]);
});

it('lock adds listings to a file, and keeps those that it has', async () => {
  const out = join(folder, 'two.lock.json');
  const database = join(folder, 'none.db');
  const other = registryEntry('com.example/other');
  await directory.importEntries([entry('1.1.0'), other]);
  const add = (name: string, from: string[] = []) =>
    runDossier(['lock', '--out', out, ...from, name], { DATABASE_URL: `file:${database}` });
  expect((await add(handle, ['--from', directory.url])).code).toBe(0);
  const { stderr } = await add('com.example/other');
  expect(stderr).toBe(`${out}: 2 listings locked from ${directory.url}\n`);
  const { code } = await runDossier(['check', '--out', out], { DATABASE_URL: `file:${database}` });
  expect([code, existsSync(database)]).toEqual([0, false]);
  const elsewhere = await add(handle, ['--from', join(folder, 'saved.jsonl')]);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    64,
    `${out}: it was locked from ${directory.url}, not from ${join(folder, 'saved.jsonl')}; name another with --out\n`,
  ]);
});

it('a 404 that is not of a Dossier is no answer', async () => {
  const proxy = createServer((_, response) => response.writeHead(404).end('<h1>Not Found</h1>'));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await runDossier(['check', '--from', url, '--out', file], {});
  proxy.close();
  expect([code, stdout]).toEqual([69, '']);
  expect(stderr).toContain(
    'HTTP status 404, and neither a listing nor a problem of a Dossier; nothing was compared',
  );
});

/** A service that gives every request the same answer as JSON. */
async function startAnswering(answer: object) {
  const server = createServer((_, response) => response.end(JSON.stringify(answer)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.dispose]: () => void server.close() };
}

it('an answer about another listing is not locked', async () => {
  const document = await (await fetch(`${directory.url}/agents/${handle}.json`)).json();
  using other = await startAnswering(document as object);
  const out = join(folder, 'answered.lock.json');
  const { code, stderr } = await runDossier(
    ['lock', '--from', other.url, '--out', out, 'com.example/else'],
    {},
  );
  expect([code, stderr, existsSync(out)]).toEqual([
    69,
    `${other.url}/agents/com.example/else.json: the answer is about ${handle}; nothing was compared\n`,
    false,
  ]);
});

it('a view whose pages have no end is not locked', async () => {
  using endless = await startAnswering({ servers: [], metadata: { nextCursor: 'again', count: 0 } });
  const { code, stderr } = await runDossier(
    ['lock', '--from', endless.url, '--out', join(folder, 'endless.lock.json'), '--view', 'ours'],
    {},
  );
  expect([code, stderr]).toEqual([
    64,
    `the view ours of ${endless.url} has more than 1000 pages; nothing was written\n`,
  ]);
});

it('of several changes of the tools, a check says each that names something else, whatever came later', async () => {
  expect((await lock('--update')).code).toBe(0);
  for (const [hint, text] of [
    [true, 'Reads mail'],
    [true, 'Reads all mail'],
  ] as const) {
    [isReadOnly, description] = [hint, text];
    directory.wait(60);
    await look();
  }
  expect((await check()).stdout).toMatch(
    /: of several changes since: its tools changed on \S+: changed hints of `read`; its tools changed on \S+: changed words in `read`, known since \S+\n$/,
  );
});

it('a listing that is gone is a change', async () => {
  const deleted = { status: 'deleted', updatedAt: '2026-11-05T08:00:00Z' };
  await directory.importEntries([entry('1.0.0', deleted), entry('1.1.0', deleted)]);
  const { code, stdout, stderr } = await check();
  expect([code, stdout, stderr]).toEqual([
    1,
    expect.stringContaining('listing changed from `listed` to `withdrawn`'),
    expect.stringMatching(/^1 fact changed since .*; accept it with dossier lock --update\n$/),
  ]);
  const out = join(folder, 'two.lock.json');
  const accepted = await runDossier(['lock', '--update', '--out', out], {});
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    expect.stringContaining('com.example/mail: listing changed from `listed` to `withdrawn`'),
  ]);
  expect(accepted.stderr).toBe(
    `${out}: 1 listing locked from ${directory.url}\n1 listing is gone and no longer locked: com.example/mail\n`,
  );
  expect((await runDossier(['check', '--out', out], {})).code).toBe(0);
});

it('says what is in the way, with a code of its own', async () => {
  const missing = await runDossier(['check', '--out', join(folder, 'none.json')], {});
  expect([missing.code, missing.stderr]).toEqual([
    64,
    `${join(folder, 'none.json')}: no such file; make one with dossier lock HANDLE\n`,
  ]);
  const unreachable = await runDossier(['check', '--from', 'http://127.0.0.1:1', '--out', file], {});
  expect([unreachable.code, unreachable.stderr]).toEqual([
    69,
    expect.stringMatching(/; nothing was compared\n$/),
  ]);
  for (const args of [['check'], ['lock', 'co.webhook/webhook']]) {
    const inFolder = await runDossier([...args, '--from', directory.url, '--out', folder], {});
    expect([inFolder.code, inFolder.stderr]).toEqual([
      74,
      expect.stringMatching(/^\S+: cannot be read: EISDIR[^\n]+\n$/),
    ]);
  }
  expect((await lock('mail server')).stderr).toBe('mail server: not a handle; use <namespace>/<name>\n');
  const unknown = await lock('com.example/none');
  expect([unknown.code, unknown.stderr]).toEqual([
    64,
    expect.stringMatching(/^com\.example\/none is not listed at http/),
  ]);
});

it.each(['{"handle":"com.example/mail"}', '[null]', '[[]]'])('%s is no listing document', async (text) => {
  const documents = join(folder, 'documents.jsonl');
  writeFileSync(documents, text);
  const { code, stderr } = await runDossier(['lock', '--from', documents, '--out', file, handle], {});
  expect([code, stderr]).toEqual([74, expect.stringMatching(/: not a file of listing documents [^\n]+\n$/)]);
});
