import { generateKeyPairSync, sign } from 'node:crypto';
import {
  createEIP712OfferReceiptIssuer,
  createJWSOfferReceiptIssuer,
  createOfferReceiptExtension,
} from '@x402/extensions/offer-receipt';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { startX402Server } from '../../support/endpoints/paid-endpoint.ts';

const account = privateKeyToAccount(generatePrivateKey());
const stranger = '0x3333333333333333333333333333333333333333';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = publicKey.export({ format: 'jwk' });

const eip712 = createEIP712OfferReceiptIssuer('did:pkh:eip155:1:x', (data) =>
  account.signTypedData(data as Parameters<typeof account.signTypedData>[0]),
);
const jws = (kid: string) =>
  createJWSOfferReceiptIssuer(kid, {
    kid,
    format: 'jws',
    algorithm: 'ES256',
    sign: async (bytes) =>
      sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
  });
const startSigning = (issuer: ReturnType<typeof jws>, payTo: string, files: Record<string, unknown> = {}) =>
  startX402Server(() => ({ dollars: '$0.01', payTo }), {
    extension: createOfferReceiptExtension(issuer),
    declared: { 'offer-receipt': {} },
    files,
  });

const accepted = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: account.address,
};
const startForging = (offers: unknown) =>
  startEndpoint((_, __, response) => {
    const body = {
      x402Version: 2,
      accepts: [accepted],
      extensions: { 'offer-receipt': { info: { offers } } },
    };
    const header = Buffer.from(JSON.stringify(body)).toString('base64');
    response.writeHead(402, { 'payment-required': header }).end();
  });

let observed: ObservedDirectory;

beforeAll(async () => {
  const didWeb = 'did:web:web.example.com';
  const payload = { version: 1, resourceUrl: 'x', ...accepted, validUntil: 1 };
  observed = await openObserved({
    recipient: await startSigning(eip712, account.address),
    stranger: await startSigning(eip712, stranger),
    jwk: await startSigning(
      jws(`did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}#0`),
      stranger,
    ),
    web: await startSigning(jws(`${didWeb}#key-1`), stranger, {
      '/.well-known/did.json': {
        id: didWeb,
        verificationMethod: [{ id: `${didWeb}#key-1`, type: 'JsonWebKey', publicKeyJwk: jwk }],
      },
    }),
    lost: await startSigning(jws('did:web:nowhere.example.com#key-1'), stranger),
    forged: await startForging([
      { format: 'eip712', payload, signature: `0x${'00'.repeat(65)}` },
      { format: 'eip712', payload: { ...payload, amount: 1 }, signature: '0x00' },
      { format: 'jws', signature: 'a.b.c' },
      { format: 'jws', signature: 'x'.repeat(5000) },
      null,
    ]),
  });
});
afterAll(() => observed.close());

const see = async (name: string) => (await observed.look(name, 'price.signed_offers'))[0];

it('an EIP-712 signature of the recipient is valid, and says who signed', async () => {
  const found = await see('recipient');
  expect(found).toMatchObject({
    state: 'observed',
    value: '1 of 1 valid',
    reason: 'The valid signatures also show who signed: each signer is the address that is paid.',
    details: {
      offers: [
        {
          format: 'eip712',
          signature: 'valid',
          signer: account.address.toLowerCase(),
          authorisation: 'recipient',
          is_quoted: true,
        },
      ],
    },
  });
  expect(found?.as_seen?.signed).toMatchObject([{ signature: expect.stringMatching(/^0x[\da-f]{130}$/) }]);
});

it('a valid signature of somebody else is not taken for the publisher’s', async () => {
  expect(await see('stranger')).toMatchObject({
    value: '1 of 1 valid',
    reason:
      'A valid signature says that some key signed the offer; that its holder may speak for the service was not shown for each.',
    details: { offers: [{ signature: 'valid', authorisation: 'none' }] },
  });
  expect(await see('jwk')).toMatchObject({
    details: { offers: [{ format: 'jws', signature: 'valid', authorisation: 'none', is_quoted: true }] },
  });
});

it('a JWS by a key that the endpoint’s own host publishes says who signed', async () => {
  expect(await see('web')).toMatchObject({
    reason: 'The valid signatures also show who signed: each key is published by the endpoint’s own host.',
    details: {
      offers: [{ signature: 'valid', signer: 'did:web:web.example.com#key-1', authorisation: 'host' }],
    },
  });
});

it('a key that cannot be read leaves the signature unchecked, and a forged one is none', async () => {
  expect(await see('lost')).toMatchObject({
    value: '0 of 1 valid',
    reason: 'No signature was found valid.',
    details: { offers: [{ signature: 'not_checked', authorisation: 'none' }] },
  });
  expect(await see('forged')).toMatchObject({
    value: '0 of 5 valid',
    details: {
      offers: [{ signature: 'invalid' }, { signature: 'not_checked' }, { signature: 'not_checked' }],
    },
  });
});

it('the next signatures of the same offer are no change', async () => {
  const size = await observed.directory.store.log.size();
  observed.directory.wait(86_400);
  await see('recipient');
  await see('web');
  expect(await observed.directory.store.log.size()).toBe(size);
});
