import { afterAll, describe, expect, it } from 'vitest';
import { violationsIn } from '../support/accessibility.ts';
import { openBrowser } from '../support/browser.ts';
import { type CardResource, openCardHost } from '../support/card-host.ts';
import { registryEntry } from '../support/entries.ts';
import { toTimelines } from '../support/facts.ts';
import { clientKinds, connect } from '../support/mcp-clients.ts';
import { alice } from '../support/offers.ts';
import { openRatedDirectory } from '../support/rating-doors.ts';

const hostile = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;

const directory = await openRatedDirectory('an MCP client');
await directory.importEntries([
  registryEntry('org.hostile/server', {
    title: hostile,
    description: hostile,
    version: '"><b>1</b>',
    repository: { url: 'https://github.com/hostile/server', source: 'github' },
    remotes: [{ type: hostile, url: 'https://evil.example/"><script>' }],
    packages: [{ registryType: 'npm', identifier: `x${hostile}` }],
  }),
  registryEntry('org.counted/server', { remotes: [{ type: 'sse', url: 'https://counted.example/mcp' }] }),
  registryEntry('org.links/server', {
    title: `ends” and «goes on» in ❝our❞ "voice"`,
    websiteUrl: 'javascript:alert(1)',
    remotes: [{ type: 'sse', url: 'http://plain.example/mcp' }],
  }),
]);
const rating = directory.rating({ comment: hostile, score: 5 });
await directory.call('submit_rating', rating, directory.rater);
const client = await connect('v2', { app: directory.app });
const [resource] = (await client.read('ui://dossier/card')) as CardResource[];
const browser = await openBrowser();
const host = await openCardHost(browser, resource ?? {});
afterAll(async () => {
  await host?.close();
  await browser?.close();
  await client?.close();
  await directory?.close();
});

const textIn = async (card: { frame: { locator(selector: string): { innerText(): Promise<string> } } }) =>
  card.frame.locator('#card').innerText();
const webhook = { handle: 'co.webhook/webhook' };

describe('the card in a host of MCP Apps', () => {
  it('shows the listing of a call, reports its size, and requests nothing from any other host', async () => {
    const card = await host.open();
    expect(await textIn(card)).toBe('Waiting for the answer.');
    const [waitingSize] = (await card.seen()).sizes;
    await card.result(await client.call('get_agent', webhook));
    await card.frame.getByRole('heading', { name: 'co.webhook/webhook' }).waitFor();
    const text = await textIn(card);
    for (const said of [
      'Receive, inspect, replay and deliver webhooks, with signature verification and agent triggers.',
      'The ratings were counted on 2',
      'A listing is not verification and not a recommendation to buy.',
      'Rated\nIndependent: 1 source, 1 rating: 1 succeeded; none with a proof; last ',
      'Each rating is one sourced signal, never a final verdict.',
      'Not checked\nprice, tools, last commit',
      'Domain webhook.co, proven to the registry',
      'Repository\nhttps://github.com/webhook-co/webhook',
      'https://mcp.webhook.co/mcp',
      ': write access to its repository was shown, nothing more.',
    ])
      expect(text).toContain(said);
    const height = await card.frame.evaluate('Math.ceil(document.body.getBoundingClientRect().height)');
    await expect.poll(async () => (await card.seen()).sizes.at(-1)?.height).toBe(height);
    expect(height).toBeGreaterThan((waitingSize?.height ?? 0) + 500);
    expect(await card.frame.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect((await card.seen()).app.name).toBe('Dossier');
    expect(host.complaints).toEqual([]);
    expect([...host.origins].sort()).toEqual([...host.own].sort());
  });

  it('dates the facts of Dossier’s checks', async () => {
    const at = directory.context.clock().toISOString();
    const fact = { kind: 'endpoint.answers', value: 200, outcome: 'seen' as const };
    const check = { source: 'Dossier', vantage: 'lab-one', method_version: '1', observed_at: at };
    const observations = [{ ...fact, ...check, subject: 'http://plain.example/mcp', first_seen_at: at }];
    await directory.store.write((tx) =>
      tx.observations.put({
        handle: 'org.links/server',
        observed_at: at,
        timelines: toTimelines(observations),
      }),
    );
    const card = await host.open();
    await card.result(await client.call('get_agent', { handle: 'org.links/server' }));
    await card.frame.getByRole('heading', { name: 'org.links/server' }).waitFor();
    const text = await textIn(card);
    expect(text).toContain('answered.');
    expect(text).toContain(`“ends' and 'goes on' in 'our' 'voice'”: `);
    expect(text).toContain(`Checked by Dossier: ${at.slice(0, 16).replace('T', ' ')} UTC.`);
  });

  it('draws the checks of 90 days, and the price and the changes as the page does, from what no model reads', async () => {
    const at = directory.context.clock().toISOString();
    const today = at.slice(0, 10);
    const check = {
      source: 'Dossier',
      vantage: 'lab-one',
      method_version: '1',
      recorded: 'https://counted.example/mcp',
    };
    const tally = { [today]: { answered: 1, server_error: 3 } };
    const counts = { answered: 1, made: 4, others: { server_error: 3 } };
    const value = { days_30: counts, days_90: counts, first_check: today };
    const span = { ...check, value, outcome: 'seen' as const, from: at, to: at, checks: 1 };
    const subject = 'https://counted.example/mcp';
    const quoted = (amount: string, days: number) => {
      const from = new Date(Date.parse(at) - days * 86_400_000).toISOString();
      const network = 'eip155:8453';
      const one = { amount, asset: 'a “b” ج', network, scheme: 'exact', pays: [{ address: alice }] };
      const payees = [{ address: alice, network }];
      const offers = { place: 'quote', count: 1, priced: 1, offers: [one], payees };
      return {
        ...check,
        method_version: 'offers/1',
        value: offers,
        outcome: 'seen' as const,
        from,
        to: from,
        checks: 1,
      };
    };
    const [former, present] = [quoted('1', 20), quoted('5', 2)];
    await directory.store.write(async (tx) => {
      const handle = 'org.counted/server';
      await tx.observations.put({
        handle,
        observed_at: at,
        timelines: [
          { kind: 'endpoint.availability', subject, tally, spans: [span] },
          { kind: 'price.offers', subject, spans: [former, present] as never },
        ],
      });
      const before = { value: former.value, outcome: 'seen', seen_until: former.to };
      const after = { value: present.value, outcome: 'seen' };
      const items = [{ class: 'raised_twofold', was: { amount: '1' }, is: { amount: '5' } }];
      const changed = { kind: 'price.offers', subject, before, after, items, counts: { raised_twofold: 1 } };
      await tx.observations.addChange({
        handle,
        log_index: 500,
        at: present.from,
        vantage: 'lab-one',
        changes: [changed] as never,
      });
    });
    const card = await host.open();
    const result = await client.call('get_agent', { handle: 'org.counted/server' });
    expect(JSON.stringify(result.structuredContent)).not.toContain('svg');
    await card.result(result);
    await card.frame.getByRole('heading', { name: 'org.counted/server' }).waitFor();
    const paths = card.frame.locator('figure path[class]');
    expect(
      await paths.evaluateAll((all) =>
        all.map((one) => (one as { getAttribute(name: string): string }).getAttribute('d')),
      ),
    ).toEqual(['M89.5 0V12', 'M89.5 12V16']);
    const [days, ...others] = await card.frame.locator('figcaption').allTextContents();
    expect(days).toBe(
      `https://counted.example/mcp answered 1 of 4 checks of Dossier, made on 1 of the 90 days until ${today} (UTC); not all answered on ${today} (1 of 4).`,
    );
    const page = await (await directory.app.request('/agents/org.counted/server')).text();
    const captions = [...page.matchAll(/<figcaption>(.*?)<\/figcaption>/gs)].map(([, caption = '']) =>
      caption.replaceAll(/<[^>]+>/g, '').replaceAll('&#39;', "'"),
    );
    expect(others).toEqual(captions.slice(1));
    expect(others[0]).toContain(`Price at ${subject}: 1 of “a 'b' ج” on Base on ${former.from.slice(0, 10)}`);
    expect(others[1]).toContain(`1 change recorded on ${present.from.slice(0, 10)}: price 1`);
    // What others wrote cannot reorder the words around it.
    expect(await card.frame.locator('.steps text').allTextContents()).toEqual([
      "1 of \u2068“a 'b' ج”\u2069 on Base",
      "5 of \u2068“a 'b' ج”\u2069 on Base",
    ]);
    await card.frame.locator('.axis a').click();
    const entry = `#at-${present.from.replaceAll(/\D/g, '')}`;
    await expect
      .poll(async () => (await card.seen()).links)
      .toEqual([`http://127.0.0.1:3000/agents/org.counted/server/history${entry}`]);
    expect(await violationsIn(card.frame)).toEqual([]);
    const mute = await host.open({ capabilities: {} });
    await mute.result(result);
    await mute.frame.locator('.axis circle').waitFor();
    expect(await mute.frame.locator('figure a[href]').count()).toBe(0);
    expect(host.complaints).toEqual([]);
  });

  it('shows a comparison in the requested order, unknowns included', async () => {
    const card = await host.open();
    const handles = ['com.politicalcomms/api', 'co.webhook/webhook', 'org.nobody/here'];
    const criteria = [
      { criterion: 'endpoint_observed_alive' },
      { criterion: 'updated_within_days', value: 3650 },
      { criterion: 'native_ratings_at_least', value: 1 },
    ];
    await card.result(await client.call('compare_agents', { handles, criteria }));
    await card.frame.getByText('Comparison of 2 listings').waitFor();
    expect(await card.frame.locator('h2').allTextContents()).toEqual([
      'com.politicalcomms/api',
      'co.webhook/webhook',
    ]);
    expect(await card.frame.locator('p:has(.result)').allTextContents()).toEqual([
      'Met Updated within the last 3650 days',
      'Does not apply The newest check saw an endpoint answer',
      'Not met At least 1 independent rating',
      'Met Updated within the last 3650 days',
      'Unknown The newest check saw an endpoint answer',
      'Met At least 1 independent rating',
    ]);
    expect(await textIn(card)).toContain('https://mcp.webhook.co/mcp over streamable-http, not checked.');
    expect(await textIn(card)).toContain('org.nobody/here: No listing is found by this name.');
    expect(host.complaints).toEqual([]);
  });

  it('shows what others wrote as text, whatever it is', async () => {
    const card = await host.open();
    const elements = () =>
      card.frame.evaluate("document.querySelectorAll('img, #card script, iframe, a, b, form').length");
    await card.result(await client.call('get_agent', { handle: 'org.hostile/server' }));
    await card.frame.getByRole('heading', { name: 'org.hostile/server' }).waitFor();
    expect(await textIn(card)).toContain(`“${hostile.replaceAll('"', "'")}”: “`);
    expect(await elements()).toBe(0);
    const criteria = [{ criterion: 'transport', value: 'sse' }, { criterion: 'has_endpoint' }];
    const handles = ['org.hostile/server', 'co.webhook/webhook'];
    await card.result(await client.call('compare_agents', { handles, criteria }));
    await card.frame.getByText('Comparison of 2 listings').waitFor();
    expect(await textIn(card)).toContain(hostile.replaceAll('"', "'"));
    expect(await elements()).toBe(0);
    expect(await card.frame.title()).toBe('Dossier');
    expect(host.complaints).toEqual([]);
  });

  it('has addresses opened by the host, plain https ones only, and none where it cannot', async () => {
    const card = await host.open();
    await card.result(await client.call('get_agent', webhook));
    await card.frame.getByRole('button', { name: 'https://mcp.webhook.co/mcp' }).click();
    await card.frame.getByRole('button', { name: 'The whole listing' }).click();
    const page = `${directory.url}/agents/co.webhook/webhook`;
    await expect.poll(async () => (await card.seen()).links).toEqual(['https://mcp.webhook.co/mcp', page]);
    await card.result(await client.call('get_agent', { handle: 'org.links/server' }));
    await card.frame.getByText('http://plain.example/mcp').waitFor();
    expect(await card.frame.getByRole('button').allTextContents()).toEqual(['The whole listing']);
    const closed = await host.open({ capabilities: {} });
    await closed.result(await client.call('get_agent', webhook));
    await closed.frame.getByText(`The whole listing: ${page}`).waitFor();
    expect(await closed.frame.getByRole('button').count()).toBe(0);
  });

  it('follows the theme of the host, without an accessibility violation in either', async () => {
    const card = await host.open({ theme: 'dark' });
    await card.result(await client.call('get_agent', webhook));
    await card.frame.getByRole('heading', { name: 'co.webhook/webhook' }).waitFor();
    const look = async () => ({
      scheme: await card.frame.evaluate('getComputedStyle(document.documentElement).colorScheme'),
      ground: await card.frame.evaluate('getComputedStyle(document.body).backgroundColor'),
      violations: await violationsIn(card.frame),
    });
    const dark = await look();
    expect(dark).toMatchObject({ scheme: 'dark', violations: [] });
    await card.themeChanged('light');
    await card.frame.locator('html[data-theme="light"]').waitFor();
    const light = await look();
    expect(light).toMatchObject({ scheme: 'light', violations: [] });
    const brightest = ({ ground }: { ground: unknown }) =>
      Math.max(...(String(ground).match(/\d+/g) ?? []).map(Number));
    expect(brightest(dark)).toBeLessThan(64);
    expect(brightest(light)).toBeGreaterThan(192);
  });

  it('shows a problem, a cancelled call and a foreign answer; obeys only its host; closes on request', async () => {
    const card = await host.open();
    await card.result(await client.call('get_agent', { handle: 'co.webhook/webhok' }));
    await card.frame.getByText('Did you mean: co.webhook/webhook').waitFor();
    await card.cancelled();
    await card.frame.getByText('The call was cancelled; there is nothing to show.').waitFor();
    await card.result({ content: [] });
    await card.frame.getByText('This answer cannot be shown.').waitFor();
    const { content } = await client.call('get_agent', webhook);
    await card.result({ content });
    await card.frame.getByText('co.webhook/webhook` (“ ” and code: data of others').waitFor();
    await card.result(await client.call('get_agent', { ...webhook, detail: 'full' }));
    await card.frame.getByRole('heading', { name: 'co.webhook/webhook' }).waitFor();
    await card.forged(await client.call('get_agent', { handle: 'org.links/server' }));
    expect(await card.teardown()).toEqual({});
    expect(await card.frame.locator('h1').textContent()).toBe('co.webhook/webhook');
    expect(host.complaints).toEqual([]);
  });
});

describe.each(clientKinds)('a client %s', (kind) => {
  it('reads one small card, which is named by the two tools and by nothing else', async () => {
    const own = await connect(kind, { app: directory.app });
    const [resource] = (await own.read('ui://dossier/card')) as (CardResource & { uri: string })[];
    const tools = (await own.tools()) as { name: string; _meta?: { ui?: object } }[];
    await own.close();
    expect(resource).toMatchObject({
      uri: 'ui://dossier/card',
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
    });
    expect(resource?.text).toMatch(/^<!doctype html>/);
    expect(Buffer.byteLength(resource?.text ?? '')).toBeLessThan(20_000);
    expect(resource?.text).not.toMatch(/(src|href)=|https?:\/\/[a-z]|@import|url\(/);
    expect(tools.flatMap(({ name, _meta }) => (_meta?.ui ? [[name, _meta.ui]] : []))).toEqual([
      ['get_agent', { resourceUri: 'ui://dossier/card' }],
      ['compare_agents', { resourceUri: 'ui://dossier/card' }],
    ]);
  });
});
