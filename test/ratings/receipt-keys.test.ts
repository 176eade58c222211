import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PublishedKey, verifyReceipt } from '../../src/receipt/index.ts';
import { openDomainDirectory, wellKnown } from '../claims/domain-directory.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { documentOf } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { makeServiceKey, publishLines, type ServiceKey, signReceipt } from '../support/receipts.ts';

const handle = 'co.webhook/webhook';
const repository = 'https://github.com/webhook-co/webhook';
const ed25519 = makeServiceKey('2026-11');
const p256 = makeServiceKey('did:web:webhook.co#p256', 'ES256');

interface Keys {
  readonly receipt_keys?: readonly (PublishedKey & { readonly commit?: string })[];
}

describe('keys for receipts in a claim file', () => {
  let directory: ClaimedDirectory;
  beforeEach(async () => {
    // Listening, so that audits read it over HTTP too.
    directory = await openClaimedDirectory({ listening: true, environment: { LIMITS: 'off' } });
    await directory.claim(handle, 'webhook-co/webhook');
  });
  afterEach(() => directory.close());

  const call = async (tool: string, input: object) =>
    (await (await directory.post(`/api/tools/${tool}`, input)).json()) as Readonly<Record<string, unknown>>;
  const read = async () => (await documentOf(directory, handle)).claim as Keys;
  const text = async (path: string) => (await directory.app.request(path)).text();
  /** A receipt for com.rater/api, issued some seconds from now. */
  const receiptAt = (key: ServiceKey, seconds: number) =>
    signReceipt(key, {
      iss: handle,
      sub: 'com.rater/api',
      jti: 'order-17',
      iat: Math.floor(directory.context.clock().getTime() / 1000) + seconds,
    });
  const check = (receipt: string, keys: Keys['receipt_keys'] = []) =>
    verifyReceipt(receipt, { keys, subject: handle, rater: 'com.rater/api' });

  test('are in the answers of claim_agent and get_agent, with the commit and the time', async () => {
    expect((await read()).receipt_keys).toBeUndefined();
    await publishLines(directory, [ed25519.line, p256.line]);
    const claimed = await call('claim_agent', { handle });
    const { commit } = claimed.check as { commit: string };
    const source = { kind: 'repository', repository, commit, valid_from: expect.stringMatching(/^20\d\d-/) };
    expect(claimed.receipt_keys).toEqual([
      {
        kid: 'did:web:webhook.co#p256',
        ...source,
        jwk: { kty: 'EC', crv: 'P-256', x: expect.stringMatching(/^.{43}$/), y: expect.any(String) },
      },
      { kid: '2026-11', ...source, jwk: { kty: 'OKP', crv: 'Ed25519', x: expect.stringMatching(/^.{43}$/) } },
    ]);
    expect((await read()).receipt_keys).toEqual(claimed.receipt_keys);
    expect(JSON.stringify(await call('get_agent', { handle }))).not.toContain('receipt_keys');
    const document = JSON.parse(await text(`/agents/${handle}.json`)) as Readonly<Record<string, unknown>>;
    expect((document.claim as Keys).receipt_keys).toEqual(claimed.receipt_keys);
    expect(document.untrusted_fields).toContain('claim.receipt_keys');
  });

  test('check a receipt offline, also one from before its key was taken away', async () => {
    await publishLines(directory, [ed25519.line, p256.line]);
    const receipt = await receiptAt(ed25519, 0);
    const before = (await read()).receipt_keys;
    const own = await receiptAt(p256, 0);
    expect(await check(receipt, before)).toMatchObject({ jti: 'order-17', sub: 'com.rater/api' });
    expect(await check(own, before)).toMatchObject({ iss: handle });
    directory.wait(86_400);
    await publishLines(directory, [p256.line]);
    const after = (await read()).receipt_keys;
    expect(after?.map(({ kid, valid_until }) => [kid, valid_until === undefined])).toEqual([
      ['did:web:webhook.co#p256', true],
      ['2026-11', false],
    ]);
    expect(await check(receipt, after)).toMatchObject({ jti: 'order-17' });
    await expect(check(await receiptAt(ed25519, 3600), after)).rejects.toMatchObject({
      code: 'proof_key_unknown',
    });
  });

  test('begin and end in an entry of the log, which the history of the claim names', async () => {
    const size = await directory.store.log.size();
    await publishLines(directory, [ed25519.line, p256.line]);
    await publishLines(directory, [ed25519.line, p256.line]);
    directory.wait(86_400);
    const other = makeServiceKey(ed25519.kid);
    await publishLines(directory, [other.line]);
    directory.git.createRepository('webhook-co/webhook').commit({ 'dossier-claim.txt': null });
    for (let day = 0; day < 2; day++) {
      directory.wait(1.3 * 86_400);
      await directory.recheck();
    }
    const { history, receipt_keys } = (await documentOf(directory, handle)).claim as Keys & {
      history: { type: string; at: string; log_index: number; keys?: object }[];
    };
    const sha256 = (text: string) => createHash('sha256').update(text);
    const nameOf = (kid: string) => sha256(kid).digest('hex');
    expect(history.slice(1)).toMatchObject([
      {
        type: 'keys_changed',
        repository,
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        log_index: size,
        keys: { published: 2, ended: 0 },
      },
      { type: 'keys_changed', log_index: size + 1, keys: { published: 1, ended: 2 } },
      { type: 'suspended', log_index: size + 2 },
      { type: 'keys_changed', log_index: size + 3, keys: { published: 0, ended: 1 } },
    ]);
    expect(receipt_keys?.map(({ kid, valid_from, valid_until }) => [kid, valid_from, valid_until])).toEqual([
      ['2026-11', history[2]?.at, history[4]?.at],
      ['did:web:webhook.co#p256', history[1]?.at, history[2]?.at],
      ['2026-11', history[1]?.at, history[2]?.at],
    ]);
    const { leaf, record } = await call('get_proof', { log_index: size });
    expect(String(leaf)).toContain('"t":"claim.keys_changed"');
    const own = receipt_keys?.[2]?.jwk;
    const published = JSON.parse(String(record)) as { keys: { published: object[]; ended: string[] } };
    expect(published).toMatchObject({ handle, keys: { ended: [] } });
    expect(published.keys.published).toEqual([
      {
        kid_sha256: nameOf('2026-11'),
        jwk_thumbprint: sha256(`{"crv":"Ed25519","kty":"OKP","x":"${own?.x}"}`).digest('base64url'),
      },
      { kid_sha256: nameOf('did:web:webhook.co#p256'), jwk_thumbprint: expect.stringMatching(/^[\w-]{43}$/) },
    ]);
    for (const index of [size, size + 1, size + 3])
      expect(JSON.stringify(await call('get_proof', { log_index: index }))).not.toMatch(/2026-11"|did:web/);
    expect(await directory.audit()).toEqual([]);
  });

  test('an audit finds a key that the log does not have, and one that is not shown as the log says', async () => {
    await publishLines(directory, [ed25519.line, p256.line]);
    expect(await directory.audit()).toEqual([]);
    const at = directory.context.clock().toISOString();
    const [, ours] = (await directory.store.claims.receiptKeys(handle)).toReversed();
    if (!ours) throw new Error('no key');
    await directory.store.write((tx) =>
      tx.claims.putReceiptKeys(handle, { keys: [], at, isComplete: true }).then(() => undefined),
    );
    const fault = expect.stringMatching(
      /^claim of co\.webhook\/webhook: receipt_keys is .* but its events up to log entry/,
    );
    expect(await directory.audit(), 'of the database, and over HTTP').toEqual([fault, fault]);
    const forged = { ...ours, kid: 'forged' };
    await directory.store.write((tx) =>
      tx.claims.putReceiptKeys(handle, { keys: [forged], at, isComplete: false }).then(() => undefined),
    );
    const forgedFault = expect.stringMatching(/^claim of co\.webhook\/webhook: receipt_keys is /);
    expect(await directory.audit()).toEqual([forgedFault, forgedFault]);
  });

  test('are the newest twenty, and no more than fifty are kept', async () => {
    for (let month = 1; month <= 12; month++) {
      const names = [1, 2, 3, 4, 5].map((at) => `key-${month}-${at}`);
      await publishLines(
        directory,
        names.map((name) => makeServiceKey(name).line),
      );
      directory.wait(86_400);
    }
    const keys = (await read()).receipt_keys ?? [];
    expect([keys.length, keys[0]?.kid, keys.at(-1)?.kid]).toEqual([20, 'key-12-5', 'key-9-1']);
    const kept = await directory.store.claims.receiptKeys(handle);
    expect([kept.length, kept[0]?.kid]).toEqual([50, 'key-3-1']);
    expect(kept.filter(({ valid_until }) => valid_until === undefined)).toHaveLength(5);
    expect(await directory.audit()).toEqual([]);
  });

  test('that change often neither fill the document nor push out what else happened to the claim', async () => {
    const name = 'k'.repeat(64);
    const lines = Array.from({ length: 3 }, () => makeServiceKey(name).line);
    for (let day = 0; day < 26; day++) {
      for (const line of lines.slice(0, day === 0 ? 3 : 1)) await publishLines(directory, [line]);
      await publishLines(directory, []);
      directory.wait(86_400);
    }
    const { claim } = await documentOf(directory, handle);
    const { history } = claim as { history: { type: string }[] };
    expect([history.length, history[0]?.type, history[1]?.type]).toEqual([21, 'activated', 'keys_changed']);
    expect(JSON.stringify(claim).length).toBeLessThan(20_000);
    expect(await directory.audit()).toEqual([]);
  });

  test('change four times within a day: then keys end at once, and new ones count from a check on the next day', async () => {
    const keys = Array.from({ length: 6 }, (_, at) => makeServiceKey(`key-${at}`));
    for (const key of keys) await publishLines(directory, [key.line]);
    const namesOf = async () =>
      (await read()).receipt_keys?.map(({ kid, valid_until }) => [kid, valid_until === undefined]);
    expect(await namesOf()).toEqual([
      ['key-3', false],
      ['key-2', false],
      ['key-1', false],
      ['key-0', false],
    ]);
    directory.wait(86_400);
    await call('claim_agent', { handle });
    expect((await namesOf())?.[0]).toEqual(['key-5', true]);
    expect(await directory.audit()).toEqual([]);
  });

  test('with a name of more than 64 characters are no keys', async () => {
    await publishLines(directory, [makeServiceKey('k'.repeat(65)).line]);
    expect((await read()).receipt_keys).toBeUndefined();
  });

  test('are not shown while the operator has hidden the texts of the listing, and the statement says so', async () => {
    await publishLines(directory, [makeServiceKey('buy-at-example').line]);
    await directory.act('hide', handle, 'personal_data');
    expect((await read()).receipt_keys).toBeUndefined();
    const { moderation } = (await documentOf(directory, handle)) as { moderation: { statement: string }[] };
    expect(moderation[0]?.statement).toMatch(
      /^The operator of this directory hid the title, the description, the status message and the receipt keys of this listing on .*\. The listing stays in the directory, and its ratings are shown as before\.$/,
    );
    directory.wait(31);
    const answers = [
      JSON.stringify(await call('claim_agent', { handle })),
      ...(await Promise.all(['', '.md', '.json', '/history'].map((end) => text(`/agents/${handle}${end}`)))),
    ];
    for (const answer of answers) expect(answer).not.toContain('buy-at-example');
    expect(await directory.audit()).toEqual([]);
  });
});

test('a check that changes nothing invalidates nothing of the listings that the source rated', async () => {
  const directory = await openClaimedDirectory({ listening: true });
  const rater = 'com.politicalcomms/api';
  const capability = await directory.claim(rater, 'Political-Comms/political-comms-sdk');
  const rating = ratingOf(handle, {
    interaction_id: 'one',
    interaction_at: new Date().toISOString(),
    relationship: 'none',
  });
  expect((await directory.post('/api/tools/submit_rating', rating, capability)).status).toBe(200);
  const changed: unknown[] = [];
  const stop = directory.store.onChange((handles) => changed.push(handles));
  directory.wait(31);
  await directory.post('/api/claim-github', { handle: rater });
  stop();
  await directory.close();
  expect(changed.flat()).not.toContain(handle);
  expect(changed.flat()).toContain(rater);
});

test('keys for receipts of a domain name the domain and the way, and no commit', async () => {
  const directory = await opened(openDomainDirectory([registryEntry('com.example/tool')], ['example.com']));
  const ask = () => directory.ask('com.example/tool', { method: 'well_known' });
  const { challenge } = await ask();
  directory.web.files.set(wellKnown, `${challenge}\n${ed25519.line}\n`);
  const { receipt_keys } = await ask();
  expect(receipt_keys).toEqual([
    {
      kid: '2026-11',
      kind: 'well_known',
      domain: 'example.com',
      jwk: expect.any(Object),
      valid_from: expect.any(String),
    },
  ]);
});
