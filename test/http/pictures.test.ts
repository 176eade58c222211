import { describe, expect, it } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { alice, mallory, usdc } from '../support/offers.ts';
import { openedDirectory } from '../support/opened.ts';
import { faultsOfHtml } from '../support/valid-html.ts';

const url = 'https://mcp.example.com/mcp';
const at = (type: string) => ({ remotes: [{ type, url }] });
const names = ['none', 'one', 'gap', 'all', 'ahead', 'paid', 'free', 'sold'] as const;
const directory = await openedDirectory({ entries: [] });
const now_ms = directory.context.clock().getTime();
/** RFC 3339, so many days before today. */
const ago = (days: number) => new Date(now_ms - days * 86_400_000).toISOString();
const day = (days: number) => ago(days).slice(0, 10);
directory.wait(-100 * 86_400);
await directory.importEntries(
  names.map((name) => registryEntry(`com.example/${name}`, at('streamable-http'))),
);
directory.wait(100 * 86_400);

const made = { method_version: 'offers/1', vantage: 'here', source: 'Dossier' };
const window = { answered: 1, made: 1, others: {} };
const counted = (tally: object) => ({
  kind: 'endpoint.availability',
  subject: url,
  tally,
  spans: [
    {
      ...made,
      value: { days_30: window, days_90: window, first_check: day(1) },
      outcome: 'seen' as const,
      recorded: url,
      from: ago(0),
      to: ago(0),
      checks: 1,
    },
  ],
});
const offer = (amount: string, address: string) => ({
  place: 'quote',
  count: 1,
  priced: 1,
  offers: [{ amount, asset: usdc, network: 'eip155:8453', scheme: 'exact', pays: [{ address }] }],
  payees: [{ address, network: 'eip155:8453' }],
});
const quoted = (value: object | null, from: number, to: number) => ({
  ...made,
  value: value as never,
  outcome: value ? ('seen' as const) : ('silent' as const),
  recorded: url,
  from: ago(from),
  to: ago(to),
  checks: 2,
});
const put = (name: (typeof names)[number], timelines: readonly object[]) =>
  directory.store.write((tx) =>
    tx.observations.put({
      handle: `com.example/${name}`,
      observed_at: ago(0),
      timelines: timelines as never,
    }),
  );

await put('one', [counted({ [day(3)]: { answered: 1 } })]);
await put('gap', [
  counted({
    [day(120)]: { no_connection: 9 },
    [day(89)]: { answered: 2, no_connection: 1 },
    [day(40)]: { server_error: 2 },
    [day(0)]: { answered: 1 },
  }),
]);
await put('all', [
  counted(Object.fromEntries(Array.from({ length: 90 }, (_, days) => [day(days), { answered: 3 }]))),
]);
await put('ahead', [counted({ [day(-2)]: { answered: 4 }, [day(5)]: { not_there: 1 } })]);
await put('paid', [
  {
    kind: 'price.offers',
    subject: url,
    spans: [
      quoted(offer('10000', alice), 60, 40),
      quoted(null, 35, 35),
      quoted(offer('10000', alice), 30, 25),
      quoted(offer('50000', alice), 20, 12),
      quoted(offer('50000', mallory), 10, 0),
    ],
  },
]);
await put('free', [
  {
    kind: 'price.offers',
    subject: url,
    spans: [quoted(offer('0', alice), 60, 40), quoted(offer('0', mallory), 30, 0)],
  },
]);
const wei = (last: number, pays?: readonly object[], tool = 'search') => ({
  amount: `1${String(last).padStart(19, '0')}`,
  asset: '0xtoken',
  network: 'eip155:8453',
  scheme: 'exact',
  for: tool,
  pays,
});
const sold = (last: number, pays?: readonly object[]) => ({
  ...offer('1', alice),
  offers: [wei(last, pays), wei(1, pays, 'other'), wei(last + 1, [{ address: mallory }], 'other')],
});
await put('sold', [
  {
    kind: 'price.offers',
    subject: url,
    spans: [0, 1, 2, 3, 4].map((last) => {
      const days = 60 - 10 * last;
      const paid = { 0: [{ address: alice }], 4: [{ address: mallory }] } as const;
      return quoted(sold(last, paid[last as 0 | 4]), days, days);
    }),
  },
]);
await directory.store.write(async (tx) => {
  const change = (log_index: number, days: number, more: object) =>
    tx.observations.addChange({
      handle: 'com.example/paid',
      log_index,
      at: ago(days),
      vantage: 'here',
      changes: [more] as never,
    });
  const before = { value: offer('10000', alice), outcome: 'seen', seen_until: ago(25) };
  const item = { class: 'raised_twofold', was: { amount: '10000' }, is: { amount: '50000' } };
  await change(500, 60, { kind: 'price.offers', subject: url, after: before });
  await change(501, 20, {
    kind: 'price.offers',
    subject: url,
    before,
    after: { ...before, value: offer('50000', alice) },
    items: [item],
    counts: { raised_twofold: 1 },
  });
  await change(502, 10, {
    kind: 'price.offers',
    subject: url,
    before: { ...before, value: offer('50000', alice) },
    after: { ...before, value: offer('50000', mallory) },
    items: [{ class: 'payee_changed', was: { amount: '50000' }, is: { amount: '50000' } }],
    counts: { payee_changed: 1 },
  });
});

const pageOf = async (name: string, end = '') =>
  (
    await directory.app.request(`/agents/com.example/${name}${end}`, { headers: { accept: 'text/html' } })
  ).text();
const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
const numberOf = (page: string, element: string, name: string) =>
  page.split(`<${element} class="${name}"`).length - 1;
const cellsOf = (page: string) =>
  ['answered', 'failed', 'unasked'].map((name) => numberOf(page, 'rect', name));

describe('pictures of what happened over time', () => {
  it('draws each of 90 days with its checks, and says the same in words', async () => {
    const [one, gap, all] = await Promise.all([pageOf('one'), pageOf('gap'), pageOf('all')]);
    expect(cellsOf(one)).toEqual([1, 0, 89]);
    expect(textOf(one)).toContain(
      `${url} answered 1 of 1 check of Dossier, made on 1 of the 90 days until ${day(0)} (UTC).`,
    );
    expect(cellsOf(gap)).toEqual([2, 2, 87]);
    expect(gap).toContain(`<title>${day(89)}: 2 of 3 checks answered</title>`);
    expect(gap).toContain(`<title>${day(40)}: 0 of 2 checks answered</title>`);
    expect(gap).toContain(`<title>${day(1)}: no check counted</title>`);
    expect(textOf(gap)).toContain(
      `answered 3 of 6 checks of Dossier, made on 3 of the 90 days until ${day(0)} (UTC); not all answered on ${day(40)} (0 of 2) and ${day(89)} (2 of 3).`,
    );
    expect(cellsOf(all)).toEqual([90, 0, 0]);
  });

  it('draws nothing without a check, and leaves out what a clock that was ahead counted', async () => {
    expect(await pageOf('none')).not.toContain('<figure');
    expect(cellsOf(await pageOf('ahead'))).toEqual([0, 1, 89]);
  });

  it('draws the days until a past day with what was known then', async () => {
    const past = await pageOf('gap', `?as_of=${day(39)}`);
    expect(cellsOf(past)).toEqual([1, 3, 87]);
    expect(textOf(past)).toContain(`of the 90 days until ${day(39)} (UTC)`);
  });

  it('draws steps of the price, with a mark where another is paid', async () => {
    const page = await pageOf('paid');
    expect(['seen', 'unseen-between', 'riser'].map((name) => numberOf(page, 'line', name))).toEqual([
      3, 2, 2,
    ]);
    expect(numberOf(page, 'rect', 'payee')).toBe(1);
    expect(textOf(page)).toContain(
      `Price at ${url}: 0.01 USDC on Base from ${day(60)} to ${day(25)}, paid to ${alice}; then 0.05 USDC on Base from ${day(20)} to ${day(12)}; then 0.05 USDC on Base from ${day(10)} to ${day(0)}, paid to ${mallory} (Dossier).`,
    );
    const past = await pageOf('paid', `?as_of=${day(15)}`);
    expect(numberOf(past, 'line', 'seen')).toBe(2);
    expect(past).not.toContain(mallory);
  });

  it('names the tool of a price, tells apart amounts of a wei, and draws one offer of a unit', async () => {
    const page = textOf(await pageOf('sold'));
    const wei = '1'.padEnd(20, '0');
    expect(page).toContain(
      `Price of search at ${url}, after 1 earlier price: ${wei.slice(0, -1)}1 of 0xtoken on Base on ${day(50)}, no fixed payee seen;`,
    );
    expect(page).toContain(
      `${wei.slice(0, -1)}3 of 0xtoken on Base on ${day(30)}; then ${wei.slice(0, -1)}4 of 0xtoken on Base on ${day(20)}, paid to ${mallory} (Dossier).`,
    );
    expect(page).not.toContain('Price of other');
    expect(page).not.toContain('other payee');
  });

  it('draws a price of nothing at the foot', async () => {
    const page = await pageOf('free');
    expect(numberOf(page, 'line', 'seen')).toBe(2);
    expect(page).not.toContain('NaN');
    expect(textOf(page)).toContain(`0 USDC on Base from ${day(30)} to ${day(0)}, paid to ${mallory}`);
  });

  it('marks each change on one axis, and leads to its entry of the history', async () => {
    const [page, history] = await Promise.all([pageOf('paid'), pageOf('paid', '/history')]);
    expect(textOf(page)).toContain(
      `2 changes recorded from ${day(20)} to ${day(10)}: price 1, payee 1 (Dossier).`,
    );
    const links = [
      ...page.matchAll(/href="\/agents\/com\.example\/paid\/history#(at-\d+)"><title>(\w+), ([\d-]+): /g),
    ];
    expect(links.map(([, id, lane, on]) => [id, lane, on])).toEqual([
      [`at-${ago(20).replaceAll(/\D/g, '')}`, 'Price', day(20)],
      [`at-${ago(10).replaceAll(/\D/g, '')}`, 'Payee', day(10)],
    ]);
    for (const [, id] of links) expect(history).toContain(`<li id="${id}">`);
    expect(numberOf(page, 'circle', 'weight-2')).toBe(1);
    expect(numberOf(page, 'circle', 'weight-3')).toBe(1);
    expect(await pageOf('paid', `?as_of=${day(15)}`)).toContain('weight-2');
  });

  it('draws a small strip in a search and in a comparison, with a count of what changed', async () => {
    const search = await (
      await directory.app.request('/agents?q=gap', { headers: { accept: 'text/html' } })
    ).text();
    expect(search).toContain('<path class="answered" d="M29.5 0V16"/>');
    expect(search).not.toContain('class="failed"');
    expect(textOf(search)).toContain(`answered 1 of 1 checks in 30 days until ${day(0)}`);
    const compare = await (
      await directory.app.request(
        `/compare?${['gap', 'ahead', 'paid', 'free'].map((name) => `handle=com.example/${name}`).join('&')}&active=true`,
        { headers: { accept: 'text/html' } },
      )
    ).text();
    expect(textOf(compare)).toContain(`answered 0 of 1 checks in 30 days until ${day(0)}`);
    expect(compare).toContain('<path class="failed" d="M24.5 0V16"/>');
    expect(textOf(compare)).toContain(`1 checked fact changed, the newest value first seen on ${day(10)}`);
    expect(await faultsOfHtml(search)).toEqual([]);
    expect(await faultsOfHtml(compare)).toEqual([]);
  });

  it('is valid HTML', async () => {
    for (const end of ['', '/history', `?as_of=${day(15)}`])
      expect(await faultsOfHtml(await pageOf('paid', end))).toEqual([]);
    expect(await faultsOfHtml(await pageOf('gap'))).toEqual([]);
  });
});
