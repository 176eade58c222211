import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { beforePayment, createClient } from '../../../src/client/client.ts';
import { handleAt, type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { type Asked, startX402Server } from '../../support/endpoints/paid-endpoint.ts';
import { alice, askOf, mallory, usdc } from '../../support/offers.ts';

let asked: Asked = { dollars: '$0.02', payTo: alice };
let observed: ObservedDirectory;
let shop: Awaited<ReturnType<typeof startX402Server>>;
/** What the wallet was asked to sign. */
const signed: unknown[] = [];

beforeAll(async () => {
  shop = await startX402Server(() => asked);
  observed = await openObserved({ shop });
  await observed.directory.observe(handleAt('shop'));
});
afterAll(() => observed.close());

const ask: typeof fetch = async (input, init) => observed.directory.app.request(new Request(input, init));
const away: typeof fetch = () => Promise.reject(new TypeError('no route'));

const hook = (fetch = ask) => {
  const dossier = createClient({ url: 'http://127.0.0.1:3000', fetch });
  return beforePayment(dossier, ({ offers: [offer] }) =>
    offer?.payee === 'as_seen' ? undefined : (offer?.facts[0] ?? 'Dossier knows no offer.'),
  );
};

/** A client of x402 with a wallet that signs whatever it is asked to. */
function createPayer(before = hook()) {
  const signTypedData = async (message: unknown) => {
    signed.push(message);
    return `0x${'11'.repeat(65)}` as const;
  };
  const client = new x402Client();
  client.register('eip155:*', new ExactEvmScheme({ address: mallory, signTypedData }));
  client.onBeforePaymentCreation(before);
  return { client, http: new x402HTTPClient(client) };
}

/** What the shop asks a client of x402 for, as its own packages read it. */
async function requiredBy({ http }: ReturnType<typeof createPayer>) {
  const { header, body } = await askOf(shop, 'shop.example.com');
  const headers = new Map([['PAYMENT-REQUIRED', header]]);
  return http.getPaymentRequiredResponse((name) => headers.get(name), JSON.parse(body));
}

it('an x402 client signs a payment to the payee that Dossier saw, and none to another', async () => {
  const payer = createPayer();
  const payload = await payer.client.createPaymentPayload(await requiredBy(payer));
  expect(payload).toMatchObject({ accepted: { payTo: alice, amount: '20000' } });
  expect(signed).toHaveLength(1);
  asked = { dollars: '$0.02', payTo: mallory };
  await expect(payer.client.createPaymentPayload(await requiredBy(payer))).rejects.toThrow(
    /Payee `0x2{40}`: never seen here; other: `0x1{40}` until [\d-]{10}\./,
  );
  expect(signed).toHaveLength(1);
});

it('has the form of agentkit’s hook', async () => {
  const payment = {
    ...{ payTo: alice, url: 'https://shop.example.com/mcp', network: 'eip155:8453', asset: usdc },
    ...{ amount: '20000', method: 'POST' },
  };
  expect(await hook()(payment)).toBeUndefined();
  expect(await hook()({ ...payment, payTo: mallory })).toEqual({
    abort: true,
    reason: expect.stringMatching(/^Payee `0x2{40}`: never seen here;/),
  });
});

it('throws if Dossier cannot be asked, and nothing is signed, or if nothing in it is a payment', async () => {
  const payer = createPayer(hook(away));
  await expect(payer.client.createPaymentPayload(await requiredBy(payer))).rejects.toThrow('no route');
  expect(signed).toHaveLength(1);
  await expect(hook()({ network: 'base' })).rejects.toThrow('invalid_input');
});
