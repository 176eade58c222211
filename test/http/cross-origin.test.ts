import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openedDirectory, openFolder } from '../support/opened.ts';

const folder = openFolder();
const views = join(folder, 'views.json');
writeFileSync(views, JSON.stringify({ all: { title: 'All', criteria: [{ criterion: 'has_endpoint' }] } }));
const directory = await openedDirectory({
  environment: { VIEWS: views, PUBLIC_URL: 'https://dossier.example' },
});

const listing = '/agents/co.webhook/webhook';
const documents = [
  ...['.json', '.md', '/history.json', '/feed.json', '/feed.atom'].map((end) => `${listing}${end}`),
  '/badge/co.webhook/webhook',
  '/badge/co.webhook/webhook.json',
  `${listing}/card.png`,
  '/changes?since=0',
  '/feed.json',
  '/tags/email/feed.json',
  '/publishers/co.webhook/feed.atom',
  '/views/all/feed.json',
  '/views/all/feed.atom',
  '/views/all/.mcp.json',
  '/views/none/feed.json',
  '/views/all/managed-settings.json',
  '/v0.1/servers',
  '/export/manifest.json',
  '/transparency.json',
  '/log/checkpoint',
  '/log/key',
  '/llms.txt',
  '/openapi.json',
  '/sitemap.xml',
  '/readyz',
  '/api/mcp/server-card',
  '/agents/co.webhook/none.json',
  '/feed.json?view=none',
  // A redirect to a document, without which a script cannot follow it.
  '/agents/CO.webhook/webhook.json',
];

it('every document may be read by pages of any origin, also if it is not there', async () => {
  const closed = [];
  for (const path of documents)
    for (const method of ['GET', 'HEAD']) {
      const headers = { origin: 'https://elsewhere.example' };
      const answer = await directory.app.request(path, { method, headers });
      if (answer.headers.get('access-control-allow-origin') !== '*') closed.push(`${method} ${path}`);
    }
  expect(closed).toEqual([]);
});

it('a page and a form are for this origin alone', async () => {
  for (const [path, method] of [
    [listing, 'GET'],
    ['/feedback', 'GET'],
    ['/feedback', 'POST'],
    ['/api/feedback', 'POST'],
  ] as const) {
    const answer = await directory.app.request(path, { method, headers: { accept: 'text/html' } });
    expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, null]);
  }
});

/** The headers of CORS of an answer, with `allow` and `vary` if it is a preflight's. */
async function corsOf(method: string, path: string, headers: Record<string, string> = {}) {
  const sent = method === 'POST' ? { 'content-type': 'application/json', ...headers } : headers;
  const body = method === 'POST' ? { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } : {};
  const answer = await directory.app.request(path, { method, headers: sent, ...body });
  const shown = method === 'OPTIONS' ? /^(access-control-|allow$|vary$)/ : /^access-control-/;
  const found = [...answer.headers].filter(([name]) => shown.test(name));
  return { status: answer.status, ...Object.fromEntries(found) };
}
const origin = 'https://elsewhere.example';

it('the MCP endpoint lets scripts of any site call it, and names no header that they may not send', async () => {
  const preflight = {
    status: 204,
    allow: 'POST, OPTIONS',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-max-age': '86400',
    vary: 'Access-Control-Request-Headers',
  };
  const asked = 'content-type, x-secret, Mcp-Protocol-Version,authorization';
  expect(await corsOf('OPTIONS', '/api/mcp', { origin, 'access-control-request-headers': asked })).toEqual({
    ...preflight,
    'access-control-allow-headers': 'content-type, Mcp-Protocol-Version, authorization',
  });
  expect(await corsOf('OPTIONS', '/api/mcp', { origin })).toEqual({
    ...preflight,
    'access-control-allow-headers': '',
  });
  const opened = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After, RateLimit, RateLimit-Policy, Mcp-Session-Id',
  };
  expect(await corsOf('POST', '/api/mcp', { origin })).toEqual({ status: 200, ...opened });
  expect(await corsOf('DELETE', '/api/mcp', { origin })).toEqual({ status: 405, ...opened });
  expect(await corsOf('POST', '/api/mcp')).toEqual({ status: 200 });
});

it.each([
  ['/v0.1/servers', 'GET, OPTIONS', 200],
  ['/v0/servers/co.webhook%2Fnone', 'GET, OPTIONS', 404],
  ['/views/all/v0.1/servers/co.webhook%2Fnone', 'GET, OPTIONS', 404],
  ['/ard/agents/none', 'GET, POST, OPTIONS', 400],
])('%s has the same headers on a preflight, an answer and an error', async (path, methods, status) => {
  const opened = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods,
    'access-control-allow-headers': 'Authorization, Content-Type',
  };
  expect(await corsOf('OPTIONS', path, { origin })).toEqual({ status: 204, ...opened });
  expect(await corsOf('GET', path, { origin })).toEqual({ status, ...opened });
});

it('a card of the server says on a preflight for how long it holds', async () => {
  const opened = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'Content-Type, If-None-Match',
    'access-control-expose-headers': 'ETag',
  };
  for (const path of ['/api/mcp/server-card', '/.well-known/ard.json', '/.well-known/ai-catalog.json']) {
    expect(await corsOf('OPTIONS', path, { origin })).toEqual({
      status: 204,
      ...opened,
      'access-control-max-age': '86400',
    });
    expect(await corsOf('GET', path, { origin })).toEqual({ status: 200, ...opened });
  }
});
