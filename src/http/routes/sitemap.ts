import type { Context } from '../../context.ts';
import { countListings, pagesAfter, readHandleBefore } from '../../listings/publishers.ts';
import { readTags } from '../../tools/list-tags.ts';
import { pagePath } from '../../views/html.ts';
import type { Request } from '../call.ts';
import { answerWithETag } from '../response.ts';

/** In one file (sitemaps.org). */
const perFile = 50_000;

const open = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

async function* toFile(context: Context, file: number | undefined): AsyncGenerator<string> {
  yield `${open}<urlset ${namespace}>\n`;
  const { publicUrl } = context.config;
  const tags = file === undefined ? await readTags(context) : [];
  const paths = ['/', '/agents', '/tags', '/about', ...tags.map(({ tag }) => `/tags/${tag}`)];
  if (file === undefined && (await countListings(context)) + paths.length <= perFile) {
    yield paths.map((path) => `<url><loc>${publicUrl}${encodeURI(path)}</loc></url>\n`).join('');
  }
  const before = await readHandleBefore(((file ?? 1) - 1) * perFile, context);
  let written = 0;
  for await (const rows of pagesAfter(before, context)) {
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

function toIndex({ config: { publicUrl } }: Context, files: number): string {
  const toEntry = (_: unknown, at: number) =>
    `<sitemap><loc>${publicUrl}/sitemap.xml?page=${at + 1}</loc></sitemap>\n`;
  const named = Array.from({ length: files }, toEntry).join('');
  return `${open}<sitemapindex ${namespace}>\n${named}</sitemapindex>\n`;
}

const type = 'application/xml; charset=utf-8';
const cacheControl = 'public, max-age=3600';

/** Files read many listings, so they are cached, and a wrong number redirects. */
export async function answerSitemap(c: Request): Promise<Response> {
  const context = c.get('context');
  const listings = await countListings(context);
  const files = listings > perFile ? Math.ceil(listings / perFile) : 0;
  const { search } = new URL(c.req.url);
  const [, page] = /^\?page=([1-9]\d{0,5})$/.exec(search) ?? [];
  if (search !== '' && !(page !== undefined && Number(page) <= files)) return c.redirect('/sitemap.xml', 302);
  let body = page === undefined && files > 0 ? toIndex(context, files) : '';
  if (body === '')
    for await (const text of toFile(context, page === undefined ? undefined : Number(page))) body += text;
  return answerWithETag(c, { type, body, cacheControl, cachePolicy: { cacheTags: 'all' } });
}
