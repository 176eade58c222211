import { Hono } from 'hono';
import { payeePath, readPayeeSegment } from '../../core/payee.ts';
import { readPayeeDocument, toPayeeMarkdown } from '../../document/payee.ts';
import { toPayeePage } from '../../views/payee-page.ts';
import type { CachePolicy, HttpAdapter, HttpEnvironment, Request } from '../call.ts';
import { answerJson, answerPage, answerWithETag } from '../response.ts';

const cachePolicy: CachePolicy = { cacheTags: 'all' };

/** Other spellings redirect to the payee's address, but not other percent-encoding, which proxies change. */
async function showPayee(c: Request, { site }: HttpAdapter) {
  const { pathname } = new URL(c.req.url);
  const { payees, ending } = readPayeeSegment(pathname.slice('/payees/'.length));
  const document = await readPayeeDocument(payees, c.get('context'));
  const isPage = ending === '' || ending === '.html';
  const path = payeePath(document, isPage ? '' : ending);
  if (decodeURIComponent(path) !== decodeURIComponent(pathname)) return c.redirect(path, 308);
  if (isPage) return answerPage(c, toPayeePage(site, document), cachePolicy);
  // Search engines index the page instead.
  c.header('Link', `<${document.page}>; rel="canonical"`);
  if (ending === '.json') return answerJson(c, document, cachePolicy);
  const body = toPayeeMarkdown(document);
  return answerWithETag(c, { type: 'text/markdown; charset=utf-8', body, cachePolicy });
}

export const createPayeeRoutes = (adapter: HttpAdapter) =>
  new Hono<HttpEnvironment>().get('/payees/:payee', (c) => showPayee(c, adapter));
