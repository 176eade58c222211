import { expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, openCheckedTwice } from '../../support/endpoints/observed.ts';
import { alice, offerOf, usdc } from '../../support/offers.ts';

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const upto = offerOf({ scheme: 'upto', amount: '500000' });
const asked: Record<string, object> = {
  upto,
  solana: offerOf({
    network: 'solana',
    asset: mint,
    payTo: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
    amount: '4000',
    extra: { feePayer: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4' },
  }),
  moved: offerOf(),
  closed: upto,
};
const { directory } = await openCheckedTwice(Object.keys(asked), (name) =>
  startEndpoint((_, __, response) => {
    const accepts = asked[name];
    if (!accepts) response.writeHead(401, { 'www-authenticate': 'Bearer realm="a"' }).end();
    else
      response
        .writeHead(402)
        .end(JSON.stringify({ x402Version: 2, accepts: [accepts], resource: { url: 'x' } }));
  }),
);

interface Body {
  readonly lines: { readonly costs: string };
  readonly offers: readonly { readonly facts: readonly string[] }[];
  readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
  readonly results: readonly { readonly facts: readonly string[] }[];
}
const call = (tool: string, input: object) => callTool<Body>(directory, tool, input);

it('the most that a call may cost is called so wherever its price is said', async () => {
  const handle = handleAt('upto');
  expect((await call('get_agent', { handle })).lines.costs).toContain(
    `: at most 0.5 USDC (500000 of \`${usdc.toLowerCase()}\`) (scheme \`upto\`) on Base (\`eip155:8453\`), paid to \`${alice}\``,
  );
  const hit = expect.stringContaining('asks for a payment first (at most 0.5 USDC (scheme `upto`) on Base)');
  expect((await call('search_agents', { query: handle })).listings[0]?.facts).toContainEqual(hit);
  expect((await call('resolve_agents', { handles: [handle] })).results[0]?.facts).toContainEqual(hit);
});

it('a lower maximum is not called a lower price', async () => {
  const offer = { x402Version: 2, accepts: [{ ...upto, amount: '400000' }] };
  const { offers } = await call('check_offer', { handle: handleAt('upto'), offer });
  expect(offers[0]?.facts).toContainEqual(
    expect.stringMatching(
      /^Amount at most 0\.4 USDC \(400000\): a lower maximum than at most 0\.5 USDC \(500000\), last seen on [\d-]{10}\.$/,
    ),
  );
});

it('USDC on Solana is known, and who pays the fee of the network hides no payee', async () => {
  const { costs } = (await call('get_agent', { handle: handleAt('solana') })).lines;
  expect(costs).toContain(`: 0.004 USDC (4000 of \`${mint}\`) on Solana`);
  expect(costs).not.toContain('cannot read');
});

it('a scheme that was quoted for another asset before is as seen, and did not replace itself', async () => {
  const handle = handleAt('moved');
  asked.moved = offerOf({ network: 'base-sepolia', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' });
  directory.wait(3 * 86_400);
  await directory.observe(handle);
  const { offers } = await call('check_offer', { handle, offer: { x402Version: 2, accepts: [asked.moved] } });
  expect(offers).toMatchObject([{ asset: 'new', network: 'new', scheme: 'as_seen' }]);
  expect(offers[0]?.facts.join(' ')).not.toContain('it was `exact`');
});

it('a price that was seen is told until which day, and what came after, when the endpoint quotes none', async () => {
  const handle = handleAt('closed');
  delete asked.closed;
  directory.wait(3 * 86_400);
  await directory.observe(handle);
  const { costs } = (await call('get_agent', { handle })).lines;
  expect(costs).toMatch(
    /: at most 0\.5 USDC .*, not seen by checks since [\d-]{10}: .+\(Dossier, [\d-]{10}\)/,
  );
  expect(costs).not.toMatch(/no price could be seen|price not known/i);
});
