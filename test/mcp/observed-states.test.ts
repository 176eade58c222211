import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { type AnyClient, connect } from '../support/mcp-clients.ts';
import { observedStates } from '../support/observed-entries.ts';
import { openObservedStates } from '../support/observed-states.ts';

let directory: ClaimedDirectory;
let client: AnyClient;
beforeAll(async () => {
  directory = await openObservedStates();
  client = await connect('v1', { app: directory.app });
});
afterAll(async () => {
  await client.close();
  await directory.close();
});

const dayAgo = (days: number) =>
  new Date(directory.context.clock().getTime() - days * 86_400_000).toISOString().slice(0, 10);

async function ask(tool: string, args: Record<string, unknown>) {
  const { structuredContent, content } = await client.call(tool, args);
  return { text: content[0]?.text ?? '', json: structuredContent as Record<string, unknown> };
}

describe('get_history', () => {
  it('says prices in their unit, as get_agent does', async () => {
    const { json } = await ask('get_history', { handle: observedStates.paid, kind: 'price' });
    const [price] = json.changes as string[];
    expect(price).toMatch(
      new RegExp(
        `^${dayAgo(20)} Prices and payees \\(\`https://mcp\\.quotewire\\.com/mcp\`\\): in the quoted price: payee changed from .* to .* on Base\\. Price raised from 0\\.01 USDC to 0\\.05 USDC on Base \\(the other was last seen on ${dayAgo(40)}\\) \\(log index \\d+\\)$`,
      ),
    );
  });

  it('says of an endpoint since when it has not answered, as get_agent does', async () => {
    const { json } = await ask('get_history', { handle: observedStates.unreachable, kind: 'reach' });
    const [change] = json.changes as string[];
    expect(change).toMatch(
      new RegExp(
        `answered \\(HTTP status 200\\) until ${dayAgo(40)}, since ${dayAgo(20)} no usable answer came \\(log index \\d+\\)$`,
      ),
    );
  });

  it('gives no number of the facts of a first check of which it shows one kind', async () => {
    const ofKind = await ask('get_history', { handle: observedStates.paid, kind: 'price' });
    expect(ofKind.text).toContain(`${dayAgo(60)} first check (log index`);
    expect(ofKind.text).not.toContain('first check:');
    const all = await ask('get_history', { handle: observedStates.paid });
    expect(all.text).toMatch(/first check: \d+ facts \(log index/);
  });

  it('marks changed words', async () => {
    const { json } = await ask('get_history', { handle: observedStates.toolsChanged });
    expect(json.statement).toContain('[-was-]{+is+} marks changed words.');
  });

  it('names the tool that proves an entry where it gives log indexes', async () => {
    const { text } = await ask('get_history', { handle: observedStates.paid });
    expect(text).toContain('get_proof');
    const empty = await ask('get_history', { handle: observedStates.paid, kind: 'views' });
    expect(empty.text).not.toContain('get_proof');
  });
});

describe('an answer names what others wrote in it, and no more', () => {
  const { healthy, toolsChanged, unobserved } = observedStates;
  const tools = [{ name: 'read_file' }, { name: 'delete_files' }];
  it.each<[tool: string, input: Record<string, unknown>, untrusted: readonly string[]]>([
    ['search_agents', { query: 'maps' }, ['listings']],
    ['search_agents', { similar_to: healthy }, []],
    ['list_ratings', { handle: healthy }, ['ratings']],
    ['list_ratings', { handle: unobserved }, []],
    ['get_history', { handle: unobserved }, []],
    ['check_surface', { handle: toolsChanged, tools }, ['endpoint']],
  ])('%s %j', async (tool, input, untrusted) => {
    const { text, json } = await ask(tool, input);
    expect(json.untrusted_fields).toEqual(untrusted);
    expect(text.includes('Written by third parties')).toBe(untrusted.length > 0);
  });
});

describe('get_agent', () => {
  it('offers the search that says whether the handle that a deprecation names is listed', async () => {
    const { json } = await ask('get_agent', { handle: observedStates.deprecated });
    expect(json.next).toBe('search_agents, similar_to this one');
  });

  it('says of a package that is run by its caller that no endpoint is recorded', async () => {
    const { json } = await ask('get_agent', { handle: observedStates.packaged });
    expect(json.lines).toMatchObject({
      where: 'A package for your machine: npm `noteworks-notes@2.1.0`, which is published.',
    });
    expect(json.unstated).toMatch(/^price, a remote endpoint, operator, /);
    expect(json.unchecked).toBe('tools');
    expect(json.signals).toMatchObject({
      imported: expect.stringMatching(/^Listing version `1\.0\.0`; published /),
    });
  });

  it('says what the endpoint needs and what the package does, if the record names inputs of both', async () => {
    const { json } = await ask('get_agent', { handle: observedStates.contradicting });
    expect(json.lines).toMatchObject({
      asks: 'Endpoint needs a secret header `X-Aws-Secret` for `aws-helper.cloudhelper.dev`; package needs secret environment variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` (record). Introduced itself without asking for credentials.',
    });
  });

  it('says what a price of x402 is for, and names the members that quote others', async () => {
    const { json } = await ask('get_agent', { handle: observedStates.paid });
    expect(json.lines).toMatchObject({
      costs: expect.stringMatching(
        /^Quotes for one request before it answers: 0\.05 USDC \(50000 of `0x833589fcd6edb6e08f4c7c32d4f71b54bda02913`\) on Base \(`eip155:8453`\), paid to `0x2{40}`, the same since [\d-]{10}\.$/,
      ),
    });
    expect(json.untrusted_fields).toEqual(['description', 'endpoint', 'stands_out', 'lines', 'signals']);
  });

  it('does not call a 404 an endpoint that gave no answer', async () => {
    const { healthy, notThere } = observedStates;
    const { json } = await ask('get_agent', { handle: notThere });
    const { stands_out, lines } = json as { stands_out: string[]; lines: Record<string, string> };
    expect(stands_out[0]).toContain('; 0 of 3 checks in 30 days found something there. ');
    expect(lines.where).toContain('returned HTTP 404');
    const { text } = await ask('compare_agents', { handles: [notThere, healthy] });
    expect(text).toContain('sign in or to pay; 0 of 3 checks in 30 days found something there. ');
  });

  it('says when an endpoint was last checked, and of each older fact its own day', async () => {
    const { text, json } = await ask('get_agent', { handle: observedStates.unreachable });
    expect(json.checked).toBe(dayAgo(0));
    expect(text).toContain(`Checked by Dossier: ${dayAgo(0)}.`);
    const { where, asks, costs } = json.lines as Record<string, string>;
    expect(where).toBe('A request to `mcp.faded.com` ended with a connection that broke off.');
    expect(json.unstated).toBe('operator, repository, data handling, region, licence, support, terms');
    expect(asks).toContain(`not seen by checks since ${dayAgo(20)} (Dossier, ${dayAgo(40)})`);
    expect(costs).toBe(
      `No price seen; calls may cost; checks since ${dayAgo(20)} were not conclusive (Dossier, ${dayAgo(40)}).`,
    );
  });

  it('keeps of a listing that was not checked lately that a call may cost', async () => {
    const { json } = await ask('get_agent', { handle: observedStates.stale });
    expect(json.lines).toMatchObject({
      costs: 'No price seen; calls may cost.',
    });
  });

  const several = [
    { handle: observedStates.twinOfDomain, whose: 'domain mapland.com, its endpoint on it' },
    { handle: observedStates.twinOfAccount, whose: 'GitHub account someone-else' },
  ];

  it.each(['https://mcp.mapland.com/mcp', 'mcp.mapland.com', 'https://mcp.mapland.com/'])(
    'tells listings at one endpoint apart by whose they are and what they say: %s',
    async (handle) => {
      const { json } = await ask('get_agent', { handle });
      const { code, candidates } = json.error as {
        code: string;
        candidates: { handle: string; differs: string }[];
      };
      expect(code).toBe('several_listings');
      expect(candidates.map((one) => one.handle)).toEqual(several.map((one) => one.handle));
      for (const [at, { whose }] of several.entries())
        expect(candidates[at]?.differs).toMatch(
          new RegExp(
            `^${whose}, “Maps, routes and places of Mapland”, version \`1\\.0\\.0\`, updated [\\d-]{10}$`,
          ),
        );
    },
  );

  it('finds the one listing at a host', async () => {
    const { json } = await ask('get_agent', { handle: 'mcp.findwell.com' });
    expect(json).toMatchObject({
      handle: 'com.findwell/search',
      found_by: 'the only listing that records an endpoint at this host; recording does not show control',
    });
  });
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

describe('of each state, the short answer, the page and the Markdown', () => {
  const textOf = async (path: string) => (await directory.app.request(path)).text();
  const bullets = (text: string) =>
    new Map(
      [...text.matchAll(/^\* ([A-Z][\w ]+): (.+)$/gm)].map(([, title = '', said = '']) => [title, said]),
    );
  it.each(Object.entries(observedStates))(
    '%s: answer each question in a line or in a gap, and agree',
    async (_, handle) => {
      const short = await ask('get_agent', { handle });
      const markdown = await textOf(`/agents/${handle}.md`);
      const page = (await textOf(`/agents/${handle}`)).matchAll(/<dt>([\w ]+)<\/dt><dd>(.*?)<\/dd>/gs);
      const forms = {
        short: bullets(short.text),
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
    },
  );
});

it('list_ratings says what is left out of a rating, and what its proof shows', async () => {
  const { text } = await ask('list_ratings', { handle: observedStates.healthy });
  expect(text).toContain(
    'Unless a rating says otherwise, its protocol is mcp, its relationship none and its proof none. Proof none: Only the source states that the interaction took place;',
  );
});

describe('check_surface of names alone', () => {
  it('does not call tools the same, says first what was not compared, and that a description changed', async () => {
    const { text, json } = await ask('check_surface', {
      handle: observedStates.toolsChanged,
      tools: [{ name: 'read_file' }, { name: 'delete_files' }],
    });
    expect(json.result).toBe('same_names');
    expect(json.message).toMatch(
      /^Only names were compared: you sent no description, inputSchema, annotations\. Dossier has seen tools with these names since /,
    );
    expect(json).not.toHaveProperty('differs');
    expect(json.message).toContain(`. Until ${dayAgo(40)}, Dossier saw a different list: see get_history. `);
    expect(json.message).toContain(
      `The description of read_file changed between ${dayAgo(40)} and ${dayAgo(20)}: see get_history.`,
    );
    expect(text).toContain('same_names');
    const other = await ask('check_surface', {
      handle: observedStates.toolsChanged,
      tools: [{ name: 'read_file' }],
    });
    expect(other.json).toMatchObject({ result: 'other', differs: [{ name: 'delete_files' }] });
    expect(other.json.message).toMatch(/A list with these names was seen from /);
    const unchanged = await ask('check_surface', {
      handle: observedStates.twinOfDomain,
      tools: [{ name: 'route' }, { name: 'geocode' }, { name: 'places' }],
    });
    expect(unchanged.json.result).toBe('same_names');
    expect(unchanged.json.message).not.toContain('changed');
  });
});

describe('the page of a comparison', () => {
  it('says that tools and costs are not known, where nothing is there or was looked at', async () => {
    const { healthy, notThere, unobserved } = observedStates;
    const handles = [healthy, notThere, unobserved].map((handle) => `handle=${encodeURIComponent(handle)}`);
    const page = await (
      await directory.app.request(`/compare?${handles.join('&')}&active=true`, {
        headers: { accept: 'text/html' },
      })
    ).text();
    const rowOf = (name: string) =>
      page
        .split('<tr role="row"')
        .find((row) => row.includes(`>${name}</th>`))
        ?.replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ');
    expect(rowOf('Costs')).toContain('com.vanished/api No price could be seen (');
    expect(rowOf('Tools')).toMatch(/com\.vanished\/api None seen: .+ com\.unseen\/billing Not known\. /);
    expect(rowOf('Stands out')).toContain('com.unseen/billing Nothing. ');
  });
});

describe('compare_agents', () => {
  it('says whose a listing is and since when, and how many checks of 30 days its endpoint answered', async () => {
    const { healthy, unreachable } = observedStates;
    const { text } = await ask('compare_agents', { handles: [healthy, unreachable] });
    expect(text).toMatch(
      /\nWhose: Domain findwell\.com, proven to the registry; its endpoint is on it\. First published [\d-]{10} \(record, [\d-]{10}\)\.\nChecked: `https:\/\/[^`]+`\.\n\* endpoint_observed_alive: /,
    );
    expect(text).toMatch(
      /^The same for all compared listings:\n\* active: met\. The registry lists it as active\. \[1\]\n/,
    );
    expect(text).toMatch(
      /endpoint_observed_alive: met\. A recorded endpoint introduced itself to Dossier, or asked it to sign in or to pay; 3 of 3 checks in 30 days were answered\. /,
    );
    expect(text).toMatch(
      /endpoint_observed_alive: not_met\. The endpoint neither .+; 0 of 3 checks in 30 days were answered\. /,
    );
  });
});

describe('compare_agents says of what it does not know', () => {
  const { paid, stale, unreachable, unobserved, contradicting } = observedStates;
  const linesOf = async (handle: string, criteria: readonly string[]) => {
    const other = handle === paid ? stale : paid;
    const { json } = await ask('compare_agents', { handles: [handle, other], criteria });
    const { listings, sources } = json as {
      listings: { checked?: string; imported?: string[]; observed?: string[] }[];
      sources: string[];
    };
    const lines = [...(listings[0]?.imported ?? []), ...(listings[0]?.observed ?? [])];
    // The place of all checks is said once, before the lines.
    const checked = listings[0]?.checked;
    return [...(checked ? [`Checked: ${checked}.`] : []), ...lines].map((line) =>
      line.replace(/\[(\d+)\]$/, (_, number) => `[${sources[Number(number) - 1]?.replace(/^\[\d+\] /, '')}]`),
    );
  };

  it('when it was last seen, and whether later checks were not conclusive or none was made', async () => {
    expect(await linesOf(unreachable, ['price_known', 'tools_unchanged_for:10'])).toEqual([
      'Checked: `https://mcp.faded.com/mcp`.',
      `price_known: unknown. Dossier has not seen whether the endpoint quotes a price now. On ${dayAgo(40)}: looked for, none stated; checks since ${dayAgo(20)} were not conclusive. [Dossier, ${dayAgo(40)}]`,
      `tools_unchanged_for:10: unknown. The tools that the endpoint lists are not known to Dossier now. Last seen on ${dayAgo(40)}; checks since ${dayAgo(20)} were not conclusive. [Dossier, ${dayAgo(40)}]`,
    ]);
    expect(await linesOf(stale, ['endpoint_observed_alive'])).toEqual([
      'Checked: `https://mcp.longago.com/mcp`.',
      `endpoint_observed_alive: unknown. Dossier has not seen whether the endpoint answers now. Last seen on ${dayAgo(60)}; not checked since. [Dossier, ${dayAgo(60)}]`,
    ]);
    const { text } = await ask('get_agent', { handle: unreachable, detail: 'full' });
    expect(text).toMatch(
      new RegExp(
        `Number of tools: 1 at [^(]+ \\(Dossier, ${dayAgo(40)}\\)\\. Last seen on ${dayAgo(40)}; checks since ${dayAgo(20)} did not see it again\\.`,
      ),
    );
  });

  it('that it never looked, without a source or a date', async () => {
    expect(await linesOf(unobserved, ['endpoint_observed_alive'])).toEqual([
      `endpoint_observed_alive: unknown. Dossier has not seen whether the endpoint answers: not checked.`,
    ]);
  });

  it('that an endpoint asks for a payment first, with the price in the unit that people use', async () => {
    const price = 'Quoted: 0.05 USDC on Base.';
    const quoted = 'Quoted: 0.05 USDC on Base (paid to `0x2222222222222222222222222222222222222222`).';
    expect(await linesOf(paid, ['price_known', 'price_at_most:0.01 USDC', 'tools_unchanged_for:10'])).toEqual(
      [
        'Checked: `https://mcp.quotewire.com/mcp`.',
        `price_known: met. The endpoint quoted Dossier a price. ${quoted} [Dossier, ${dayAgo(0)}]`,
        `price_at_most:0.01 USDC: not_met. Every offer in this asset that Dossier has read asks for more than 0.01 USDC. ${price} [Dossier, ${dayAgo(0)}]`,
        `tools_unchanged_for:10: unknown. The tools that the endpoint lists are not known to Dossier: it asks for a payment first. [Dossier, ${dayAgo(0)}]`,
      ],
    );
  });

  it('the names of secrets one by one', async () => {
    const lines = await linesOf(contradicting, ['needs_no_secret']);
    expect(lines.at(-1)).toContain(
      'Recorded: `X-Aws-Secret`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` [registry.modelcontextprotocol.io',
    );
  });
});

describe('search_agents', () => {
  it('says that an endpoint which answered asks for a payment first, whatever its publisher says', async () => {
    const { text } = await ask('search_agents', { query: 'stock quotes' });
    expect(text).toContain(`| answered ${dayAgo(0)}, asks for a payment first (0.05 USDC on Base) |`);
  });

  it('names, where others are asked for, the listing that the publisher of a deprecated one names', async () => {
    const { json, text } = await ask('search_agents', { similar_to: observedStates.deprecated });
    expect(json).toMatchObject({ successor: 'com.retired/mail-two', successor_is_listed: false });
    expect(text).toContain(
      'The publisher of the listing that you asked about names `com.retired/mail-two` as that listing’s successor; `com.retired/mail-two` is not listed here.',
    );
    const other = await ask('search_agents', { similar_to: observedStates.healthy });
    expect(other.json).not.toHaveProperty('successor');
  });

  const { healthy, paid, toolsChanged, signIn, contradicting } = observedStates;
  const { twinOfDomain, twinOfAccount, deprecated, moved, besidesTools, severalOffers } = observedStates;
  const free = [
    healthy,
    toolsChanged,
    contradicting,
    twinOfDomain,
    twinOfAccount,
    deprecated,
    moved,
    besidesTools,
  ];

  it.each([
    ['answered its last check', { answered: true }, [...free, paid, signIn, severalOffers]],
    ['let Dossier in without a payment', { no_payment_seen: true }, free],
    ['has a word, and answered', { query: 'translation', answered: true }, []],
  ] as const)('finds what %s, as the list on the page does', async (_, filter, expected) => {
    const { json } = await ask('search_agents', { ...filter, facets: true });
    const { listings, facets = {} } = json as {
      listings: { handle: string; facts: string[] }[];
      facets?: Record<string, number>;
    };
    // That of a listing that was not checked lately is of its last check too.
    const lately = listings.map(({ handle }) => handle).filter((handle) => handle !== observedStates.stale);
    expect(lately.toSorted()).toEqual(expected.toSorted());
    const [name = ''] = Object.keys(filter).slice(-1);
    expect(facets[`${name}:true`] ?? 0).toBe(listings.length);
    const address = new URLSearchParams(
      Object.entries(filter).map(([key, value]) => [key === 'query' ? 'q' : key, `${value}`]),
    );
    const page = await (await directory.app.request(`/agents?${address}`)).text();
    const found = page.slice(0, page.indexOf('No listing matches.'));
    for (const handle of Object.values(observedStates))
      expect(found.includes(`href="/agents/${handle}"`), handle).toBe(
        listings.some((one) => one.handle === handle),
      );
  });

  it('keeps what the last check saw while the same endpoint is recorded', async () => {
    const find = async () =>
      JSON.stringify((await ask('search_agents', { query: 'notes', answered: true })).json.listings);
    const put = (description: string, url: string) =>
      directory.importEntries([
        registryEntry('com.moved/notes', { description, remotes: [{ type: 'streamable-http', url }] }),
      ]);
    await put('Notes', 'https://mcp.findwell.com/mcp');
    await directory.observe('com.moved/notes');
    expect(await find()).toContain('com.moved/notes');
    await put('More notes', 'https://mcp.findwell.com/mcp');
    expect(await find()).toContain('More notes');
    await put('More notes', 'https://mcp.elsewhere.com/mcp');
    expect(await find()).not.toContain('com.moved/notes');
  });

  it('says of a word without a hit that listings do not have it in their texts, and names the filter for secrets', async () => {
    const { text, json } = await ask('search_agents', { query: 'maps no secret required' });
    expect(text).toContain(
      'No listing has “secret” in its text; to find listings whose record asks for no secret, filter with needs_secret: false; nothing near was found.',
    );
    expect(text).toContain('No listing has “required” in its text; nothing near was found.');
    expect(json.did_you_mean).toEqual([
      {
        word: 'secret',
        near: [],
        hint: 'to find listings whose record asks for no secret, filter with needs_secret: false',
      },
      { word: 'required', near: [] },
    ]);
  });
});
