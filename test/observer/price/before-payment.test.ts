import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { expect, it } from 'vitest';
import { beforePayment, createClient } from '../../../src/client/client.ts';
import { runDossier } from '../../support/command.ts';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { type Asked, startX402Server } from '../../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../../support/entries.ts';
import { alice, askOf, mallory, usdc } from '../../support/offers.ts';

let asked: Asked = { dollars: '$0.02', payTo: alice };
/** What the wallet was asked to sign. */
const signed: unknown[] = [];

const shop = await startX402Server(() => asked);
const evil = await startX402Server(() => ({ dollars: '$0.02', payTo: mallory }));
const observed = await openObserved({ shop, evil });
for (const name of ['shop', 'evil', 'shop', 'evil']) await observed.directory.observe(handleAt(name));

const ask: typeof fetch = async (input, init) => observed.directory.app.request(new Request(input, init));
const away: typeof fetch = () => Promise.reject(new TypeError('no route'));

const hook = (fetch = ask, called?: { readonly handle: string }) => {
  const dossier = createClient({ url: 'http://127.0.0.1:3000', fetch });
  return beforePayment(
    dossier,
    ({ offers: [offer] }) =>
      offer?.payee === 'as_seen' ? undefined : (offer?.facts[0] ?? 'Dossier knows no offer.'),
    called,
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
    /Payee `0x2{40}`: never seen here; other: `0x1{40}` since [\d-]{10}\./,
  );
  expect(signed).toHaveLength(1);
});

it('has the form of agentkit’s hook', async () => {
  const payment = {
    payTo: alice,
    url: 'https://shop.example.com/mcp',
    network: 'eip155:8453',
    asset: usdc,
    amount: '20000',
    method: 'POST',
  };
  expect(await hook()(payment)).toBeUndefined();
  expect(await hook()({ ...payment, payTo: mallory })).toEqual({
    abort: true,
    reason: expect.stringMatching(/^Payee `0x2{40}`: never seen here;/),
  });
});

it('with the listing that is called, a request that names the listing of another is no other comparison', async () => {
  const theirs = { url: 'https://evil.example.com/mcp', description: '', mimeType: '' };
  const payer = createPayer(hook(ask, { handle: handleAt('shop') }));
  const required = { ...(await requiredBy(payer)), resource: theirs };
  expect(required.accepts[0]?.payTo).toBe(mallory);
  const before = signed.length;
  await expect(payer.client.createPaymentPayload(required)).rejects.toThrow(/Payee `0x2{40}`: never seen/);
  expect(signed).toHaveLength(before);
  expect(
    await hook(ask)({ paymentRequired: required, selectedRequirements: required.accepts[0] ?? {} }),
  ).toBe(undefined);
});

it('sends what is compared alone, however much else a request for a payment has', async () => {
  const payer = createPayer();
  asked = { dollars: '$0.02', payTo: alice };
  const required = await requiredBy(payer);
  const extensions = { bazaar: { info: Array.from({ length: 2000 }, () => 'a long description') } };
  expect(await payer.client.createPaymentPayload({ ...required, extensions })).toMatchObject({
    accepted: { payTo: alice },
  });
});

it('the hook that dossier hook prints stops at a payee that was swapped a minute ago, also after a check', async () => {
  const { stdout } = await runDossier(['hook', '--service', 'https://dossier.example'], {});
  const [, printed = ''] = /\n(import \{ x402Client .*?)\nFor CI/s.exec(stdout) ?? [];
  const code = `${printed.replaceAll(/^import .*$/gm, '')}\nreturn hook;`;
  const create = (options: object) => createClient({ ...options, url: 'http://127.0.0.1:3000', fetch: ask });
  const run = new Function('x402Client', 'beforePayment', 'createClient', code);
  const printedHook: ReturnType<typeof hook> = run(x402Client, beforePayment, create);
  const { directory } = observed;
  const remotes = [{ type: 'streamable-http', url: 'https://shop.example.com/mcp' }];
  await directory.importEntries([registryEntry('com.example/weather', { remotes })]);
  const reasonFor = async (payTo: string) =>
    (await printedHook({ payTo, network: 'eip155:8453', asset: usdc, amount: '20000' }))?.reason;
  const check = async (payTo: string, days: number) => {
    asked = { dollars: '$0.02', payTo };
    directory.wait(days * 86_400);
    await directory.observe('com.example/weather');
  };
  for (const days of [0, 2, 2, 2]) await check(alice, days);
  expect(await reasonFor(alice)).toBeUndefined();
  for (const days of [2, 6]) {
    await check(mallory, days);
    expect(await reasonFor(mallory)).toMatch(
      /^Payee `0x2{40}`: new since [\d-]{10} \(. checks?\); until [\d-]{10} it was `0x1{40}`\. /,
    );
    expect(await reasonFor(alice)).toMatch(/; this one was seen until /);
  }
  // However long ago: only the operator knows whether the other payee is meant.
  for (const days of [1, 30]) {
    await check(mallory, days);
    expect(await reasonFor(mallory)).toMatch(
      /^Payee `0x2{40}`: as seen since [\d-]{10} \(\d checks\); until [\d-]{10} it was `0x1{40}`\. /,
    );
  }
});

const nonsense: Readonly<Record<string, () => Response>> = {
  'an empty object': () => Response.json({}),
  null: () => Response.json(null),
  'no offers': () => Response.json({ message: '', offers: [], statement: '' }),
  'an offer without its parts': () => Response.json({ offers: [{ payee: 'as_seen', facts: [] }] }),
  'an offer beside others that were not compared': () => {
    const part = 'as_seen';
    const offer = { payee: part, amount: part, asset: part, network: part, scheme: part, facts: [] };
    return Response.json({ message: '', offers: [offer], more: 1, statement: '' });
  },
  'a page': () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
  'a failure': () => new Response('', { status: 502 }),
};
it.each(Object.entries(nonsense))(
  'throws for %s in place of an answer, whatever is refused',
  async (_, answer) => {
    const fetch = async () => answer();
    const dossier = createClient({ url: 'http://127.0.0.1:3000', fetch });
    const before = beforePayment(dossier, () => undefined);
    await expect(before({ payTo: alice, url: 'https://shop.example.com/mcp' })).rejects.toThrow(Error);
  },
);

it('throws if Dossier does not answer in time', async () => {
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  const dossier = createClient({ url: 'http://127.0.0.1:3000', fetch, timeout_ms: 20 });
  const before = beforePayment(dossier, () => undefined);
  await expect(before({ payTo: alice })).rejects.toMatchObject({ name: 'TimeoutError' });
});

it('throws if Dossier cannot be asked, and nothing is signed, or if nothing in it is a payment', async () => {
  const payer = createPayer(hook(away));
  const before = signed.length;
  await expect(payer.client.createPaymentPayload(await requiredBy(payer))).rejects.toThrow('no route');
  expect(signed).toHaveLength(before);
  await expect(hook()({ network: 'base' })).rejects.toThrow('invalid_input');
});
