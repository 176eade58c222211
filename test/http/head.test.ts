import { describe, expect, it } from 'vitest';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const hostile = '</script><script>alert(1)</script><!-- & \u2028 "><img src=x onerror=alert(2)>';
const base = 'http://127.0.0.1:3000';

const directory = await openedDirectory({
  entries: [
    ...seedEntries,
    registryEntry('io.test/hostile', {
      title: hostile,
      description: hostile,
      version: '1</script>',
      websiteUrl: 'javascript:alert(1)',
    }),
    registryEntry('io.test/gone', { description: 'Words of a publisher' }, { status: 'deleted' }),
  ],
});

const toText = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/**
 * What the head of a page says: its metas by name or property, its title, its canonical link, its data block.
 */
async function headOf(path: string) {
  const text = await (await directory.app.request(path, { headers: { accept: 'text/html' } })).text();
  const head = text.slice(0, text.indexOf('</head>'));
  const metas = [...head.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g)];
  const blocks = [...head.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  return {
    head,
    title: /<title>(.*?)<\/title>/.exec(head)?.[1],
    canonical: /<link rel="canonical" href="([^"]*)">/.exec(head)?.[1],
    metas: Object.fromEntries(metas.map(([, name = '', content = '']) => [name, toText(content)])),
    data: blocks.map(([, json = '']) => JSON.parse(json) as Record<string, unknown>),
  };
}

describe('the head of a listing', () => {
  it('describes it for search engines and link previews', async () => {
    const today = directory.context.clock().toISOString().slice(0, 10);
    const description = `“Receive, inspect, replay and deliver webhooks, with signature verification and agent triggers.” (its publisher’s words). co.webhook/webhook is listed with no rating evidence as of ${today}. A listing is not verification and not a recommendation to buy.`;
    const { title, canonical, metas } = await headOf('/agents/co.webhook/webhook');
    expect({ title, canonical }).toEqual({
      title: 'co.webhook/webhook - Dossier',
      canonical: `${base}/agents/co.webhook/webhook`,
    });
    expect(metas).toMatchObject({
      description,
      'og:type': 'website',
      'og:site_name': 'Dossier',
      'og:title': 'co.webhook/webhook',
      'og:description': description,
      'og:url': `${base}/agents/co.webhook/webhook`,
      'og:image': `${base}/agents/co.webhook/webhook/card.png`,
      'og:image:width': '1200',
      'og:image:height': '630',
      'og:image:alt': description,
      'twitter:card': 'summary_large_image',
    });
    expect(metas).not.toHaveProperty('robots');
  });

  it('describes it for machines, without any rating', async () => {
    const { data, head } = await headOf('/agents/co.webhook/webhook');
    expect(data).toEqual([
      {
        '@context': 'https://schema.org',
        '@type': 'SoftwareApplication',
        '@id': `${base}/agents/co.webhook/webhook`,
        name: 'co.webhook/webhook',
        description:
          'Receive, inspect, replay and deliver webhooks, with signature verification and agent triggers.',
        disambiguatingDescription: expect.stringContaining('A listing is not verification'),
        url: `${base}/agents/co.webhook/webhook`,
        identifier: 'co.webhook/webhook',
        applicationCategory: 'DeveloperApplication',
        softwareVersion: '1.0.0',
        dateModified: '2026-10-02T08:00:00.000Z',
        sameAs: ['https://github.com/webhook-co/webhook'],
        keywords: expect.arrayContaining(['webhooks']),
      },
    ]);
    expect(head).not.toMatch(/aggregateRating|ratingValue|"review"|offers/i);
  });

  it('is that of its twins too, which search engines are led away from', async () => {
    for (const ending of ['.json', '.md']) {
      const { headers } = await directory.app.request(`/agents/co.webhook/webhook${ending}`);
      expect(headers.get('link')).toBe(`<${base}/agents/co.webhook/webhook>; rel="canonical"`);
    }
    expect((await directory.app.request('/agents/co.webhook/webhook')).headers.get('link')).toBeNull();
  });

  it('lets no word of a publisher out of its place', async () => {
    const { head, data, metas } = await headOf('/agents/io.test/hostile');
    expect(head.match(/<script/g)).toHaveLength(head.match(/<script (src|type)="/g)?.length ?? 0);
    expect(head).not.toMatch(/alert\(1\)<|<img|<!--|\u2028/);
    const kept = '</script><script>alert(1)</script><!-- & "><img src=x onerror=alert(2)>';
    expect(data[0]).toMatchObject({ alternateName: kept, description: kept, softwareVersion: '1</script>' });
    expect(data[0]).not.toHaveProperty('sameAs');
    // In our quotes a double quote inside is a single one.
    expect(metas['og:description']).toContain(`“${kept.replace('"', "'")}”`);
  });
});

describe('the head of other pages', () => {
  it.each([
    ['/', 'Dossier: evidence before you buy an agent service', '/'],
    ['/agents', 'Listings - Dossier', '/agents'],
    ['/tags', 'Tags - Dossier', '/tags'],
    ['/tags/webhooks', 'Tag: webhooks - Dossier', '/tags/webhooks'],
    ['/tools', 'Tools - Dossier', '/tools'],
    ['/about', 'About - Dossier', '/about'],
    ['/feedback', 'Feedback - Dossier', '/feedback'],
    ['/compare', 'Compare listings - Dossier', '/compare'],
  ])(
    '%s has a title, a description, an address and the card of the service',
    async (path, title, canonical) => {
      const head = await headOf(path);
      expect([head.title, head.canonical]).toEqual([title, base + canonical]);
      expect(head.metas.description?.length).toBeGreaterThan(40);
      expect(head.metas).toMatchObject({ 'og:url': base + canonical, 'og:image': `${base}/card.png` });
      expect(head.metas).not.toHaveProperty('robots');
      expect(head.data).toEqual([]);
    },
  );

  it.each([
    '/agents?q=webhook',
    '/agents?tag=webhooks',
    '/compare?handle=co.webhook%2Fwebhook&handle=com.politicalcomms%2Fapi&claimed=true',
    '/feedback?handle=co.webhook/webhook',
    '/agents/co.webhook/webhook/claim',
    '/agents/co.webhook/webhook/ratings',
    '/agents/co.webhook/webhook/badge',
    '/api/mcp',
    '/agents/co.webhook/webhok',
    '/agents/io.test/gone',
    '/nothing',
  ])('%s is not for search engines and names no address for good', async (path) => {
    const { canonical, metas } = await headOf(path);
    expect(metas.robots).toBe('noindex');
    expect(canonical).toBeUndefined();
    expect(metas).not.toHaveProperty('og:url');
  });

  it('a withdrawn listing takes no word of its publisher along', async () => {
    const { head, data } = await headOf('/agents/io.test/gone');
    expect(head).not.toContain('Words of a publisher');
    expect(data).toEqual([]);
  });
});
