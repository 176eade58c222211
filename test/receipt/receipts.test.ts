import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { CompactSign, decodeJwt, decodeProtectedHeader, importJWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createReceiptKey,
  createReceipts,
  parseReceiptKeys,
  toReceiptKeyLine,
  verifyReceipt,
} from '../../src/receipt/index.ts';

const handle = 'com.example/quotes';
const rater = 'com.rater/api';
const { key, line } = await createReceiptKey('2026-11');
const receipts = createReceipts({ handle, kid: '2026-11', key });
const keys = parseReceiptKeys(`dossier-claim-v1...\n${line}\n`);
const identity = { name: 'receipts', version: '1.0.0' };

const answer = async ({ symbol }: { symbol: string }) => ({
  content: [{ type: 'text' as const, text: symbol }],
  isError: symbol === '',
  _meta: { 'com.example/own': 1 },
});

type Called = { isError?: boolean; _meta?: Record<string, unknown> };
interface AnyCaller {
  call(symbol: string, meta?: Record<string, unknown>): Promise<Called>;
  close(): Promise<void>;
}

/** A server and a client of SDK version 1. */
async function openV1(): Promise<AnyCaller> {
  const server = new McpServerV1(identity);
  server.registerTool('get_quote', { inputSchema: { symbol: z.string() } }, receipts.tool(answer));
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new ClientV1(identity);
  await Promise.all([server.connect(there), client.connect(here)]);
  return {
    call: async (symbol, _meta) =>
      (await client.callTool({
        name: 'get_quote',
        arguments: { symbol },
        ...(_meta && { _meta }),
      })) as Called,
    close: () => client.close(),
  };
}

/** A server and a client of SDK version 2. */
async function openV2(): Promise<AnyCaller> {
  const handler = createMcpHandler(() => {
    const server = new McpServer(identity);
    server.registerTool(
      'get_quote',
      { inputSchema: z.object({ symbol: z.string() }) },
      receipts.tool(answer),
    );
    return server;
  });
  const fetch = async (input: string | URL | Request, init?: RequestInit) =>
    handler.fetch(new Request(input, init));
  const client = new Client(identity);
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  return {
    call: async (symbol, _meta) =>
      (await client.callTool({
        name: 'get_quote',
        arguments: { symbol },
        ...(_meta && { _meta }),
      })) as Called,
    close: () => client.close(),
  };
}

describe.each([
  ['1', openV1],
  ['2', openV2],
] as const)('a tool of the MCP SDK, version %s', (_, open) => {
  it('gives a receipt to a caller that names its listing, for failed calls too', async () => {
    const caller = await open();
    for (const symbol of ['ABC', '']) {
      const { isError = false, _meta = {} } = await caller.call(symbol, { 'dossier/rater': rater });
      expect([isError, _meta['com.example/own']]).toEqual([symbol === '', 1]);
      const receipt = String(_meta['dossier/receipt']);
      expect(await verifyReceipt(receipt, { keys, subject: handle, rater })).toMatchObject({
        iss: 'com.example/quotes',
        sub: 'com.rater/api',
        jti: expect.stringMatching(/^[\da-f-]{36}$/),
      });
      expect(decodeProtectedHeader(receipt)).toEqual({ alg: 'EdDSA', kid: '2026-11' });
    }
    await caller.close();
  });

  it.each([
    ['no listing', undefined],
    ['a text that is no handle', { 'dossier/rater': 'me' }],
    ['a number', { 'dossier/rater': 7 }],
    ['a handle of 201 characters', { 'dossier/rater': `a/${'b'.repeat(199)}` }],
  ])('adds nothing for a caller that names %s', async (_name, meta) => {
    const caller = await open();
    const { _meta } = await caller.call('ABC', meta);
    expect(_meta?.['dossier/receipt']).toBeUndefined();
    expect(_meta).toMatchObject({ 'com.example/own': 1 });
    await caller.close();
  });
});

describe('a fetch handler', () => {
  const respond = receipts.fetch(async (request: Request, status: number) =>
    Response.json({ path: new URL(request.url).pathname }, { status, headers: { 'x-own': '1' } }),
  );
  const ask = (headers: Record<string, string>) =>
    respond(new Request('https://api.example.com/quote', { headers }), 404);

  it('gives its response the receipt in a header, and changes nothing else', async () => {
    const response = await ask({ 'Dossier-Rater': rater });
    expect([response.status, response.headers.get('x-own'), await response.json()]).toEqual([
      404,
      '1',
      { path: '/quote' },
    ]);
    const receipt = String(response.headers.get('Dossier-Receipt'));
    expect(await verifyReceipt(receipt, { keys, subject: handle, rater })).toMatchObject({ sub: rater });
  });

  it('gives none without a handle', async () => {
    expect((await ask({})).headers.has('dossier-receipt')).toBe(false);
    expect((await ask({ 'dossier-rater': 'x' })).headers.has('dossier-receipt')).toBe(false);
  });
});

describe('a receipt', () => {
  const expected = { keys, subject: handle, rater };

  it('has the id of the interaction that the service gives', async () => {
    expect(decodeJwt(await receipts.issue(rater, 'order-17'))).toMatchObject({ jti: 'order-17' });
  });

  it('says which request it is for, if the service signed that', async () => {
    const request_digest = 'ab'.repeat(32);
    const payload = {
      iss: handle,
      sub: rater,
      jti: 'order-18',
      iat: Math.floor(Date.now() / 1000),
      request_digest,
    };
    const signed = await new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'EdDSA', kid: '2026-11' })
      .sign(await importJWK(key, 'EdDSA'));
    expect(await verifyReceipt(signed, expected)).toEqual(payload);
  });

  it('that names another algorithm than that of the published key is refused for it', async () => {
    const [, ...rest] = (await receipts.issue(rater)).split('.');
    const header = Buffer.from('{"alg":"ES256","kid":"2026-11"}').toString('base64url');
    await expect(verifyReceipt([header, ...rest].join('.'), expected)).rejects.toThrow(
      'The alg of the receipt does not fit the curve of the published key.',
    );
  });

  it.each<[string, Partial<typeof expected>, string]>([
    ['of another service', { subject: 'com.example/other' }, 'proof_wrong_subject'],
    ['to another listing', { rater: 'com.third/api' }, 'proof_not_yours'],
    ['by a key that is not published', { keys: [] }, 'proof_key_unknown'],
    [
      'by a key that was published later',
      { keys: keys.map((one) => ({ ...one, valid_from: '2999-01-01T00:00:00Z' })) },
      'proof_key_unknown',
    ],
    [
      'by a key that was gone',
      { keys: keys.map((one) => ({ ...one, valid_until: '2026-01-01T00:00:00Z' })) },
      'proof_key_unknown',
    ],
  ])('%s is refused', async (_, change, code) => {
    const receipt = await receipts.issue(rater);
    await expect(verifyReceipt(receipt, { ...expected, ...change })).rejects.toMatchObject({ code });
  });

  it('is refused when any character of it changed', async () => {
    const receipt = await receipts.issue(rater);
    const [header = '', payload = '', signature = ''] = receipt.split('.');
    for (const forged of [
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${payload}.${header}.${signature}`,
      `${receipt}.`,
    ])
      await expect(verifyReceipt(forged, expected)).rejects.toMatchObject({ code: 'proof_invalid' });
  });
});

it('the line of a key never holds its private half', async () => {
  expect(Buffer.from(line.split(' ')[2] ?? '', 'base64url').toString()).not.toContain(key.d);
  expect(toReceiptKeyLine('2026-11', key)).toBe(line);
  expect(() => toReceiptKeyLine('x', { kty: 'oct', k: 'AAAA' })).toThrow('a key for receipts is');
});
