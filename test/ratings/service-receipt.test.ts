import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { documentOf } from '../support/directory.ts';
import { opened } from '../support/opened.ts';
import { type Answered, openRatedDirectory, type RatedDirectory } from '../support/rating-doors.ts';
import { makeServiceKey, publishLines, type ServiceKey, signReceipt } from '../support/receipts.ts';

const day_s = 86_400;
const ed25519 = makeServiceKey('2026-11');
const p256 = makeServiceKey('did:web:webhook.co#p256', 'ES256');
const unpublished = makeServiceKey('2026-11');

test('ratings are listed by class of proof, with other filters or without, and always counted by group', async () => {
  const directory = await opened(openRatedDirectory('an MCP client'));
  await publishLines(directory, [ed25519.line]);
  const submit = async (outcome: string, capability: string, isProven: boolean) => {
    const sub = capability === directory.third ? 'com.third/api' : 'com.rater/api';
    const rating = directory.rating({ outcome });
    const iat = Math.floor(Date.parse(directory.at(-60)) / 1000);
    const payload = { iss: rating.handle, sub, jti: rating.interaction_id, iat };
    const proof = { kind: 'service_receipt', value: await signReceipt(ed25519, payload) };
    await directory.call('submit_rating', isProven ? { ...rating, proof } : rating, capability);
  };
  await submit('succeeded', directory.rater, true);
  await submit('succeeded', directory.rater, false);
  await submit('failed', directory.rater, true);
  await submit('failed', directory.third, true);
  const list = async (filter: object = {}) => {
    const answer = await directory.call('list_ratings', { handle: 'co.webhook/webhook', ...filter });
    const { ratings, counts } = answer as unknown as {
      ratings: { outcome: string; proof_class?: string }[];
      counts: object;
    };
    return {
      shown: ratings.map(({ outcome, proof_class = 'none' }) => `${outcome} ${proof_class}`),
      counts,
    };
  };
  const counts = {
    independent: {
      outcome: { succeeded: 2, failed: 1 },
      proof_class: { none: 1, service_receipt: 2 },
    },
    new_source: { outcome: { failed: 1 }, proof_class: { service_receipt: 1 } },
  };
  expect(await list()).toMatchObject({ counts });
  expect(await list({ proof_class: 'none' })).toEqual({ shown: ['succeeded none'], counts });
  expect(await list({ proof_class: 'service_receipt', outcome: 'failed' })).toEqual({
    shown: ['failed service_receipt', 'failed service_receipt'],
    counts,
  });
  expect((await list({ proof_class: 'payment_receipt' })).shown).toEqual([]);
  expect((await list({ group: 'new_source' })).shown).toEqual(['failed service_receipt']);
  const wrong = await directory.app.request('/agents/co.webhook/webhook/ratings?proof_class=word');
  expect(wrong.status).toBe(422);
});

describe('a service receipt', () => {
  let directory: RatedDirectory;
  beforeAll(async () => {
    directory = await openRatedDirectory('an MCP client');
    await publishLines(directory, [ed25519.line, p256.line]);
  });
  afterAll(() => directory.close());

  /** What a receipt of a rating's interaction says, a minute ago. */
  const payloadOf = ({ interaction_id, handle }: Record<string, unknown>, change: object = {}) => ({
    iss: handle,
    sub: 'com.rater/api',
    jti: interaction_id,
    iat: Math.floor(Date.parse(directory.at(-60)) / 1000),
    ...change,
  });
  const submit = (rating: object, as = directory.rater): Promise<Answered> =>
    directory.call('submit_rating', rating, as);
  const proven = (rating: object, value: string) => ({
    ...rating,
    proof: { kind: 'service_receipt', value },
  });
  /** Submits a rating with a receipt whose payload or header is changed. */
  async function submitSigned(
    change: { payload?: object; header?: Record<string, unknown>; rating?: object; key?: ServiceKey } = {},
  ) {
    const rating = directory.rating(change.rating);
    const payload = payloadOf(rating, change.payload);
    return submit(proven(rating, await signReceipt(change.key ?? ed25519, payload, change.header)));
  }
  const nativeOf = async (handle = 'co.webhook/webhook') =>
    (
      (await documentOf(directory, handle)) as unknown as {
        signals: { native: { independent: { by_proof: object }; proof_meanings: object } };
      }
    ).signals.native;

  it('a receipt by a published key is checked, recorded and counted apart', async () => {
    const rating = directory.rating();
    const receipt = await signReceipt(ed25519, payloadOf(rating));
    const answer = await submit(proven(rating, receipt));
    expect(answer).toMatchObject({ status: 'created', group: 'independent', proof_class: 'service_receipt' });
    expect(await submit(proven(rating, receipt))).toMatchObject({
      status: 'replayed',
      rating_id: answer.rating_id,
      proof_salt: answer.proof_salt,
    });
    await submit(directory.rating());
    const { ratings } = (await directory.call('list_ratings', {
      handle: 'co.webhook/webhook',
    })) as unknown as {
      ratings: { rating_id: string; proof_class: string; proof_commitment?: string }[];
    };
    const record = ratings.find(({ rating_id }) => rating_id === answer.rating_id);
    const salt = Buffer.from(String(answer.proof_salt), 'base64');
    expect(record).toMatchObject({
      proof_class: 'service_receipt',
      proof_commitment: createHash('sha256').update(salt).update(receipt).digest('base64'),
    });
    expect(JSON.stringify(ratings)).not.toContain(receipt);
    const native = await nativeOf();
    expect(native.independent.by_proof).toMatchObject({ none: 1, service_receipt: 1 });
    expect(native.proof_meanings).toEqual({
      none: 'Only the source states that the interaction took place; Dossier has checked no proof of it.',
      service_receipt:
        'A key that the rated listing published with its claim signed that this interaction with this rater took place. This does not show that the interaction went well. A service can refuse receipts to critics.',
    });
  });

  it.each<[string, Parameters<typeof submitSigned>[0]]>([
    ['ES256', { key: p256 }],
    ['further members of the payload', { payload: { exp: 1, nbf: 9e9, aud: 'x', note: '<b>' } }],
    ['a digest of the request', { payload: { request_digest: 'a'.repeat(64) } }],
    ['a critical rating as well', { rating: { outcome: 'failed', score: 1 } }],
  ])('accepted is %s', async (_, change) => {
    expect(await submitSigned(change)).toMatchObject({ status: 'created', proof_class: 'service_receipt' });
  });

  it.each<[string, string, () => Parameters<typeof submitSigned>[0]]>([
    [
      'a stolen receipt, issued to another listing',
      'proof_not_yours',
      () => ({ payload: { sub: 'com.third/api' } }),
    ],
    ['a receipt of another service', 'proof_wrong_subject', () => ({ payload: { iss: 'com.third/api' } })],
    ['a key that was never published', 'proof_key_unknown', () => ({ header: { kid: 'another' } })],
    ['a forged signature', 'proof_invalid', () => ({ key: unpublished })],
    ['an algorithm of another curve', 'proof_invalid', () => ({ key: { ...p256, kid: ed25519.kid } })],
    ['crit', 'proof_invalid', () => ({ header: { crit: ['b64'], b64: true } })],
    ['jku', 'proof_invalid', () => ({ header: { jku: 'https://evil.example/keys' } })],
    ['x5u', 'proof_invalid', () => ({ header: { x5u: 'https://evil.example/cert' } })],
    ['no time', 'proof_invalid', () => ({ payload: { iat: undefined } })],
    ['a time in text', 'proof_invalid', () => ({ payload: { iat: '1' } })],
    ['another interaction', 'proof_invalid', () => ({ payload: { jti: 'another' } })],
    ['a digest that is none', 'proof_invalid', () => ({ payload: { request_digest: 'x' } })],
    [
      'a receipt of two days before the interaction',
      'proof_key_unknown',
      () => ({ payload: { iat: Math.floor(Date.parse(directory.at(-2 * day_s)) / 1000) } }),
    ],
    [
      'a receipt from tomorrow',
      'proof_expired',
      () => ({ payload: { iat: Math.floor(Date.parse(directory.at(day_s)) / 1000) } }),
    ],
  ])('refused is %s: %s', async (_, code, change) => {
    const entries = await directory.store.log.size();
    expect(await submitSigned(change())).toMatchObject({ code });
    expect(await directory.store.log.size()).toBe(entries);
  });

  it.each<[string, string, string]>([
    ['no JWS', 'proof_invalid', 'receipt'],
    ['a JWS without a payload', 'proof_invalid', 'e30..e30'],
    ['alg none', 'proof_invalid', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
    ['a value of 4,097 characters', 'invalid_input', 'x'.repeat(4097)],
    ['an empty value', 'invalid_input', ''],
  ])('refused is %s: %s', async (_, code, value) => {
    expect(await submit(proven(directory.rating(), value))).toMatchObject({ code });
  });

  it('alg none is refused for a payload that fits, and no other algorithm is taken', async () => {
    for (const alg of ['none', 'HS256', 'ES384', 'RS256', 'EdDSA ']) {
      const rating = directory.rating();
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const unsigned = `${encode({ alg, kid: ed25519.kid })}.${encode(payloadOf(rating))}.`;
      expect(await submit(proven(rating, unsigned))).toMatchObject({ code: 'proof_invalid' });
    }
  });

  it('one receipt counts once: another interaction, another rater, and both at once', async () => {
    const rating = directory.rating();
    const receipt = await signReceipt(ed25519, payloadOf(rating));
    const race = [0, 1, 2, 3].map((score) => submit(proven({ ...rating, score: score + 1 }, receipt)));
    const answers = await Promise.all(race);
    expect(answers.filter(({ status }) => status === 'created')).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'rating_exists')).toHaveLength(3);
    expect(await submit(proven(directory.rating(), receipt))).toMatchObject({ code: 'proof_reused' });
    expect(await submit(proven(rating, receipt), directory.third)).toMatchObject({ code: 'proof_not_yours' });
  });

  it('a rating is amended with its receipt, with another one of the interaction, or without', async () => {
    const rating = directory.rating();
    const receipt = await signReceipt(ed25519, payloadOf(rating));
    const first = await submit(proven(rating, receipt));
    const again = proven({ ...rating, score: 2, supersedes: first.rating_id }, receipt);
    const second = await submit(again);
    expect(second).toMatchObject({ status: 'amended', proof_class: 'service_receipt' });
    const third = await submit({ ...rating, score: 3, supersedes: second.rating_id });
    expect(third).toMatchObject({ status: 'amended', proof_class: 'none' });
    await directory.call('withdraw_rating', { rating_id: third.rating_id }, directory.rater);
    expect(await submit(proven(rating, receipt))).toMatchObject({
      status: 'created',
      proof_class: 'service_receipt',
    });
  });

  it('the erasure of a rating erases salt and commitment, and forgets that its proof was used', async () => {
    const rating = directory.rating();
    const receipt = await signReceipt(ed25519, payloadOf(rating));
    const { rating_id } = await submit(proven(rating, receipt));
    expect(await submit(proven(directory.rating(), receipt))).toMatchObject({ code: 'proof_reused' });
    await directory.act('erase', String(rating_id), 'personal_data');
    const erased = await directory.store.ratings.byId(String(rating_id));
    expect(erased).toMatchObject({ erased_at: expect.any(String), proof_class: 'service_receipt' });
    expect(erased?.proof_commitment).toBeUndefined();
    expect(erased?.proof_salt).toBeUndefined();
    expect(await submit(proven(rating, receipt))).toMatchObject({ status: 'created' });
  });

  it('the erasure of an older version frees no proof that a newer one counts with', async () => {
    const rating = directory.rating();
    const receipt = await signReceipt(ed25519, payloadOf(rating));
    const first = await submit(proven(rating, receipt));
    const amendment = proven({ ...rating, score: 2, supersedes: first.rating_id }, receipt);
    expect(await submit(amendment)).toMatchObject({ status: 'amended' });
    await directory.act('erase', String(first.rating_id), 'personal_data');
    expect(await submit(proven(directory.rating(), receipt))).toMatchObject({ code: 'proof_reused' });
  });

  it('a proof moves no rating to another group', async () => {
    const rating = directory.rating();
    const value = await signReceipt(ed25519, payloadOf(rating, { sub: 'com.third/api' }));
    expect(await submit(proven(rating, value), directory.third)).toMatchObject({
      group: 'new_source',
      proof_class: 'service_receipt',
    });
  });

  it('a key counts from the check that saw it until the check that misses it', async () => {
    const late = makeServiceKey('late');
    const at = (seconds: number) => Math.floor(Date.parse(directory.at(seconds)) / 1000);
    await publishLines(directory, [ed25519.line, p256.line, late.line]);
    expect(await submitSigned({ key: late, payload: { iat: at(-3600) } })).toMatchObject({
      code: 'proof_key_unknown',
    });
    expect(await submitSigned({ key: late })).toMatchObject({ status: 'created' });
    directory.wait(3600);
    await publishLines(directory, [ed25519.line, p256.line]);
    directory.wait(3600);
    expect(await submitSigned({ key: late, payload: { iat: at(0) } })).toMatchObject({
      code: 'proof_key_unknown',
    });
    expect(await submitSigned({ key: late, payload: { iat: at(-2 * 3600) } })).toMatchObject({
      status: 'created',
    });
    await publishLines(directory, [ed25519.line, p256.line]);
  });

  it('a name that gets another key: each key counts in its own time', async () => {
    // Keys may change four times a day.
    directory.wait(day_s);
    const before = makeServiceKey('rotated');
    const after = makeServiceKey('rotated');
    await publishLines(directory, [ed25519.line, p256.line, before.line]);
    directory.wait(3600);
    const earlier = Math.floor(Date.parse(directory.at(-1800)) / 1000);
    await publishLines(directory, [ed25519.line, p256.line, after.line]);
    for (const key of [before, after])
      expect(await submitSigned({ key })).toMatchObject({ status: 'created' });
    directory.wait(600);
    expect(await submitSigned({ key: before, payload: { iat: earlier } })).toMatchObject({
      status: 'created',
    });
    expect(await submitSigned({ key: before })).toMatchObject({ code: 'proof_invalid' });
    expect(await submitSigned({ key: after })).toMatchObject({ status: 'created' });
  });

  it('a receipt of two days before the interaction, and one of 91 days ago: proof_expired', async () => {
    const issued = Math.floor(Date.parse(directory.at(0)) / 1000);
    directory.wait(2 * day_s);
    expect(await submitSigned({ payload: { iat: issued } })).toMatchObject({ code: 'proof_expired' });
    directory.wait(88.5 * day_s);
    const interaction_at = directory.at(-89.9 * day_s);
    expect(await submitSigned({ payload: { iat: issued }, rating: { interaction_at } })).toMatchObject({
      code: 'proof_expired',
    });
  });
});
