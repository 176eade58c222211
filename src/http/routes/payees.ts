import { Hono } from 'hono';
import { payeePath, readPayee, splitPayeeName } from '../../core/payee.ts';
import { readPayeeDocument, toPayeeMarkdown } from '../../document/payee.ts';
import { toPayeePage } from '../../views/payee-page.ts';
import type { CachePolicy, HttpAdapter, HttpEnvironment, Request } from '../call.ts';
import { answerJson, answerPage, answerWithETag } from '../response.ts';

const cachePolicy: CachePolicy = { cacheTags: 'all' };

/**
 * Answers with a payee as page, JSON or Markdown. A different spelling of its name redirects to its own
 * address.
 */
async function showPayee(c: Request, { site }: HttpAdapter) {
  const asked = c.req.param('payee') ?? '';
  const { name, ending } = splitPayeeName(asked);
  const document = await readPayeeDocument(name, c.get('context'));
  const isPage = ending === '' || ending === '.html';
  const path = payeePath(readPayee(name) ?? { address: name }, isPage ? '' : ending);
  if (path !== undefined && path !== `/payees/${asked}`) return c.redirect(path, 308);
  if (isPage) return answerPage(c, toPayeePage(site, document), cachePolicy);
  // Search engines index the page instead.
  c.header('Link', `<${document.page}>; rel="canonical"`);
  if (ending === '.json') return answerJson(c, document, cachePolicy);
  const body = toPayeeMarkdown(document);
  return answerWithETag(c, { type: 'text/markdown; charset=utf-8', body, cachePolicy });
}

export const createPayeeRoutes = (adapter: HttpAdapter) =>
  new Hono<HttpEnvironment>().get('/payees/:payee{[-.:_A-Za-z0-9]{1,200}}', (c) => showPayee(c, adapter));
