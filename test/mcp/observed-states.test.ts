import { describe, expect, it } from 'vitest';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { observedStates } from '../support/observed-entries.ts';
import { openObservedStates } from '../support/observed-states.ts';
import { opened } from '../support/opened.ts';

const directory = await opened(openObservedStates());
const client = await opened(connect('v2', { app: directory.app }));

const { healthy, paid, toolsChanged, contradicting, unobserved, unreachable, deprecated } = observedStates;
const { packaged, stale, twinOfDomain, twinOfAccount, signIn, moved } = observedStates;
const { besidesTools, severalOffers } = observedStates;
const dayAgo = (days: number) =>
  new Date(directory.context.clock().getTime() - days * 86_400_000).toISOString().slice(0, 10);

async function ask(tool: string, args: Record<string, unknown>) {
  const { structuredContent, content } = await client.call(tool, args);
  return { text: content[0]?.text ?? '', json: structuredContent as Record<string, unknown> };
}
const read = async (path: string) =>
  (await directory.app.request(path, { headers: { accept: 'text/html' } })).text();
/** What the main part of a page says, without its markup. */
const textOf = async (path: string) => {
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(await read(path)) ?? [];
  return main.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
};

/** An offer as agentkit gives it to a hook. */
const offered = {
  payTo: '0x2222222222222222222222222222222222222222',
  network: 'eip155:8453',
  amount: '40000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  url: 'https://mcp.quotewire.com/mcp',
};
const tools = [{ name: 'read_file' }, { name: 'delete_files' }];
/** A call, and what of its answer others wrote, where a test of that is made. */
type Call = readonly [tool: string, input: Record<string, unknown>, untrusted?: readonly string[]];
const calls: readonly Call[] = [
  ...Object.values(observedStates)
    .filter((handle) => handle !== paid)
    .map((handle) => ['get_agent', { handle }] as const),
  ['get_agent', { handle: paid }, ['description', 'endpoint', 'stands_out', 'lines', 'signals']],
  ['get_agent', { handle: healthy, detail: 'full' }],
  ['search_agents', { query: 'maps' }, ['listings']],
  ['search_agents', {}],
  ['search_agents', { query: 'maps no secret required' }],
  ['search_agents', { query: 'zzyzxq' }],
  ['search_agents', { query: 'search', facets: true }],
  ['search_agents', { similar_to: healthy }, []],
  ['compare_agents', { handles: [healthy, contradicting, unobserved] }],
  ['compare_agents', { handles: [healthy, unreachable] }],
  ['compare_agents', { handles: [healthy, 'com.none/none'] }],
  ['list_ratings', { handle: healthy }, ['ratings']],
  ['list_ratings', { handle: healthy, outcome: 'failed' }],
  ['list_ratings', { handle: unobserved }, []],
  ['get_history', { handle: healthy }],
  ['get_history', { handle: paid }],
  ['get_history', { handle: toolsChanged, kind: 'tools' }],
  ['get_history', { handle: unobserved, kind: 'claim' }, []],
  ['get_history', { handle: unobserved }, ['changes']],
  ['check_surface', { handle: toolsChanged, tools }, ['endpoint']],
  ['check_surface', { handle: toolsChanged, tools: [{ name: 'read_file', description: 'Reads' }] }],
  ['check_surface', { handle: deprecated, tools: [] }],
  ['check_surface', { handle: unobserved, tools: [] }],
  ['check_offer', { handle: paid, offer: { ...offered, payTo: `0x${'1'.repeat(40)}` } }],
  ['check_offer', { handle: paid, offer: [offered, { ...offered, network: 'base-sepolia' }] }],
  ['check_offer', { handle: unobserved, offer: offered }],
  ['list_tags', {}],
  ['get_proof', { log_index: 1 }],
];

it.each(calls.map(([tool, input, untrusted]) => [tool, input, untrusted] as const))(
  '%s %j: the JSON costs at most 1.2 times the text, but for what a payment changed; both name what others wrote',
  async (tool, input, untrusted) => {
    const { text, json } = await ask(tool, input);
    const [bytesOfText, bytes] = [text, JSON.stringify(json)].map((one) => Buffer.byteLength(one)) as [
      number,
      number,
    ];
    expect(bytesOfText).toBeGreaterThan(20);
    // Programs that pay get what a part of an offer replaced as members besides.
    const offers = (json.offers ?? []) as readonly { readonly changed?: object }[];
    const changed = offers.reduce((sum, one) => sum + JSON.stringify(one.changed ?? '').length, 0);
    // An answer of one sentence has the names of its members, at most 25 tokens, besides.
    expect(bytes - changed).toBeLessThanOrEqual(Math.max(1.2 * bytesOfText, bytesOfText + 100));
    // No empty line is first or follows another one; names of tools stand as callers write them.
    expect(text).not.toMatch(/^\n|\n\n\n|get\\_|check\\_/);
    if (untrusted) {
      expect(json.untrusted_fields).toEqual(untrusted);
      if (tool !== 'get_agent') expect(text.includes('Written by third parties')).toBe(untrusted.length > 0);
    }
  },
);

it('the median answer of get_agent about a listing takes at most 300 tokens as text and 330 as JSON', async () => {
  const sizes = await Promise.all(
    Object.values(observedStates).map(async (handle) => {
      const { text, json } = await ask('get_agent', { handle });
      return [text, JSON.stringify(json)].map((one) => Buffer.byteLength(one) / 4);
    }),
  );
  const median = (at: number) =>
    sizes.map((pair) => pair[at] ?? 0).toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)];
  // The limits leave room for more kinds of facts: one that was not found takes up to 5 tokens of an answer.
  expect(median(0)).toBeLessThanOrEqual(300);
  expect(median(1)).toBeLessThanOrEqual(330);
});

it('check_offer says whose a listing is and what stands out in 60 tokens, as a median', async () => {
  const offer = { payTo: 'nobody', amount: '1' };
  const sizes = await Promise.all(
    Object.values(observedStates).map(async (handle) => {
      const { text } = await ask('check_offer', { handle, offer });
      const [said = ''] = /^(?:Stands out: .*\n)?\* Whose: .*$/m.exec(text) ?? [];
      expect(said).toContain('proven to the registry');
      return Buffer.byteLength(said) / 4;
    }),
  );
  expect(sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(60);
});

describe('get_agent', () => {
  it('says when an endpoint was last checked, today to the minute, and of each older fact its own day', async () => {
    const { text, json } = await ask('get_agent', { handle: unreachable });
    expect(json.checked).toMatch(new RegExp(`^${dayAgo(0)} \\d\\d:\\d\\d UTC$`));
    expect(text).toContain(`Checked by Dossier: ${json.checked}.`);
    const history = await ask('get_history', { handle: unreachable });
    expect(history.json.statement).toContain(`The last check was on ${json.checked}.`);
    const { where, asks, costs } = json.lines as Record<string, string>;
    expect(where).toBe(
      'Endpoint over streamable-http: a request to `mcp.faded.com` ended with a connection that broke off, answered in 0 of 3 checks in 30 days (a connection that broke off 3 times).',
    );
    expect(asks).toContain(`not seen by checks since ${dayAgo(20)} (Dossier, ${dayAgo(40)})`);
    expect(costs).toContain(`checks since ${dayAgo(20)} were not conclusive (Dossier, ${dayAgo(40)}).`);
  });

  it.each(['https://mcp.mapland.com/mcp', 'mcp.mapland.com', 'https://mcp.mapland.com/'])(
    'tells listings at one endpoint apart by whose they are and what they say: %s',
    async (handle) => {
      const { error } = (await ask('get_agent', { handle })).json;
      const said = '“Maps, routes and places of Mapland”, version `1.0.0`, updated';
      expect(error).toMatchObject({
        code: 'several_listings',
        candidates: [
          {
            handle: twinOfDomain,
            differs: expect.stringContaining(`domain mapland.com, its endpoint on it, ${said}`),
          },
          {
            handle: twinOfAccount,
            differs: expect.stringContaining(`GitHub account someone-else, ${said}`),
          },
        ],
      });
    },
  );
});

/** Each question, and the names under which a gap may answer it in place of a line. */
const questions = {
  Whose: ['operator', 'repository'],
  Where: ['endpoint', 'a remote endpoint'],
  Asks: ['credentials'],
  Tools: ['tools'],
  Costs: ['price'],
  'Kept up': [],
  Rated: [],
};
const gapTitles = ['Not there', 'Could not be seen', 'Not stated', 'Not checked'];

describe.each(Object.entries(observedStates))('of the state %s', (_, handle) => {
  const bullets = (text: string) =>
    new Map(
      [...text.matchAll(/^\* ([A-Z][\w ]+): (.+)$/gm)].map(([, title = '', said = '']) => [title, said]),
    );
  it('the short answer, the page and the Markdown answer each question in a line or in a gap, and agree', async () => {
    const markdown = await read(`/agents/${handle}.md`);
    const page = (await read(`/agents/${handle}`)).matchAll(/<dt>([\w ]+)<\/dt><dd>(.*?)<\/dd>/gs);
    const forms = {
      short: bullets((await ask('get_agent', { handle })).text),
      page: new Map([...page].map(([, title = '', said = '']) => [title, said.replaceAll(/<[^>]+>/g, '')])),
      markdown: bullets(markdown.slice(0, markdown.indexOf('## All facts'))),
    };
    const listed = (title: string) =>
      new Set(
        Object.values(forms).flatMap((form) =>
          (form.get(title) ?? '').replaceAll(/ \([^)]*\)/g, '').split(/[,:;] /),
        ),
      );
    for (const [form, said] of Object.entries(forms)) {
      const gaps = gapTitles.map((title) => said.get(title));
      for (const [title, names] of Object.entries(questions))
        expect(
          said.get(title) ?? names.find((name) => gaps.some((gap) => gap?.includes(name))),
          `${form} ${title}`,
        ).toBeDefined();
    }
    const named = gapTitles.flatMap((title) => [...listed(title)].filter(Boolean));
    expect(named.toSorted()).toEqual([...new Set(named)].toSorted());
  });

  it('a comparison by a criterion that shows none of its notices has the first two, and counts the others', async () => {
    const noticesOf = (json: object) =>
      ((json as { stands_out?: string[] }).stands_out ?? []).map((one) =>
        one.replaceAll(/ \(Dossier, [^)]*\)/g, ''),
      );
    const all = noticesOf((await ask('get_agent', { handle })).json);
    const [, left = '0'] = /^And (\d+) more: /.exec(all.at(-1) ?? '') ?? [];
    const count = all.length - Number(left !== '0') + Number(left);
    const handles = [handle, handle === healthy ? paid : healthy];
    const { json } = await ask('compare_agents', { handles, criteria: ['has_endpoint'] });
    const shown = noticesOf((json.listings as object[])[0] ?? {});
    expect(shown.slice(0, 2)).toEqual(all.slice(0, Math.min(2, count)));
    const more = shown.at(-1)?.match(/^And (\d+) more: get_agent\.$/)?.[1];
    expect(shown.length - Number(more !== undefined) + Number(more ?? 0)).toBe(count);
  });

  it.each(['', '/tools', '/history', '/versions', '/ratings'])(
    'the page “%s” has no wrong plural and no brackets in brackets',
    async (page) => {
      const text = await textOf(`/agents/${handle}${page}`);
      expect(text).not.toMatch(/(?<![\d.,-])1 (?!times)[a-z]+s (?:of|record|are|were|from|stored)\b/);
      expect(text).not.toMatch(
        /(?<![\d.,-])1 (?:listings|versions|ratings|tools|sources|secrets|facts|endpoints)\b/,
      );
      expect(text).not.toMatch(/[a-z,] \([^()]*\([^()]*\)[^()]*\)/);
      expect(text).not.toMatch(/advisorys|get_history/);
    },
  );
});

it('the tools page offers a comparison only where there is something to compare with', async () => {
  expect(await textOf(`/agents/${packaged}/tools`)).toContain('The listing records no endpoint,');
  expect(await textOf(`/agents/${stale}/tools`)).toMatch(/ 1 tool, seen on [\d-]+ from /);
  for (const [handle, has] of [[packaged, false] as const, [paid, false] as const, [stale, true] as const])
    expect((await textOf(`/agents/${handle}/tools`)).includes('Compare with what you are shown')).toBe(has);
});

it('check_surface of names alone does not call tools the same, and says what was not compared and what changed', async () => {
  const { text, json } = await ask('check_surface', { handle: toolsChanged, tools });
  expect(json.result).toBe('same_names');
  expect(text).toContain('same_names');
  expect(json).not.toHaveProperty('differs');
  expect(json.message).toMatch(
    /^Only names were compared: you sent no description, inputSchema, annotations\. /,
  );
  expect(json.message).toContain(`. Until ${dayAgo(40)}, Dossier saw a different list: see get_history. `);
  expect(json.message).toContain(
    `The description of read_file changed between ${dayAgo(40)} and ${dayAgo(20)}: see get_history.`,
  );
  const other = await ask('check_surface', { handle: toolsChanged, tools: tools.slice(0, 1) });
  expect(other.json).toMatchObject({ result: 'other', differs: [{ name: 'delete_files' }] });
  const unchanged = await ask('check_surface', {
    handle: twinOfDomain,
    tools: [{ name: 'route' }, { name: 'geocode' }, { name: 'places' }],
  });
  expect(unchanged.json.result).toBe('same_names');
  expect(unchanged.json.message).not.toContain('changed');
});

it('what is not known of a paid service is said in words, with the fact that was not seen', async () => {
  const [resolved, compared] = await Promise.all([
    client.call('resolve_agents', { handles: [observedStates.severalOffers] }),
    client.call('compare_agents', {
      handles: [observedStates.severalOffers, observedStates.healthy],
      criteria: ['no_finding:changed'],
    }),
  ]);
  expect(resolved.content[0]?.text).toContain(
    'Not known whether it is: moved in a year (moved); changed in 90 days (changed); with tools that could not be read (unread-tools); with texts for models that are hidden or name files with credentials (texts).',
  );
  expect(resolved.structuredContent).toMatchObject({
    results: [{ unknown: ['moved', 'changed', 'unread-tools', 'texts'] }],
  });
  const said = 'not checked, or not seen by the newest check: tools it lists';
  expect(compared.content[0]?.text).toContain(said);
  expect(JSON.stringify(compared.structuredContent)).toContain(said);
});

describe('the pages', () => {
  it('say once, and first, that nothing was checked', async () => {
    const page = await read(`/agents/${unobserved}`);
    const [answer = ''] = /<section class="answer".*?<\/section>/s.exec(page) ?? [];
    expect(answer).toContain(
      '<dl class="lines unchecked"><div><dt>Not checked</dt><dd>price, endpoint, tools, repository contents, last commit, licence</dd></div><div><dt>Whose</dt>',
    );
    expect(answer.replace(/<[^>]+>/g, '').match(/checked/g)).toHaveLength(1);
    expect(await read(`/agents/${healthy}`)).toContain('<dl class="lines"><div><dt>Whose</dt>');
  });

  it('count many variables once', async () => {
    expect(await textOf(`/agents/${observedStates.manyVariables}`)).toContain(
      'Takes 60 environment variables, 30 of them secret, 30 named like credentials but not marked as secret (record).',
    );
  });

  it('of a publisher add up what checks and ratings say, with the newest day of each', async () => {
    const [today, changed] = [dayAgo(0), dayAgo(20)];
    const sumOf = async (namespace: string) => {
      const text = await textOf(`/publishers/${namespace}`);
      return / Known here (.*?) Changes of these/
        .exec(text)?.[1]
        ?.replace(/ Counted.*/, '')
        .trim();
    };
    expect(await sumOf('com.quotewire')).toBe(
      `checked, last on ${today} answered the last check, last on ${today} asked for payment or state prices, last seen on ${today} changed between checks, last on ${changed}`,
    );
    expect(await sumOf('com.bundled')).toBe(
      `checked, last on ${today} with a package reported as malicious code, last seen on ${today}`,
    );
    expect(await sumOf('com.findwell')).toBe(
      `checked, last on ${today} answered the last check, last on ${today} rated here, last on ${changed}`,
    );
    expect(await sumOf('com.unseen')).toBe('Dossier has checked none of these listings.');
  });
});

describe('search_agents', () => {
  it('says that an endpoint which answered asks for a payment first, whatever its publisher says', async () => {
    const { text } = await ask('search_agents', { query: 'stock quotes' });
    expect(text).toContain(`| answered ${dayAgo(0)}, asks for a payment first (0.05 USDC on Base) |`);
  });

  it('names the filter of what asked for no payment where some listing passes it, and not to who wants to pay', async () => {
    const advised = 'No price is searched: filter with no_payment_seen: true, or ask compare_agents';
    expect((await ask('search_agents', { query: 'free stock quotes' })).text).toContain(advised);
    expect((await ask('search_agents', { query: 'paid stock quotes' })).text).not.toContain(advised);
  });

  const free: string[] = [healthy, toolsChanged, contradicting, twinOfDomain, twinOfAccount, deprecated];
  free.push(moved, besidesTools);

  it.each([
    ['answered its last check', { answered: true }, [...free, paid, signIn, severalOffers]],
    ['let Dossier in without a payment', { no_payment_seen: true }, free],
    ['has a word, and answered', { query: 'translation', answered: true }, []],
  ] as const)('finds what %s, as the list on the page does', async (_, filter, expected) => {
    const { json } = await ask('search_agents', { ...filter, facets: true });
    const { listings, facets = {} } = json as {
      listings: { handle: string }[];
      facets?: Record<string, number>;
    };
    const handles = listings.map(({ handle }) => handle);
    // That of a listing that was not checked lately is of its last check too.
    expect(handles.filter((handle) => handle !== stale).toSorted()).toEqual(expected.toSorted());
    const [name = ''] = Object.keys(filter).slice(-1);
    expect(facets[`${name}:true`] ?? 0).toBe(listings.length);
    const address = new URLSearchParams(
      Object.entries(filter).map(([key, value]) => [key === 'query' ? 'q' : key, `${value}`]),
    );
    const page = await read(`/agents?${address}`);
    const found = page.slice(0, page.indexOf('No listing matches.'));
    for (const handle of Object.values(observedStates))
      expect(found.includes(`href="/agents/${handle}"`), handle).toBe(handles.includes(handle));
  });

  it('keeps what the last check saw while the same endpoint is recorded', async () => {
    const find = async () =>
      JSON.stringify((await ask('search_agents', { query: 'notes', answered: true })).json.listings);
    const put = (description: string, url: string) =>
      directory.importEntries([registryEntry('com.moved/notes', { description, ...remotesAt(url) })]);
    await put('Notes', 'https://mcp.findwell.com/mcp');
    await directory.observe('com.moved/notes');
    expect(await find()).toContain('com.moved/notes');
    await put('More notes', 'https://mcp.findwell.com/mcp');
    expect(await find()).toContain('More notes');
    await put('More notes', 'https://mcp.elsewhere.com/mcp');
    expect(await find()).not.toContain('com.moved/notes');
  });

  it('names the words that no listing has, and the filter that the others mean', async () => {
    const { json } = await ask('search_agents', { query: 'maps no secret required' });
    expect(json.did_you_mean).toEqual([{ word: 'required', near: [] }]);
    expect(json.advice).toContain('needs_secret: false (the record names no secret)');
  });
});
