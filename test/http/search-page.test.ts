import { describe, expect, it } from 'vitest';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const get = (path: string) => directory.app.request(path, { headers: { accept: 'text/html' } });
const textOf = async (path: string) => (await get(path)).text();
const handlesIn = (page: string) =>
  [...page.matchAll(/<h3><a class="handle" href="\/agents\/([^"]+)"/g)].map(([, handle]) => handle);
const countIn = (page: string) => /role="status" tabindex="-1">([^<]+)</.exec(page)?.[1];
const linkIn = (page: string, pattern: RegExp) => pattern.exec(page)?.[1]?.replaceAll('&amp;', '&');
const nextIn = (page: string) => linkIn(page, /rel="next" href="([^"]+)"/);
const replacedIn = (page: string) => linkIn(page, /hx-replace-url="(\/[^"]+)"/);

const crowd = Array.from({ length: 1040 }, (_, at) =>
  registryEntry(
    `io.crowd/member-${String(at).padStart(4, '0')}`,
    {
      description: 'One of a crowd of calendars',
      ...(at % 2 === 0 && { remotes: [{ type: 'sse', url: `https://crowd.example/${at}` }] }),
    },
    { publishedAt: new Date(Date.UTC(2026, 8, 1, 0, at)).toISOString() },
  ),
);

const loud = registryEntry('org.loud/marks', {
  title: 'Webhook <b>marks</b>',
  description: 'A webhook & <script>alert(1)</script> of Webhooks',
});
const directory = await openedDirectory({
  entries: [...seedEntries, loud, ...crowd],
  environment: { LIMITS: 'off' },
});

describe('/agents', () => {
  it('shows where counting stopped', async () => {
    const page = await textOf('/agents?state=imported');
    expect(countIn(page)).toBe('More than 1,000 listings, 20 shown so far.');
    expect(page).toContain(
      'Counted over the first 1,000 listings: there may be more listings and more filters.',
    );
    const found = await textOf('/agents?q=crowd');
    expect(countIn(found)).toBe('1,040 listings, 20 shown so far.');
    expect(found).toMatch(/>sse<\/a> <span class="count">520<\/span>/);
    expect(found).not.toContain('Counted over');
    const exact = await textOf('/agents');
    expect(countIn(exact)).toBe('1,043 listings, 20 shown so far.');
    expect(exact).toMatch(/>sse<\/a> <span class="count">520<\/span>/);
    expect(exact).not.toContain('Counted over');
  });

  it('shows the number in the address, at most 200, and links to more', async () => {
    const first = await textOf('/agents?q=crowd');
    expect(replacedIn(first)).toBe('/agents?q=crowd&shown=40');
    const second = await textOf(nextIn(first) ?? '');
    expect(countIn(second)).toBe('1,040 listings, 40 shown so far.');
    expect(replacedIn(second)).toBe('/agents?q=crowd&shown=60');
    const both = await textOf('/agents?q=crowd&shown=40');
    expect(handlesIn(both)).toEqual([...handlesIn(first), ...handlesIn(second)]);
    expect(nextIn(both)).toBe(nextIn(second));
    const most = await textOf('/agents?q=crowd&shown=9999');
    expect(handlesIn(most)).toHaveLength(200);
    expect(replacedIn(most)).toBeUndefined();
    const behind = await textOf(nextIn(most) ?? '');
    expect(handlesIn(behind).filter((handle) => handlesIn(most).includes(handle))).toEqual([]);
    expect(countIn(behind)).toBe('1,040 listings, 220 shown so far.');
    expect(replacedIn(behind)).toBeUndefined();
  });

  it('passes over what is no number of listings', async () => {
    for (const shown of ['0', '-1', '1e9', 'all', ''])
      expect(handlesIn(await textOf(`/agents?q=crowd&shown=${shown}`))).toHaveLength(20);
    expect(handlesIn(await textOf('/agents?q=crowd&shown=3'))).toHaveLength(3);
  });

  it('keeps filters in the form, where the next words are searched with them', async () => {
    const page = await textOf('/agents?q=crowd&has_endpoint=true&tag=calendar&tag=calendar&tag=remote');
    expect([...page.matchAll(/<input type="hidden" form="search" name="([^"]+)" value="([^"]+)">/g)]).toEqual(
      [
        expect.objectContaining({ 1: 'has_endpoint', 2: 'true' }),
        expect.objectContaining({ 1: 'tag', 2: 'calendar' }),
        expect.objectContaining({ 1: 'tag', 2: 'remote' }),
      ],
    );
    expect(page).toContain('<a href="/agents?q=crowd">Remove all</a>');
  });

  it('offers no other transport once one is chosen, as no count is known for it', async () => {
    const page = await textOf('/agents?transport=sse');
    expect(page).toContain('<a id="filter-transport-sse" href="/agents" aria-current="true" rel="nofollow">');
    expect(page).not.toContain('filter-transport-stdio');
    expect(page).not.toContain('filter-has_endpoint');
  });

  it('highlights the words in the text of publishers, and marks partial matches', async () => {
    const page = await textOf('/agents?q=webhooks');
    expect(handlesIn(page).toSorted()).toEqual(['co.webhook/webhook', 'org.loud/marks']);
    expect(page).not.toContain('class="found"');
    expect(page).toContain('co.<mark>webhook</mark>/<mark>webhook</mark></a>');
    expect(page).toContain('<mark>Webhook</mark> &lt;b&gt;marks&lt;/b&gt;');
    expect(page).toContain(
      'A <mark>webhook</mark> &amp; &lt;script&gt;alert(1)&lt;/script&gt; of <mark>Webhooks</mark>',
    );
    const part = await textOf('/agents?q=webhook+marks+replay');
    expect(part).toContain('<li class="found">matched 2 of 3 words</li>');
  });

  it('sorts on request, keeps the order with the next words, and names it', async () => {
    const page = await textOf('/agents?q=webhook&sort=published');
    expect(handlesIn(page)[0]).toBe('org.loud/marks');
    expect(page).toContain(
      'Order: <a href="/agents?q=webhook" rel="nofollow">best match</a>, <a href="/agents?q=webhook&amp;sort=updated" rel="nofollow">last updated</a>, <strong>newest</strong>. Never by ratings.',
    );
    expect(page).toContain('<input type="hidden" form="search" name="sort" value="published">');
    expect(handlesIn(await textOf('/agents?sort=published'))[0]).toBe('org.loud/marks');
    expect(await textOf('/agents?tag=calendar')).toContain('<strong>oldest publication</strong>');
  });

  it('is a page too where the search cannot be run', async () => {
    const response = await get('/agents?q=crowd&state=best');
    expect(response.status).toBe(422);
    const page = await response.text();
    expect(countIn(page)).toBe('This search cannot be run.');
    expect(page).toContain('<li>state: ');
    expect(page).toContain(
      'href="/agents?q=crowd"><span class="unseen">Remove the filter </span>state: best',
    );
    expect(page).toContain('name="q" type="search" value="crowd"');
    expect((await directory.app.request('/agents?state=best')).headers.get('content-type')).toBe(
      'application/problem+json',
    );
  });

  it('shows where a list ends, and links back to its start', async () => {
    const next = new URLSearchParams(nextIn(await textOf('/agents?q=crowd'))?.split('?')[1]).get('cursor');
    const [search] = JSON.parse(Buffer.from(next ?? '', 'base64url').toString());
    const cursor = Buffer.from(JSON.stringify([search, 9000, 9007199254740000])).toString('base64url');
    const page = await textOf(`/agents?q=crowd&cursor=${cursor}&from=1041`);
    expect(countIn(page)).toBe('1,040 listings; there are no more after this position.');
    expect(page).toContain('<a href="/agents?q=crowd">From the first listing</a>');
  });
});

describe('/tags', () => {
  it('tells subjects, recorded facts and publishers’ keywords apart', async () => {
    const page = await textOf('/tags');
    const [, subjects = '', facts = ''] = page.split('<h2 id=');
    expect(subjects).toMatch(/^"subjects">Subjects/);
    expect(subjects).toContain('<a class="tag" href="/tags/calendar">calendar</a>');
    expect(facts).toMatch(/^"facts">Recorded facts/);
    expect(facts).toContain('<a class="tag" href="/tags/remote">remote</a>');
  });

  it('of one tag searches inside it', async () => {
    const page = await textOf('/tags/calendar');
    expect(page).toContain('<input type="hidden" form="search" name="tag" value="calendar">');
    expect(page).toContain('<form id="search" class="search" action="/agents" method="get" role="search">');
    expect(countIn(page)).toBe('More than 1,000 listings, 20 shown so far.');
    expect(nextIn(page)).toMatch(/^\/agents\?tag=calendar&cursor=[\w-]+&from=21$/);
  });
});
