import type { Context } from '../../context.ts';
import { countListings, pagesAfter } from '../../listings/publishers.ts';
import { readTags } from '../../tools/list-tags.ts';
import { pagePath } from '../../views/html.ts';
import type { Request } from '../call.ts';
import { answerWithETag } from '../response.ts';

/** The protocol's limit of addresses in one file (sitemaps.org). */
const perFile = 50_000;

const open = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

async function* toFile(context: Context, after: string): AsyncGenerator<string> {
  yield `${open}<urlset ${namespace}>\n`;
  const { publicUrl } = context.config;
  const tags = after === '' ? await readTags(context) : [];
  const paths = ['/', '/agents', '/tags', '/about', ...tags.map(({ tag }) => `/tags/${tag}`)];
  if (after === '' && (await countListings(context)) + paths.length <= perFile) {
    yield paths.map((path) => `<url><loc>${publicUrl}${encodeURI(path)}</loc></url>\n`).join('');
  }
  let written = 0;
  for await (const rows of pagesAfter(after, context)) {
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

async function* toIndex(context: Context): AsyncGenerator<string> {
  const { publicUrl } = context.config;
  yield `${open}<sitemapindex ${namespace}>\n<sitemap><loc>${publicUrl}/sitemap.xml?after=-</loc></sitemap>\n`;
  let passed = 0;
  for await (const rows of pagesAfter('', context)) {
    passed += rows.length;
    const last = rows.at(-1);
    if (last && passed % perFile === 0)
      yield `<sitemap><loc>${publicUrl}/sitemap.xml?after=${encodeURIComponent(last.handle)}</loc></sitemap>\n`;
  }
  yield '</sitemapindex>\n';
}

const type = 'application/xml; charset=utf-8';
const cacheControl = 'public, max-age=3600';

/**
 * Answers with the sitemap: all listing pages, and the home, list and tag pages if one file has room for them. With more than
 * 50,000 listings it is an index of files. The answer without `after` is cached, because it takes a walk over all listings.
 */
export async function answerSitemap(c: Request): Promise<Response> {
  const context = c.get('context');
  const after = c.req.query('after')?.slice(0, 200);
  const isIndex = after === undefined && (await countListings(context)) > perFile;
  const texts = isIndex ? toIndex(context) : toFile(context, after ?? '');
  let body = '';
  for await (const text of texts) body += text;
  // The other files are not cached, because callers could fill the cache with values of `after`.
  const cachePolicy = after === undefined ? { cacheTags: 'all' as const } : undefined;
  return answerWithETag(c, { type, body, cacheControl, cachePolicy });
}
