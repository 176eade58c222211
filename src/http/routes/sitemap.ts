import type { ListingReads } from '../../listings/reads.ts';
import { pagePath } from '../../views/html.ts';
import type { Request } from '../call.ts';
import { answerWithETag } from '../response.ts';

/** The protocol's limit of addresses in one file (sitemaps.org). */
const perFile = 50_000;
const perRead = 1000;

const open = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

type Page = Awaited<ReturnType<ListingReads['page']>>;

async function* pagesAfter(listings: ListingReads, after: string): AsyncGenerator<Page> {
  let position = after;
  for (;;) {
    const rows = await listings.page(position, perRead);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < perRead) return;
    position = last.handle;
  }
}

async function* toFile(listings: ListingReads, after: string, publicUrl: string): AsyncGenerator<string> {
  yield `${open}<urlset ${namespace}>\n`;
  const tags = after === '' ? await listings.facetCounts('tag') : [];
  const paths = ['/', '/agents', '/tags', '/about', ...tags.map(({ facet }) => `/tags/${facet.slice(4)}`)];
  if (after === '' && (await listings.count()) + paths.length <= perFile) {
    yield paths.map((path) => `<url><loc>${publicUrl}${encodeURI(path)}</loc></url>\n`).join('');
  }
  let written = 0;
  for await (const rows of pagesAfter(listings, after)) {
    yield rows
      .map(
        ({ handle, updated_at }) =>
          `<url><loc>${publicUrl}${pagePath(handle)}</loc><lastmod>${updated_at}</lastmod></url>\n`,
      )
      .join('');
    written += rows.length;
    if (written >= perFile) break;
  }
  yield '</urlset>\n';
}

async function* toIndex(listings: ListingReads, publicUrl: string): AsyncGenerator<string> {
  yield `${open}<sitemapindex ${namespace}>\n<sitemap><loc>${publicUrl}/sitemap.xml?after=-</loc></sitemap>\n`;
  let passed = 0;
  for await (const rows of pagesAfter(listings, '')) {
    passed += rows.length;
    const last = rows.at(-1);
    if (last && passed % perFile === 0)
      yield `<sitemap><loc>${publicUrl}/sitemap.xml?after=${encodeURIComponent(last.handle)}</loc></sitemap>\n`;
  }
  yield '</sitemapindex>\n';
}

/** A stream of texts, of which those that need the first reads are made before the answer begins: one that fails is a problem. */
async function toStream(texts: AsyncGenerator<string>) {
  let first = '';
  for (let count = 0; count < 3; count++) first += (await texts.next()).value ?? '';
  const all = async function* () {
    yield first;
    yield* texts;
  };
  return ReadableStream.from(all()).pipeThrough(new TextEncoderStream());
}

const type = 'application/xml; charset=utf-8';
const cacheControl = 'public, max-age=3600';

/** Home, lists and tags where one file has room for all, and all listing pages, streamed: one file, or an index of files where there are more than 50,000. */
export async function answerSitemap(c: Request, publicUrl: string): Promise<Response> {
  const { listings } = c.get('context').store;
  const after = c.req.query('after')?.slice(0, 200);
  if (after === undefined && (await listings.count()) > perFile) {
    // Small, and made of a walk over all listings.
    let body = '';
    for await (const text of toIndex(listings, publicUrl)) body += text;
    return answerWithETag(c, { type, body, cacheControl, cachePolicy: { cacheTags: 'all' } });
  }
  return c.body((await toStream(toFile(listings, after ?? '', publicUrl))) as ReadableStream, {
    headers: { 'Content-Type': type, 'Cache-Control': cacheControl },
  });
}
