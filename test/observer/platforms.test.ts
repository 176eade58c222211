import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { json, messageOf, reply, rpcError } from '../support/endpoints/faults.ts';
import type { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';

const page = (text: string) => `<!doctype html><html><head><title>${text}</title></head><body>${text}</body>`;
const html = 'text/html; charset=utf-8';
const plain = 'text/plain';
const ofJson = 'application/json';
const x402 = JSON.stringify({ x402Version: 2, accepts: [], error: 'pay' });
const offer = JSON.stringify({
  x402Version: 2,
  accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '1', asset: '0xa', payTo: '0xb' }],
});
const inHeader = (text: string) => ({ 'payment-required': Buffer.from(text).toString('base64') });
const ofMpp = (request: string) => ({
  'www-authenticate': `Payment id="x", method="tempo", intent="charge", request="${btoa(request)}"`,
});
const error = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
const absent = 'absent';
const other = 'otherwise';
const silent = 'silent';
const asks = 'asks';
const pays = 'pays';

type Row = readonly [
  sent: string,
  status: number,
  type: string,
  body: string,
  means: string,
  headers?: object,
];

/** What hosting platforms and proxies send in place of a service, and what a service itself may send. */
const rows: readonly Row[] = [
  [
    'Vercel, paused',
    402,
    plain,
    'Payment required\n\nDEPLOYMENT_DISABLED\n\ncdg1::x',
    other,
    { 'x-vercel-error': 'DEPLOYMENT_DISABLED' },
  ],
  ['Vercel, not found', 404, plain, 'The deployment could not be found\n\nDEPLOYMENT_NOT_FOUND', absent],
  ['Vercel, protected', 401, html, page('Authentication Required'), asks],
  [
    'API Gateway, no route',
    403,
    ofJson,
    '{"message":"Missing Authentication Token"}',
    other,
    { 'x-amzn-errortype': 'MissingAuthenticationTokenException' },
  ],
  ['API Gateway, forbidden', 403, ofJson, '{"message":"Forbidden"}', other],
  ['API Gateway, no key', 403, ofJson, '{"message":"Invalid API Key identifier specified"}', other],
  ['ALB', 502, html, page('502 Bad Gateway'), silent, { server: 'awselb/2.0' }],
  ['S3', 403, 'application/xml', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', other],
  ['Cloudflare 1016', 530, plain, 'error code: 1016', silent],
  ['Cloudflare 1020', 403, plain, 'error code: 1020', other],
  ['Cloudflare 1015', 429, plain, 'error code: 1015', 'not_asked'],
  ['Cloudflare, challenge', 403, html, page('Just a moment...'), other, { 'cf-mitigated': 'challenge' }],
  ['Cloudflare, old challenge', 503, html, page('Just a moment...'), other, { 'cf-mitigated': 'challenge' }],
  [
    'Cloudflare Access',
    302,
    html,
    '',
    asks,
    { location: 'https://acme.cloudflareaccess.com/cdn-cgi/access/login/mcp' },
  ],
  ['Netlify, protected', 401, html, page('Password protected site'), asks],
  ['Render, no server', 404, plain, 'Not Found', absent, { 'x-render-routing': 'no-server' }],
  ['Railway', 404, ofJson, '{"status":"error","code":404,"message":"Application not found"}', absent],
  ['Azure, stopped', 403, html, page('Error 403 - This web app is stopped.'), other],
  ['Cloud Run', 403, html, page('Your client does not have permission to get URL /mcp'), other],
  ['GitHub Pages, POST', 405, html, page('405 Not Allowed'), other],
  ['nginx 413', 413, html, page('413 Request Entity Too Large'), other],
  [
    'ngrok',
    404,
    html,
    page('ERR_NGROK_3200: the endpoint is offline. Log in or sign in: authentication required'),
    absent,
  ],
  ['a lock screen', 200, html, '<!doctype html><form><input name="p" type="password"></form>', other],
  ['a parked domain', 302, html, '', other, { location: 'https://parking.example.org/lander?next=/login' }],
  ['a login in the host', 302, html, '', other, { location: 'https://login.example.org/' }],
  ['a login in the path', 302, html, '', asks, { location: '/sign-in?next=/mcp' }],
  ['a shop that is closed', 402, html, page('This site is paused until its invoice is paid'), other],
  ['a bill in JSON', 402, ofJson, '{"error":"Payment required: no API key"}', other],
  ['x402 without an offer', 402, ofJson, x402, pays],
  ['x402 without a version', 402, ofJson, '{"x402Version":null}', other],
  ['a header without an offer', 402, html, page('Pay'), pays, { 'payment-required': 'x' }],
  ['what a host accepts', 402, ofJson, '{"accepts":["application/json"],"error":"unpaid bill"}', other],
  ['MPP without an amount', 402, plain, '', pays, ofMpp('{}')],
  ['offer of x402 in the body', 402, ofJson, offer, pays],
  ['offer of x402 in the header', 402, ofJson, '{}', pays, inHeader(offer)],
  ['offer of MPP', 402, plain, '', pays, ofMpp('{"amount":"1","currency":"0xa","recipient":"0xb"}')],
  ['a 500 about a key', 500, ofJson, '{"error":"Upstream request failed: 401 Unauthorized"}', silent],
  ['a 502 about a key', 502, plain, 'Bad gateway: no API key configured for the model provider', silent],
  ['a 500 of JSON-RPC', 500, ofJson, error(-32001, 'Unauthorized: missing API key'), silent],
  ['an internal error', 200, ofJson, error(-32603, 'Upstream: 401 Unauthorized'), other],
  ['a quota', 200, ofJson, error(-32000, 'Quota exceeded'), other],
  ['JSON that asks', 200, ofJson, '{"error":"API key required"}', other],
  ['JSON-RPC that asks', 200, ofJson, error(-32001, 'Unauthorized'), asks],
  ['JSON-RPC that asks, 403', 403, ofJson, error(-32001, 'Invalid API key'), asks],
  ['a refusal that says why', 400, ofJson, '{"error":"Bearer token is required"}', asks],
  ['a refusal that is a page', 400, html, page('Bearer token is required'), other],
  ['a scope', 403, plain, '', asks, { 'www-authenticate': 'Bearer error="insufficient_scope"' }],
  ['a proxy', 407, plain, '', asks],
  ['a teapot', 418, plain, 'missing access token', other],
  ['451', 451, html, page('Unavailable For Legal Reasons'), other],
];

const tools = [{ name: 'send', description: 'Sends', inputSchema: { type: 'object' } }];
let isHealthy = true;
const names = rows.map((_, at) => `row-${at}`);
const handleOf = (name: string, age: string) => `com.example.${name}/${age}`;

function answer(body: string, request: IncomingMessage, response: ServerResponse) {
  const [, at, age, path] = /^\/row-(\d+)\/(old|new)(.*)$/.exec(request.url ?? '') ?? [];
  if (path !== undefined && path !== '') return void response.writeHead(404).end();
  if (age === undefined) return void response.writeHead(404).end();
  if (age === 'old' && isHealthy) {
    const { method } = messageOf(body);
    if (method === 'initialize')
      return json(response, reply(body, { protocolVersion: '2025-06-18', capabilities: {} }));
    if (method === 'tools/list') return json(response, reply(body, { tools }));
    return json(response, rpcError(body, -32601, 'Method not found'));
  }
  const [, status, type, text, , headers = {}] = rows[Number(at)] as Row;
  response.writeHead(status, { 'content-type': type, ...headers }).end(text);
}

const server = await openedEndpoint(answer as Parameters<typeof startEndpoint>[0]);
const directory = await openedDirectory({
  entries: names.flatMap((name) =>
    ['old', 'new'].map((age) =>
      registryEntry(handleOf(name, age), remotesAt(`https://${name}.example.com/${age}`)),
    ),
  ),
  hosts: Object.fromEntries(names.map((name) => [`${name}.example.com`, { url: `${server.url}/${name}` }])),
  environment: { LIMITS: 'off' },
});

async function check(name: string, age: string) {
  const { observations } = await directory.observe(handleOf(name, age));
  return Object.fromEntries(observations.map((one) => [one.kind, one]));
}

const meaningOf = ({
  'endpoint.answers': answers,
  'auth.required': required,
}: Awaited<ReturnType<typeof check>>) => {
  if (answers?.outcome !== 'seen') return answers?.outcome;
  return required?.value ? asks : pays;
};

it.each(rows.map((row, at) => [row[0], row, `row-${at}`] as const))(
  '%s is taken for what it is, and replaces what was seen only if it says so itself',
  async (title, [, status, , , means, headers = {}], name) => {
    expect(meaningOf(await check(name, 'new'))).toBe(means);
    isHealthy = true;
    await check(name, 'old');
    isHealthy = false;
    directory.wait(86_400);
    const { 'auth.required': required, ...seen } = await check(name, 'old');
    const isSure = title.startsWith('offer') || (means === asks && 'www-authenticate' in headers);
    expect(Object.values(seen).some(({ outcome }) => outcome === 'asks')).toBe(isSure);
    expect(seen['endpoint.answers']?.value).toBe(isSure ? status : 200);
    expect(required?.value).toBe(isSure && means === asks);
    // On the first day, the short answer says what came.
    const answer = await directory.app.request(`/agents/${handleOf(name, 'old')}.md`);
    if (!isSure) expect(await answer.text()).toMatch(new RegExp(`HTTP ${status}|a challenge to bots`));
    directory.wait(3600);
    const later = await check(name, 'old');
    expect(later['auth.required']?.value).toBe(means === asks ? true : means === absent ? null : false);
  },
);
