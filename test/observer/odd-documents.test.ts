import { expect, it } from 'vitest';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { variantsOf } from '../support/odd-values.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';

const origin = 'https://odd.example.com';
const handle = 'com.example.odd/mcp';
const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  maxTimeoutSeconds: 60,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x1111111111111111111111111111111111111111',
};

/** Every document of a host that a check reads, as it should be. */
const whole: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, experimental: { payment: { methods: { tempo: { intents: ['charge'] } } } } },
    serverInfo: { name: 'odd', version: '1.0.0' },
    instructions: 'Ask first.',
  },
  'tools/list': {
    tools: [
      {
        name: 'send',
        title: 'Send',
        description: 'Sends',
        inputSchema: { type: 'object', required: ['to'], properties: { to: { type: 'string' } } },
        annotations: { readOnlyHint: true },
        _meta: { 'agents-x402/priceUSD': '0.01' },
      },
    ],
    nextCursor: '',
  },
  payment: { x402Version: 2, accepts: [offer] },
  '/.well-known/oauth-protected-resource/mcp': {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    scopes_supported: ['a'],
  },
  '/.well-known/oauth-authorization-server': { issuer: origin, registration_endpoint: `${origin}/register` },
  '/.well-known/agent-card.json': { name: 'Odd', version: '1', skills: [{}], url: origin },
  '/mcp/server-card': { name: handle, version: '1.0.0', remotes: [{ url: `${origin}/mcp` }] },
  '/.well-known/ai-catalog.json': {
    host: { trustManifest: { termsOfServiceUrl: `${origin}/terms` } },
    entries: [{ type: 'application/mcp-server-card+json', data: { name: 'x', version: '1' } }],
  },
  '/.well-known/x402': {
    x402Version: 2,
    resources: [
      `${origin}/mcp`,
      {
        resource: { url: `${origin}/mcp` },
        accepts: [offer],
        extensions: { bazaar: { info: { input: { type: 'mcp', toolName: 'send' } } } },
      },
    ],
  },
  '/openapi.json': {
    info: { title: 'x', version: '1', termsOfService: `${origin}/terms` },
    paths: {
      '/send': {
        post: {
          'x-payment-info': {
            offers: [{ amount: '100', currency: '0x1', method: 'tempo', intent: 'charge' }],
          },
        },
      },
    },
  },
};

let documents: Record<string, unknown> = {};
let isPaid = false;

const server = await openedEndpoint((body, { url = '' }, response) => {
  const send = (status: number, value: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (body === '') return url in documents ? send(200, documents[url]) : void response.writeHead(404).end();
  const { id, method = '' } = JSON.parse(body) as { id?: number; method?: string };
  if (isPaid) return send(402, documents.payment);
  if (!(method in documents))
    return send(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  send(200, { jsonrpc: '2.0', id, result: documents[method] });
});
const directory = await openedDirectory({
  entries: [registryEntry(handle, remotesAt(`${origin}/mcp`))],
  hosts: { 'odd.example.com': server },
  environment: { LIMITS: 'off' },
});

/**
 * Facts that another part of the same check decides. A list that cannot be read leaves open whether it is
 * what credentials are asked for.
 */
const ofOthers: Readonly<Record<string, RegExp>> = {
  initialize: /^(?:security|card\.a2a|price\.(?:openapi|x402|named)|terms)/,
  'tools/list':
    /^(?:endpoint\.(?:answers|protocol)|tools\.instructions|security|card|price\.(?:openapi|x402|named|capability)|terms)/,
  payment: /^(?:security|card\.a2a|price\.(?:openapi|x402|named)|terms)/,
};

it.each(Object.keys(whole))('whatever a host has at any place of %s, no other fact is lost', async (name) => {
  isPaid = name === 'payment';
  documents = { ...whole };
  directory.wait(86_400);
  const { observations: before } = await directory.observe(handle);
  const decided = ofOthers[name] ?? /^(?:endpoint\.(?:answers|protocol)|tools|auth\.required|price\.tool)/;
  const known = before.filter(({ kind, outcome }) => outcome === 'seen' && decided.test(kind));
  if (!isPaid) expect(known.length).toBeGreaterThan(1);
  const faults: string[] = [];
  const at = Object.keys(whole).indexOf(name);
  for (const [n, variant] of [...variantsOf(whole[name])].entries()) {
    // Another quarter of the places and values for each document.
    if (partOf(n % 4 !== at % 4, false)) continue;
    documents = { ...whole, [name]: variant };
    directory.wait(86_400);
    const { observations } = await directory.observe(handle);
    const failed = observations.filter(({ reason = '', missed }) =>
      `${reason} ${missed?.reason}`.includes('failed on our side'),
    );
    const lost = known.filter(
      ({ kind, subject, value }) =>
        !observations.some(
          (one) =>
            one.kind === kind &&
            one.subject === subject &&
            !one.missed &&
            (kind === 'endpoint.availability' || JSON.stringify(one.value) === JSON.stringify(value)),
        ),
    );
    if (failed.length + lost.length > 0)
      faults.push(
        `${[...failed, ...lost].map(({ kind }) => kind)}: ${JSON.stringify(variant).slice(0, 300)}`,
      );
  }
  expect(faults).toEqual([]);
});
