import { describe, expect, it, vi } from 'vitest';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startShop } from '../../support/endpoints/paid-endpoint.ts';
import { connect } from '../../support/mcp-clients.ts';
import { alice, challengeOf, mallory, offerOf, unknownToken, usdc } from '../../support/offers.ts';
import { opened } from '../../support/opened.ts';
import { expectSameFacts } from '../../support/same-facts.ts';

const today = new Date().toISOString().slice(0, 10);
const urlAt = (name: string) => `https://${name}.example.com/mcp`;

const observed = await openObserved(
  {
    shop: await startShop(() => [offerOf(), challengeOf(alice)]),
    evil: await startShop(() => [offerOf({ payTo: mallory }), challengeOf(mallory)]),
  },
  { LIMITS: 'off' },
);
for (const name of ['shop', 'evil', 'shop', 'evil']) await observed.directory.observe(handleAt(name));
const client = await opened(connect('v2', { app: observed.directory.app }));

interface Answer {
  readonly handle?: string;
  readonly more?: number;
  readonly not_compared?: number;
  readonly offers: readonly {
    readonly number?: number;
    readonly resource?: string;
    readonly handle?: string;
    readonly payee: string;
    readonly facts: readonly string[];
  }[];
}

/** The JSON of an answer, whose text says the same. */
async function check(args: Record<string, unknown>) {
  const { structuredContent, content } = await client.call('check_offer', args);
  const text = content[0]?.text ?? '';
  expectSameFacts(text, structuredContent ?? {});
  return { text, ...(structuredContent as unknown as Answer) };
}
const payeesOf = ({ offers }: Answer) => offers.map(({ number, payee }) => [number, payee]);

describe('an offer for one resource beside an offer for another', () => {
  const swapped = offerOf({ payTo: mallory, resource: urlAt('shop') });
  const decoy = offerOf({ payTo: mallory, resource: urlAt('evil') });

  it('is compared with its own, and not with that of the offer before it', async () => {
    const { handle, offers, text } = await check({ offer: { x402Version: 1, accepts: [decoy, swapped] } });
    expect(handle).toBe(handleAt('evil'));
    expect(offers).toMatchObject([
      { number: 1, resource: urlAt('evil'), handle: handleAt('evil'), payee: 'as_seen' },
      { number: 2, resource: urlAt('shop'), handle: handleAt('shop'), payee: 'never_seen' },
    ]);
    expect(offers.map(({ facts }) => facts[0])).toEqual([
      `This offer is for \`${urlAt('evil')}\`.`,
      `This offer is for \`${urlAt('shop')}\`. It is compared with \`${handleAt('shop')}\`. The listing was found by the address that the offer itself names. A price for one request was last quoted to Dossier at \`${urlAt('shop')}\` on ${today}.`,
    ]);
    expect(text).toContain('\nOffer 2:\n');
  });

  it.each([
    ['in a list of offers', [decoy, swapped]],
    ['around its list and in it', { resource: { url: urlAt('evil') }, accepts: [swapped] }],
    ['under two names', [{ ...swapped, resource: urlAt('evil'), url: urlAt('shop') }]],
    [
      'in the text of a tool’s result',
      {
        structuredContent: { resource: { url: urlAt('evil') }, accepts: [offerOf({ payTo: mallory })] },
        content: [
          {
            type: 'text',
            text: JSON.stringify({
              resource: { url: urlAt('shop') },
              accepts: [offerOf({ payTo: mallory })],
            }),
          },
        ],
      },
    ],
  ])('which is named %s', async (_where, offer) => {
    expect((await check({ offer })).offers).toContainEqual(
      expect.objectContaining({ resource: urlAt('shop'), handle: handleAt('shop'), payee: 'never_seen' }),
    );
  });

  it('and one for an address that no listing records is said to be that', async () => {
    const nowhere = offerOf({ resource: 'https://nobody.example.org/x' });
    const { offers } = await check({ offer: [offerOf({ resource: urlAt('shop') }), nowhere] });
    expect(offers[1]).toMatchObject({ resource: 'https://nobody.example.org/x', payee: 'not_known' });
    expect(offers[1]?.handle).toBeUndefined();
    expect(offers[1]?.facts[0]).toBe(
      'This offer is for `https://nobody.example.org/x`. No listing shown here records `https://nobody.example.org/x`.',
    );
  });

  it('of spellings of one resource, each is compared, so that they cannot use up the three that are looked up', async () => {
    const spellings = [
      'https://shop.example.com/mcp/',
      'https://SHOP.example.com/mcp',
      'mcp://tool/a',
      'mcp://tool/b',
    ];
    const usual = spellings.map((resource) => offerOf({ resource }));
    const { offers, more, not_compared } = await check({ offer: [...usual, decoy, swapped] });
    expect(offers.map(({ number, payee }) => [number, payee])).toContainEqual([6, 'never_seen']);
    expect({ more, not_compared }).toEqual({ more: 3, not_compared: undefined });
  });

  it('and one with an address of more than 500 characters is not said to name none', async () => {
    const long = `${urlAt('shop')}?x=${'y'.repeat(600)}`;
    const { offers } = await check({ offer: [decoy, offerOf({ payTo: mallory, resource: long })] });
    expect(offers[1]).toMatchObject({ handle: handleAt('shop'), payee: 'never_seen' });
    expect(offers[1]?.facts[0]).toMatch(/^This offer is for “https:\/\/shop\.example\.com\/mcp\?x=y+…”\. /);
  });

  it('of more than three resources, those of the others are said not to be compared', async () => {
    const named = ['shop', 'evil', 'a', 'b', 'c'].map((name) => offerOf({ resource: urlAt(name) }));
    const { more, not_compared, text } = await check({ offer: named });
    expect({ more, not_compared }).toEqual({ more: 2, not_compared: 2 });
    expect(text).toContain('\n2 more offers were sent and are not shown; 2 of them were not compared.\n');
  });

  it('of one offer with four resources, the one that is left out is counted', async () => {
    const inner = offerOf({ payTo: mallory, resource: urlAt('a'), url: urlAt('shop') });
    const offer = { x402Version: 2, resource: urlAt('evil'), url: urlAt('b'), accepts: [inner] };
    const { offers, more, not_compared } = await check({ offer });
    expect(offers).toHaveLength(3);
    expect({ more, not_compared }).toEqual({ more: 1, not_compared: 1 });
  });

  it.each([
    ['a list of an unknown member', { splits: [{ recipient: mallory }] }],
    ['a name with a space', { 'fee recipient': mallory }],
    ['a text that ends with a space', { recipient: `${mallory} ` }],
    ['a deep path', { extra: { ['a'.repeat(250)]: { payTo: mallory } } }],
  ])('a recipient beside the payee in %s is one of the payees', async (_where, more) => {
    const { offers } = await check({ handle: handleAt('shop'), offer: offerOf(more) });
    expect(offers[0]?.payee).toBe('never_seen');
    expect(offers[0]?.facts[0]).toMatch(
      /^Payee `0x1{40}` and `0x2{40}`: never seen here; other: `0x1{40}` since /,
    );
  });
});

describe('of many offers, one that differs is shown', () => {
  const named = { handle: handleAt('shop') };

  it('before others that do not, with its place among them', async () => {
    const offer = [...Array.from({ length: 30 }, () => offerOf()), offerOf({ payTo: mallory })];
    const answer = await check({ ...named, offer });
    expect(payeesOf(answer)).toEqual([
      [1, 'as_seen'],
      [2, 'as_seen'],
      [31, 'never_seen'],
    ]);
    expect(answer).toMatchObject({ more: 28, not_compared: 11 });
  });

  it('also after some that cannot be read', async () => {
    const unreadable = Array.from({ length: 25 }, () => ({ payTo: 'pay this', amount: 'much' }));
    const answer = await check({ ...named, offer: [offerOf(), ...unreadable, offerOf({ payTo: mallory })] });
    expect(payeesOf(answer)).toEqual([
      [1, 'as_seen'],
      [27, 'never_seen'],
    ]);
  });
});

describe('an offer of another payee is read beside the usual one', () => {
  const bad = { accepts: [offerOf({ payTo: mallory })] };
  const good = { accepts: [offerOf()] };
  const encoded = (one: object) => Buffer.from(JSON.stringify(one)).toString('base64');
  it.each<[string, unknown]>([
    ['in a member of a list that is itself an offer', [{ ...offerOf(), ...bad }]],
    [
      'in an offer that is a challenge too',
      [
        {
          ...offerOf({ payTo: mallory }),
          method: 'tempo',
          intent: 'charge',
          request: { recipient: alice, amount: '10000', currency: usdc },
        },
      ],
    ],
    [
      'behind the head of a proxy',
      `HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 402 Payment Required\r\npayment-required: ${encoded(good)}\r\n\r\n${JSON.stringify(bad)}`,
    ],
    [
      'in the events of a server',
      `HTTP/1.1 200 OK\r\npayment-required: ${encoded(good)}\r\n\r\nevent: message\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { structuredContent: bad } })}\r\n\r\n`,
    ],
    ['in two headers that were joined', `${encoded(good)}, ${encoded(bad)}`],
    [
      'in a resource among the content',
      {
        structuredContent: good,
        content: [{ type: 'resource', resource: { uri: 'x402://pay', text: JSON.stringify(bad) } }],
      },
    ],
    ['in a member that no client is known to read', { ...good, payment: { options: [bad] } }],
    ['within an offer', { accepts: [{ ...offerOf(), outputSchema: bad }] }],
    ['in a challenge after a fault', `${challengeOf(alice)}, @, ${challengeOf(mallory)}`],
    [
      'in a challenge after a quote that does not end',
      `${challengeOf(alice)}, title="x, ${challengeOf(mallory)}`,
    ],
  ])('%s', async (_where, offer) => {
    const { offers } = await check({ handle: handleAt('shop'), offer });
    expect(offers.map(({ payee }) => payee).toSorted()).toEqual(['as_seen', 'never_seen']);
  });

  const invoice = 'L402 version="0", token="x", macaroon="x", invoice="lnbc1"';
  const unread = { accepts: [{ payTo: 'pay this', amount: 'much' }] };
  it.each<[string, unknown]>([
    ['in another protocol', { headers: { 'www-authenticate': invoice }, body: good }],
    [
      'in another protocol, in a response that was printed',
      `HTTP/1.1 402\r\nwww-authenticate: ${invoice}\r\n\r\n${JSON.stringify(good)}`,
    ],
    ['in a place of its own', { ...good, data: unread }],
    [
      'in two places',
      { ...good, structuredContent: unread, content: [{ type: 'text', text: JSON.stringify(unread) }] },
    ],
  ])('or counted, if it cannot be read: %s', async (_where, offer) => {
    const answer = await check({ handle: handleAt('shop'), offer });
    expect(payeesOf(answer)).toEqual([[expect.any(Number), 'as_seen']]);
    expect(answer).toMatchObject({ more: 1, not_compared: 1 });
    expect(answer.text).toContain('\n1 more offer was sent and is not shown; 1 of them was not compared.\n');
  });

  it.each([
    'Payment required',
    'Payment, please',
    'L402 is not supported here, use x402',
    'payment =',
    'X-PAYMENT header is required',
  ])('and words around it are no offer: %s', async (words) => {
    const offer = { ...good, error: words, message: words, data: words, text: words };
    for (const sent of [
      offer,
      JSON.stringify(offer),
      `HTTP/1.1 402 ${words}\r\n\r\n${JSON.stringify(offer)}`,
    ]) {
      const answer = await check({ handle: handleAt('shop'), offer: sent });
      expect(payeesOf(answer)).toEqual([[undefined, 'as_seen']]);
      expect([answer.more, answer.not_compared]).toEqual([undefined, undefined]);
    }
  });

  it('also in a body of a printed response that begins with white space', async () => {
    const head = `HTTP/1.1 402 Payment Required\r\nPAYMENT-REQUIRED: ${Buffer.from(JSON.stringify(good)).toString('base64')}`;
    const body = JSON.stringify({
      x402Version: 1,
      accepts: [offerOf({ payTo: mallory, amount: '9000000' })],
    });
    const { offers } = await check({ handle: handleAt('shop'), offer: `${head}\r\n\r\n \t${body}` });
    expect(offers.map(({ payee }) => payee).toSorted()).toEqual(['as_seen', 'never_seen']);
  });

  it('and a challenge that has a parameter twice is not read, but counted', async () => {
    const [request] = /request="[^"]+"/.exec(challengeOf(mallory)) ?? [];
    const answer = await check({
      handle: handleAt('shop'),
      offer: `${challengeOf(alice)}, ${challengeOf(alice)}, ${request}`,
    });
    expect(payeesOf(answer)).toEqual([[1, 'as_seen']]);
    expect(answer).toMatchObject({ more: 1, not_compared: 1 });
  });
});

describe('what an offer has beside its five parts', () => {
  const factsOf = async (offer: unknown) =>
    (await check({ handle: handleAt('shop'), offer })).offers[0]?.facts ?? [];

  it.each<[string, unknown, string]>([
    [
      'who gets a part of the payment (MPP)',
      challengeOf(alice, {
        methodDetails: { chainId: 8453, splits: [{ recipient: mallory, amount: '9999' }] },
      }),
      expect.stringMatching(/^Payee `0x1{40}` and `0x2{40}`: never seen here; other: `0x1{40}` since /),
    ],
    [
      'who gets a fee (x402)',
      [offerOf({ extra: { name: 'USD Coin', version: '2', feeRecipient: mallory } })],
      expect.stringMatching(/^Payee `0x1{40}` and `0x2{40}`: never seen here/),
    ],
    [
      'what is paid into a session (MPP)',
      challengeOf(alice, { suggestedDeposit: '5000000' }),
      'The offer also names `5000000` (`suggestedDeposit`); Dossier does not compare that.',
    ],
    [
      'how high a fee may be',
      [offerOf({ extra: { maxFeeBps: 9000 } })],
      'The offer also names `9000` (`extra.maxFeeBps`); Dossier does not compare that.',
    ],
    [
      'who is paid by another name',
      [{ ...offerOf(), recipient: mallory, description: 'Data' }],
      expect.stringMatching(/^Payee `0x1{40}` and `0x2{40}`: never seen here/),
    ],
    [
      'an address under any name',
      [offerOf({ extra: { settings: [{ x: unknownToken.toUpperCase().replace('0X', '0x') }] } })],
      `The offer also names \`${unknownToken}\` (\`extra.settings.0.x\`); Dossier does not compare that.`,
    ],
    [
      'which account at an address',
      [offerOf({ extra: { destinationTag: 7 } })],
      'The offer also names `7` (`extra.destinationTag`); Dossier does not compare that.',
    ],
    [
      'until when it holds',
      challengeOf(alice, {}, ', expires="2026-01-06T12:00:00Z"'),
      'By its own words, the offer expired on 2026-01-06.',
    ],
  ])('%s', async (_what, offer, fact) => {
    expect(await factsOf(offer)).toContainEqual(fact);
  });

  it('names an account in a list that says what it is', async () => {
    const offer = offerOf({ extra: { destinations: ['r1', { to: 'r2' }] } });
    const { offers } = await check({ handle: handleAt('shop'), offer });
    expect(offers[0]?.facts.join('\n')).toContain('`r1` (`extra.destinations.0`)');
  });

  it('of many such members, five are named; and an ordinary offer has none', async () => {
    const extra = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`memo${at}`, `m${at}`]));
    const [, beside = ''] = await factsOf([offerOf({ extra })]);
    expect(beside.match(/extra\.memo\d/g)).toHaveLength(5);
    expect(beside).toContain(' and 4 more; Dossier');
    expect(await factsOf([offerOf({ extra: { name: 'USD Coin', version: '2' } })])).toHaveLength(1);
    expect(await factsOf(challengeOf(alice, {}, ', expires="2999-01-06T12:00:00Z"'))).toHaveLength(1);
  });
});

describe('members within a member with a long name', () => {
  /** Counts the characters that are split, of an offer in 20 wrappers. */
  async function splitFor(length: number) {
    const within = Object.fromEntries(Array.from({ length }, (_, at) => [`m${at}`, 1]));
    const offer = { ...offerOf(), ['a.'.repeat(length)]: within };
    const wrapped = Array.from({ length: 20 }).reduce<object>((data) => ({ data }), offer);
    const split = vi.spyOn(String.prototype, 'split');
    try {
      await check({ handle: handleAt('shop'), offer: JSON.stringify(wrapped) });
      return split.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0);
    } finally {
      split.mockRestore();
    }
  }

  it('do not each read that name again', async () => {
    expect(await splitFor(1000)).toBeLessThan(2_000_000);
  });
});

describe('texts within texts', () => {
  const inHeader = (sent: object) => {
    const encoded = Buffer.from(JSON.stringify(sent)).toString('base64');
    // The header is read as a header, and as a list of values.
    return { text: `payment-required:A,${encoded}` };
  };
  const nested = (levels: number, innermost: object): object =>
    Array.from({ length: levels }).reduce<object>(inHeader, innermost);

  it('are read once each, in whatever ways they are reached', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    try {
      const offer = nested(12, { accepts: [offerOf({ payTo: mallory })] });
      expect((await check({ handle: handleAt('shop'), offer })).offers).toMatchObject([
        { payee: 'never_seen' },
      ]);
      expect(parse.mock.calls.length).toBeLessThan(500);
    } finally {
      parse.mockRestore();
    }
  });

  it('hide no offer by being too deep at first', async () => {
    const text = JSON.stringify([{ payTo: mallory }]);
    const deep = nested(14, { data: { data: { text } } });
    const { offers } = await check({ handle: handleAt('shop'), offer: { data: deep, body: { text } } });
    expect(offers).toMatchObject([{ payee: 'never_seen' }]);
  });
});
