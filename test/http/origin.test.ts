import { expect, it } from 'vitest';
import { openDirectory } from '../support/directory.ts';

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** How MCP at PUBLIC_URL answers a page of an origin: status, and whether the page can read it. */
async function answers(publicUrl: string, origin: string, environment: Record<string, string> = {}) {
  const directory = await openDirectory({
    entries: [],
    environment: { PUBLIC_URL: publicUrl, ...environment },
  });
  const { status, headers } = await directory.app.request('/api/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', origin },
    body: ping,
  });
  await directory.close();
  return [status, headers.get('access-control-allow-origin')];
}

it.each([
  ['https://dossier.example', 'https://evil.example', [200, '*']],
  ['https://dossier.example', 'null', [200, '*']],
  ['http://127.0.0.1:3000', 'https://evil.example', [403, null]],
  ['http://127.0.0.1:3000', 'null', [403, null]],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000', [200, '*']],
  ['http://127.0.0.1:3000', 'http://localhost:3000', [200, '*']],
  ['http://127.0.0.1:3000', 'http://localhost:6274', [403, null]],
  ['http://10.1.2.3:3000', 'https://evil.example', [403, null]],
  ['http://[fd00::1]:3000', 'https://evil.example', [403, null]],
  ['https://dossier.internal', 'https://evil.example', [403, null]],
  ['http://dossier:3000', 'https://evil.example', [403, null]],
])('MCP at %s answers a page of %s with %j', async (publicUrl, origin, expected) => {
  expect(await answers(publicUrl, origin)).toEqual(expected);
});

it('MCP in a private network answers pages of ALLOWED_ORIGINS', async () => {
  const environment = { ALLOWED_ORIGINS: 'http://localhost:6274,https://tools.example' };
  expect(await answers('http://127.0.0.1:3000', 'http://localhost:6274', environment)).toEqual([200, '*']);
  expect(await answers('http://127.0.0.1:3000', 'https://evil.example', environment)).toEqual([403, null]);
});
