import { createHash, sign } from 'node:crypto';
import {
  createReceiptJWS,
  type EIP712SignedReceipt,
  type ReceiptPayload,
  signReceiptEIP712,
} from '@x402/extensions/offer-receipt';
import canonicalize from 'canonicalize';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { documentOf } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { type Answered, openRatedDirectory, type RatedDirectory } from '../support/rating-doors.ts';
import { makeServiceKey, publishLines } from '../support/receipts.ts';

const service = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const payer = privateKeyToAccount(generatePrivateKey());
const ed25519 = makeServiceKey('did:web:mcp.webhook.co#key-1');

/** The line that publishes an account's key. */
const lineOf = (kid: string, { publicKey }: typeof service) => {
  const point = Buffer.from(publicKey.slice(4), 'hex');
  const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((half) => half.toString('base64url'));
  const jwk = JSON.stringify({ kty: 'EC', crv: 'secp256k1', x, y });
  return `receipt-key ${kid} ${Buffer.from(jwk).toString('base64url')}`;
};

describe('a payment receipt of x402', () => {
  let directory: RatedDirectory;
  beforeAll(async () => {
    directory = await openRatedDirectory('an MCP client');
    await publishLines(directory, [lineOf('wallet', service), ed25519.line]);
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => directory.close());

  const seconds = (ago: number) => Math.floor(Date.parse(directory.at(-ago)) / 1000);
  const payloadOf = (change: object = {}): ReceiptPayload => ({
    version: 1,
    network: 'eip155:8453',
    resourceUrl: 'https://mcp.webhook.co/paid',
    payer: payer.address,
    issuedAt: seconds(60),
    transaction: '',
    ...change,
  });
  const eip712 = async (payload: ReceiptPayload, account = service): Promise<EIP712SignedReceipt> => ({
    format: 'eip712',
    payload,
    signature: await signReceiptEIP712(payload, (data) =>
      account.signTypedData(data as Parameters<typeof account.signTypedData>[0]),
    ),
  });
  /**
   * Signs with the x402 extension. It takes issuedAt from the clock of the process, which is set to the
   * payload's.
   */
  async function jws({ resourceUrl, network, payer: paidBy, issuedAt }: ReceiptPayload) {
    vi.useFakeTimers({ toFake: ['Date'], now: issuedAt * 1000 });
    const receipt = await createReceiptJWS(
      { resourceUrl, network, payer: paidBy },
      {
        kid: ed25519.kid,
        format: 'jws',
        algorithm: 'EdDSA',
        sign: async (bytes) => sign(null, bytes, ed25519.privateKey).toString('base64url'),
      },
    );
    vi.useRealTimers();
    return receipt;
  }
  /** A rating with a receipt and the payer's signature of it. */
  async function paid(receipt: object, { as = payer, rating = directory.rating(), origin = '' } = {}) {
    const { handle, ...content } = rating;
    const digest = createHash('sha256')
      .update(String(canonicalize(content)))
      .digest('hex');
    const address = origin || directory.context.config.publicUrl;
    const message = `dossier/rating/v1\n${address}\n${String(handle)}\n${digest}`;
    const possession = await as.signMessage({ message });
    return { ...rating, proof: { kind: 'payment_receipt', value: JSON.stringify({ receipt, possession }) } };
  }
  const submit = (rating: object, as = directory.rater): Promise<Answered> =>
    directory.call('submit_rating', rating, as);

  it('signed as EIP-712 or as a JWS is checked and counted apart', async () => {
    const other = payloadOf({ resourceUrl: 'https://mcp.webhook.co/other' });
    for (const receipt of [await eip712(payloadOf()), await jws(other)]) {
      expect(await submit(await paid(receipt))).toMatchObject({
        status: 'created',
        group: 'independent',
        proof_class: 'payment_receipt',
      });
    }
    const { signals } = (await documentOf(directory, 'co.webhook/webhook')) as unknown as {
      signals: { native: { independent: { by_proof: object }; proof_meanings: object } };
    };
    expect(signals.native.independent.by_proof).toMatchObject({ none: 0, payment_receipt: 2 });
    expect(signals.native.proof_meanings).toEqual({
      payment_receipt:
        'The key that paid signed this rating, and a key that the rated listing published with its claim confirmed the payment. This does not show who owns the wallet, and says nothing about quality. A service can refuse receipts to critics.',
    });
  });

  it('as text, for a rating whose evidence is text, is checked against the rating as it was sent', async () => {
    const receipt = await eip712(payloadOf({ resourceUrl: 'https://mcp.webhook.co/as-text' }));
    const rating = directory.rating({
      evidence: ['url:https://a.example/1', { kind: 'commit', value: 'c:0' }],
    });
    const { proof, ...sent } = await paid(receipt, { rating });
    const answer = await submit({ ...sent, proof: `${proof.kind}:${proof.value}` });
    expect(answer).toMatchObject({ status: 'created', proof_class: 'payment_receipt' });
    expect(await submit({ ...sent, proof })).toMatchObject({
      status: 'replayed',
      rating_id: answer.rating_id,
    });
    const { ratings } = (await directory.call('list_ratings', {
      handle: 'co.webhook/webhook',
      proof_class: 'payment_receipt',
    })) as unknown as { ratings: { rating_id: string; evidence?: object[] }[] };
    expect(ratings.find(({ rating_id }) => rating_id === answer.rating_id)?.evidence).toEqual([
      { kind: 'url', value: 'https://a.example/1' },
      { kind: 'commit', value: 'c:0' },
    ]);
  });

  it('without the optional transaction is the same as with an empty one', async () => {
    const { transaction: _, ...payload } = payloadOf({ resourceUrl: 'https://mcp.webhook.co/free' });
    const { signature } = await eip712({ ...payload, transaction: '' });
    const receipt = { format: 'eip712', payload, signature };
    expect(await submit(await paid(receipt))).toMatchObject({ status: 'created' });
    expect(await submit(await paid(await eip712({ ...payload, transaction: '' })))).toMatchObject({
      code: 'proof_reused',
    });
  });

  it('counts once: two signed ratings of different interactions at once, in either format', async () => {
    const payload = payloadOf({ resourceUrl: 'https://mcp.webhook.co/raced' });
    const receipts = [await eip712(payload), await eip712(payload), await jws(payload), await jws(payload)];
    const ratings: object[] = [];
    for (const receipt of receipts) ratings.push(await paid(receipt));
    const answers = await Promise.all(ratings.map((rating) => submit(rating)));
    expect(answers.filter(({ status }) => status === 'created')).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'proof_reused')).toHaveLength(3);
  });

  it('that was stolen is refused: the thief has no signature of the payer for its own rating', async () => {
    const receipt = await eip712(payloadOf());
    expect(await submit(await paid(receipt, { as: stranger }))).toMatchObject({ code: 'proof_not_yours' });
    expect(await submit(await paid(receipt, { origin: 'https://other.example' }))).toMatchObject({
      code: 'proof_not_yours',
    });
    const { proof } = await paid(receipt);
    expect(await submit({ ...directory.rating({ score: 1 }), proof })).toMatchObject({
      code: 'proof_not_yours',
    });
  });

  it.each<[string, string, object]>([
    ['for another service', 'proof_wrong_subject', { resourceUrl: 'https://mcp.rater.example/paid' }],
    ['for a text that is no address', 'proof_wrong_subject', { resourceUrl: 'paid' }],
    ['for another network', 'proof_invalid', { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }],
    ['for a payer that is no address', 'proof_invalid', { payer: 'me' }],
    ['of another version', 'proof_invalid', { version: 2 }],
  ])('%s is refused: %s', async (_, code, change) => {
    expect(await submit(await paid(await eip712(payloadOf(change))))).toMatchObject({ code });
  });

  it('for a text that is no address is refused even if a recorded address has only variables', async () => {
    const [recorded] = seedEntries;
    const remotes = [{ type: 'streamable-http', url: 'https://{host}:{port}/mcp' }];
    await directory.importEntries([
      registryEntry('co.webhook/webhook', { ...recorded?.server, version: '1.0.1', remotes }),
    ]);
    const answer = await submit(await paid(await eip712(payloadOf({ resourceUrl: 'paid' }))));
    await directory.importEntries([
      registryEntry('co.webhook/webhook', { ...recorded?.server, version: '1.0.2' }),
    ]);
    expect(answer).toMatchObject({ code: 'proof_wrong_subject' });
  });

  it.each<[string, string, () => Promise<object>]>([
    ['signed by a stranger', 'proof_key_unknown', () => eip712(payloadOf(), stranger)],
    [
      'whose payload was changed afterwards',
      'proof_key_unknown',
      async () => ({ ...(await eip712(payloadOf())), payload: payloadOf({ transaction: '0x1' }) }),
    ],
    [
      'signed before the key was published',
      'proof_key_unknown',
      () => eip712(payloadOf({ issuedAt: seconds(7200) })),
    ],
    ['from the future', 'proof_expired', () => eip712(payloadOf({ issuedAt: seconds(-3600) }))],
    ['without a signature', 'proof_invalid', async () => ({ format: 'eip712', payload: payloadOf() })],
    [
      'with a signature that recovers to nothing',
      'proof_invalid',
      async () => ({ format: 'eip712', payload: payloadOf(), signature: `0x${'00'.repeat(65)}` }),
    ],
    ['of an unknown format', 'proof_invalid', async () => ({ ...(await eip712(payloadOf())), format: 'x' })],
    [
      'with a forged JWS',
      'proof_invalid',
      async () => {
        const receipt = await jws(payloadOf());
        return { ...receipt, signature: `${receipt.signature.slice(0, -20)}${'A'.repeat(20)}` };
      },
    ],
    ['that is no object', 'proof_invalid', async () => []],
  ])('%s is refused: %s', async (_, code, receipt) => {
    expect(await submit(await paid(await receipt()))).toMatchObject({ code });
  });

  it('that is no JSON, or too large, is refused', async () => {
    const send = (value: string) =>
      submit({ ...directory.rating(), proof: { kind: 'payment_receipt', value } });
    expect(await send('receipt')).toMatchObject({ code: 'proof_invalid' });
    expect(await send('null')).toMatchObject({ code: 'proof_invalid' });
    expect(await send('x'.repeat(4097))).toMatchObject({ code: 'invalid_input' });
  });
});
