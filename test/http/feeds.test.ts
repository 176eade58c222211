import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { type OfferedTool, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { packageAt, registryEntry, remotesAt, seedEntries } from '../support/entries.ts';
import { opened, openedDirectory, openFolder } from '../support/opened.ts';

/** What ends or breaks markup, and what XML cannot have. */
const markup = ']]></entry><img src=x onerror=alert(1)> & &lt;b&gt; &#0;';
const hostile = `${markup} \u0001\u000b\ufffe\ud800 \u202e "x" 'y' <!-- `;
const handle = 'com.example/hostile';
const address = 'https://hostile.example.com/mcp';
const entry = (version: string, words: string, day: string, more: object = {}) =>
  registryEntry(
    handle,
    {
      version,
      title: `Hostile ${words}`.slice(0, 100),
      description: `A description ${words}`.slice(0, 100),
      ...remotesAt(address),
      ...more,
    },
    { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z` },
  );
const package_ = (identifier: string) => packageAt('npm', identifier, '1');

const file = join(openFolder(), 'views.json');
const view = { title: `All ${hostile}`, criteria: [{ criterion: 'has_endpoint' }] };
writeFileSync(file, JSON.stringify({ all: view }));

let tools: OfferedTool[] = [{ name: 'read' }];
const server = await opened(startModernServer(() => tools));
const service = await openedDirectory({
  entries: [...seedEntries, entry('1', '', '2026-11-01', package_('one'))],
  environment: {
    PUBLIC_URL: 'https://dossier.example',
    VIEWS: file,
    HOST_OVERRIDES: JSON.stringify({ 'hostile.example.com': server.url }),
  },
});
await service.observe(handle);
tools = [
  { name: `read ${hostile}`, description: hostile },
  { name: 'x', description: hostile },
];
for (const version of [markup, `3 ${markup}`]) {
  service.wait(86_400);
  await service.importEntries([entry(version, hostile, '2026-11-05', package_(`two ${version}`))]);
  await service.observe(handle);
}

const places = [
  '',
  `/agents/${handle}`,
  '/agents/co.webhook/webhook',
  '/publishers/com.example',
  '/tags/webhooks',
];
const read = async (path: string) => (await service.app.request(path)).text();

type Element = Readonly<Record<string, unknown>>;
const toList = (one: unknown): readonly Element[] =>
  one === undefined ? [] : ((Array.isArray(one) ? one : [one]) as readonly Element[]);
const parser = new XMLParser({ ignoreAttributes: false, processEntities: true, parseTagValue: false });

/** RFC 3339, as RFC 4287 and JSON Feed have it. */
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that XML 1.0 does not have.
const noCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Of a feed or an entry: RFC 4287, 4.1.1 and 4.1.2. */
function expectElement(one: Element): void {
  for (const name of ['id', 'title', 'updated']) expect(toList(one[name]), name).toHaveLength(1);
  expect(one.updated).toMatch(time);
  expect(URL.canParse(String(one.id))).toBe(true);
  for (const name of ['subtitle', 'rights', 'generator', 'icon', 'logo', 'summary', 'content', 'published'])
    expect(toList(one[name]).length, name).toBeLessThanOrEqual(1);
  const links = toList(one.link);
  const relOf = (link: Element) => link['@_rel'] ?? 'alternate';
  expect(links.filter((link) => relOf(link) === 'alternate')).toHaveLength(1);
  for (const link of links) expect(URL.canParse(String(link['@_href']))).toBe(true);
}

it('a feed without entries says that it is in use, and others do not', async () => {
  const none =
    'It has no entry now; the next change that Dossier records will be one. What was published before Dossier first read a listing is in its history alone.';
  const empty = '/agents/co.webhook/webhook';
  for (const form of ['atom', 'json']) {
    expect(await read(`${empty}/feed.${form}`)).toContain(none);
    expect(await read(`/feed.${form}`)).not.toContain(none);
    expect(await read(`/feed.${form}`)).toContain(
      'Until the operator imports again, Dossier learns of no new version, status or withdrawal.',
    );
  }
});

describe.each([...places, '/views/all'])('the feeds of “%s”', (place) => {
  it('keep the rules of Atom (RFC 4287), whatever others wrote', async () => {
    const text = await read(`${place}/feed.atom`);
    expect(XMLValidator.validate(text)).toBe(true);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toMatch(noCharacter);
    expect(text).toMatch(
      /^<\?xml version="1\.0" encoding="utf-8"\?>\s*<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/,
    );
    const { feed } = parser.parse(text) as { feed: Element };
    expectElement(feed);
    const { name } = feed.author as Element;
    expect(name).toBe('Dossier');
    const self = toList(feed.link).filter((link) => link['@_rel'] === 'self');
    expect(self.map((link) => link['@_href'])).toEqual([`https://dossier.example${place}/feed.atom`]);
    const entries = toList(feed.entry);
    for (const one of entries) {
      expectElement(one);
      // Readers show HTML, and a title is words alone.
      expect(one.title).toEqual(expect.any(String));
      expect(one.content).toMatchObject({ '@_type': 'html' });
      expect(String((one.content as Element)['#text'])).not.toMatch(/<(?!\/?(?:p|a|code|span|q|time)\b)/);
    }
    const ids = entries.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('keep the rules of JSON Feed 1.1', async () => {
    const feed = JSON.parse(await read(`${place}/feed.json`)) as Element;
    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: expect.stringMatching(/./),
      home_page_url: `https://dossier.example${place || '/'}`,
      feed_url: `https://dossier.example${place}/feed.json`,
      authors: [{ name: 'Dossier' }],
    });
    // Replaced by `authors`.
    expect(feed.author).toBeUndefined();
    const items = feed.items as Element[];
    for (const item of items)
      expect(item).toEqual({
        id: expect.stringMatching(/^https:/),
        url: expect.stringMatching(/^https:/),
        title: expect.stringMatching(/./),
        content_html: expect.stringMatching(/^<p>/),
        date_modified: expect.stringMatching(time),
      });
    const ids = items.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });
});

it('the feeds have the hostile changes', async () => {
  const titles = (JSON.parse(await read(`/agents/${handle}/feed.json`)) as { items: Element[] }).items;
  expect(JSON.stringify(titles)).toContain('&lt;img');
});
