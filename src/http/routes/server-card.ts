import { Hono } from 'hono';
import { catalogType, serverCardType, toCatalog, toServerCard } from '../../views/text/server-card.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { answerWithETag } from '../response/answers.ts';

/** A small document that any page may read, and that follows from the settings alone. */
function answerOpenly(c: Request, type: string, document: object): Promise<Response> {
  c.header('Access-Control-Allow-Origin', '*');
  const body = `${JSON.stringify(document)}\n`;
  return answerWithETag(c, {
    ...{ type, body },
    cacheControl: 'public, max-age=3600',
    cachePolicy: { cacheTags: [] },
  });
}

/** The card of the MCP server, and the catalog of this host that names it. */
export const createServerCardRoutes = ({ site: { config } }: Face) =>
  new Hono<HttpEnvironment>()
    .get('/api/mcp/server-card', (c) => answerOpenly(c, serverCardType, toServerCard(config)))
    .get('/.well-known/ai-catalog.json', (c) => answerOpenly(c, catalogType, toCatalog(config)));
