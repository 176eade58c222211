import { request } from 'node:http';
import { decodePaymentRequiredHeader } from '@x402/core/http';

/** Addresses that are paid in tests, and tokens. */
export const alice = '0x1111111111111111111111111111111111111111';
export const mallory = '0x2222222222222222222222222222222222222222';
export const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const unknownToken = '0x5577777777777777777777777777777777777755';

/** An address of its own for each number. */
export const numbered = (at: number) => `0x${String(at).padStart(40, '0')}`;

/** A way to pay a cent of USDC to alice, as x402 has it, with members changed. */
export const offerOf = (changed: object = {}) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  payTo: alice,
  asset: usdc,
  amount: '10000',
  maxTimeoutSeconds: 60,
  ...changed,
});

/** A challenge of MPP for a cent of USDC on Base, with members of its request and parameters changed. */
export const challengeOf = (recipient: string, more: object = {}, parameters = '', intent = 'charge') => {
  const request = { amount: '10000', currency: usdc, recipient, methodDetails: { chainId: 8453 }, ...more };
  const encoded = Buffer.from(JSON.stringify(request)).toString('base64url');
  return `Payment id="1", realm="till", method="tempo", intent="${intent}"${parameters}, request="${encoded}"`;
};

/**
 * What a server asks for at `https://<host>/mcp`, as it sends it: its two headers, the body, and what x402's
 * own reader makes of it.
 */
export async function askOf({ url }: { readonly url: string }, host: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly headers: NodeJS.Dict<string | string[]>;
    readonly body: string;
  }>();
  const headers = { host, 'content-type': 'application/json' };
  request(`${url}/mcp`, { method: 'POST', headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      resolve({ headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }),
    );
  })
    .on('error', reject)
    .end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  const answer = await promise;
  const header = String(answer.headers['payment-required'] ?? '');
  return {
    body: answer.body,
    header,
    challenge: String(answer.headers['www-authenticate'] ?? ''),
    required: header === '' ? undefined : decodePaymentRequiredHeader(header),
  };
}

type StatedOffer = {
  readonly [Name in 'for' | 'amount' | 'asset' | 'network' | 'scheme']?: string;
} & { readonly pays?: { readonly address: string }[] };

/** The value of a fact about prices, as a check stores it. */
export const pricesAt = (place: string, ...offers: readonly StatedOffer[]) => ({
  place,
  count: offers.length,
  priced: offers.filter(({ amount }) => amount !== undefined).length,
  offers: [...offers],
  payees: offers.flatMap(({ network = '', pays = [] }) => pays.map(({ address }) => ({ address, network }))),
  ...(offers.some((one) => one.for) && {
    tools: offers.flatMap((one) => one.for ?? []),
    tools_count: offers.length,
  }),
});
