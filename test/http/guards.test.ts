import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ listening: true, environment: { TRUSTED_PROXIES: '127.0.0.1' } });

/** Sends bytes as they are and answers all that comes back until the other side closes. */
async function raw(text: string): Promise<string> {
  const { port, hostname } = new URL(directory.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return answer;
}

const get = (line: string, headers: string[] = []) =>
  raw([`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join('\r\n'));
const statusOf = (answer: string) => Number(answer.slice(9, 12));

describe('every answer', () => {
  it('carries the security headers and a request id, and no cookie', async () => {
    const { headers } = await fetch(`${directory.url}/`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('requires https only where the service is on https', async () => {
    const secure = await openedDirectory({
      entries: [],
      environment: { PUBLIC_URL: 'https://dossier.example' },
    });
    const { headers } = await secure.app.request('/healthz');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe('the Host header', () => {
  it('never gets into a link', async () => {
    const answer = await get('GET /agents/co.webhook/webhook', ['X-Forwarded-Host: evil.example']);
    expect(answer).not.toContain('evil.example');
  });

  it('is that of ALLOWED_HOSTS where it is set', async () => {
    const named = await openedDirectory({ entries: [], environment: { ALLOWED_HOSTS: 'dossier.example' } });
    const status = async (host: string) => (await named.app.request('/about', { headers: { host } })).status;
    expect([await status('dossier.example'), await status('127.0.0.1:3000')]).toEqual([200, 400]);
    expect((await named.app.request('/healthz', { headers: { host: '10.0.0.7:3000' } })).status).toBe(200);
  });

  it('may be HOST, also an IPv6 address', async () => {
    const environment = { HOST: '2001:db8::7', PUBLIC_URL: 'https://dossier.example' };
    const named = await openedDirectory({ entries: [], environment });
    const status = async (host: string) => (await named.app.request('/about', { headers: { host } })).status;
    expect([await status('[2001:db8::7]:3000'), await status('[2001:db8::8]:3000')]).toEqual([200, 400]);
  });
});

describe('odd requests', () => {
  it.each([
    ['TRACE /', 405],
    ['PUT /agents', 405],
    ['DELETE /agents/co.webhook/webhook', 405],
    ['PROPFIND /', 405],
    ['POST /agents/co.webhook/webhook', 405],
    ['GET /api/tools/get_agent', 405],
    ['BREW /', 400],
    ['GET http://[', 400],
    ['GET /%', 400],
    ['GET /agents/a/%00', 400],
    ['GET /nothing', 404],
    ['GET /.well-known/oauth-authorization-server', 404],
    ['GET /.well-known/oauth-protected-resource/api/mcp', 404],
    ['GET /.env', 404],
    ['GET /assets/../package.json', 404],
    ['GET /assets/%2e%2e%2fpackage.json', 404],
  ])('%s is %i', async (line, status) => {
    const answer = await get(line);
    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toMatch(/\.ts:\d|node_modules/);
  });

  it('name the methods there are', async () => {
    expect(await get('PUT /feedback')).toMatch(/^allow: GET, HEAD, POST\r$/im);
    const options = await get('OPTIONS /agents');
    expect(statusOf(options)).toBe(204);
    expect(options).toMatch(/^allow: GET, HEAD\r$/im);
    expect(await get('HEAD /agents')).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n$/s);
  });

  it('that break a browser page are answered with a page', async () => {
    const answer = await get('GET /nothing', ['Accept: text/html']);
    expect(statusOf(answer)).toBe(404);
    expect(answer).toContain('<h1>Nothing is here</h1>');
  });
});
