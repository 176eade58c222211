import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Ended, type Started, startDossier } from '../support/command.ts';
import { documentsOf, pagesOf } from '../support/doors.ts';
import { createGitServer } from '../support/git-server.ts';
import { legacy, type Message, modern } from '../support/mcp-requests.ts';
import { opened, openFolder } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { until } from '../support/until.ts';

const handle = 'co.webhook/webhook';
const asJson = { 'content-type': 'application/json' };
const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

interface Heard {
  readonly what: string;
  readonly status: number;
  /** Status line, headers and body. */
  readonly text: string;
}

let service: Started;
let url = '';
const heard: Heard[] = [];
const endings: Ended[] = [];

async function start(port: string): Promise<void> {
  const host = { git: git.url, raw: `${git.url}/raw` };
  service = startDossier(['serve'], {
    PORT: port,
    DATABASE_URL: `file:${join(folder, 'dossier.db')}`,
    REGISTRY_URL: 'off',
    REPOSITORY_HOSTS: JSON.stringify({ 'github.com': host }),
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
    LIMITS: 'off',
  });
  url = await service.line(/listening on (\S+)/);
}
async function stop(): Promise<void> {
  service.child.kill('SIGTERM');
  endings.push(await service.ended);
}

/** Sends a request and keeps everything that came back. */
async function send(what: string, path: string, init: RequestInit = {}): Promise<Heard> {
  const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const one = { what, status: answer.status, text: `${headers}\n\n${await answer.text()}` };
  heard.push(one);
  return one;
}
const post = (what: string, path: string, body: string, headers: Record<string, string> = asJson) =>
  send(what, path, { method: 'POST', headers, body });
const bodyOf = ({ text }: Heard) => JSON.parse(text.slice(text.indexOf('\n\n'))) as Record<string, string>;
const callMcp = ({ headers, body }: Message, what: string, more: Record<string, string> = {}) =>
  post(`mcp ${what}`, '/api/mcp', body, { ...headers, ...more });

async function refusal(message: Message, what: string) {
  const answer = await callMcp(message, what);
  const { error } = bodyOf(answer) as unknown as { error: { code: number; data: { code: string } } };
  return [what, answer.status, error.code, error.data.code];
}

/** Sends bytes that no client would and keeps what comes back. */
function sendRaw(what: string, bytes: string): Promise<void> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes, 'latin1'));
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      heard.push({ what, status: Number(text.slice(9, 12)), text });
      resolve();
    });
  });
}

const rating = (change: object = {}) =>
  ratingOf('com.politicalcomms/api', { interaction_at: new Date().toISOString(), ...change });

const folder = openFolder();
const git = await opened(createGitServer());
const repository = git.createRepository('webhook-co/webhook');
repository.commit({ 'README.md': 'webhook' });
await start('0');
await until(async () => (await fetch(`${url}/readyz`)).status, 200);
const issued = bodyOf(await post('the claim', '/api/claim-github', JSON.stringify({ handle })));
const capability = issued.capability ?? '';
repository.commit({ 'dossier-claim.txt': issued.file_contents ?? '' });
await stop();
await start(new URL(url).port); // a challenge is bound to the address of the service
const check = JSON.stringify({ handle, challenge: issued.challenge });
const looked = async () => bodyOf(await post('a look', '/api/claim-github', check)).status;
await until(looked, 'claimed');
afterAll(async () => {
  if (service.child.exitCode === null) await stop();
});

const encoded = () => capability.replaceAll('_', '%5F');
const paths = [
  (secret: string) => `/agents?q=${secret}`,
  (secret: string) => `/agents?cursor=${secret}`,
  (secret: string) => `/agents?${secret}=1`,
  (secret: string) => `/agents/a/${secret}`,
  (secret: string) => `/agents/${secret}/b`,
  (secret: string) => `/agents/${secret}`,
  (secret: string) => `/agents/co.webhook/${secret}.json`,
  (secret: string) => `/badge/a/${secret}.svg`,
  (secret: string) => `/tags/${secret}`,
  (secret: string) => `/feedback?handle=${secret}`,
  (secret: string) => `/feedback?received=${secret}`,
  (secret: string) => `/healthz?token=${secret}`,
  (secret: string) => `/assets/${secret}`,
  (secret: string) => `/api/capability?token=${secret}`,
  (secret: string) => `/api/tools/${secret}`,
  (secret: string) => `/log/${secret}`,
  (secret: string) => `/.well-known/${secret}`,
  (secret: string) => `/${secret}`,
];
const headers = [
  'authorization',
  'x-agent-capability',
  'cookie',
  'referer',
  'user-agent',
  'x-request-id',
  'origin',
  'if-none-match',
  'accept',
  'accept-language',
  'x-forwarded-for',
  'forwarded',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'last-event-id',
  'content-encoding',
  'access-control-request-headers',
  'traceparent',
  'x-any',
];

describe('a live capability sent', () => {
  it('in an address is refused wherever it is read, encoded or not', async () => {
    for (const path of paths) {
      for (const secret of [capability, encoded(), encodeURIComponent(`Bearer ${capability}`)]) {
        for (const accept of ['text/html', '*/*']) {
          const { status } = await send(path(secret), path(secret), { headers: { accept } });
          expect([path('CAPABILITY'), status]).toEqual([
            path('CAPABILITY'),
            path('').startsWith('/healthz') ? 200 : 400,
          ]);
        }
      }
      await send(`twice ${path('')}`, path(encoded().replaceAll('%', '%25')));
    }
    await post('in the address of MCP', `/api/mcp?token=${capability}`, legacy('ping').body);
  });

  it('in a header leaves no trace, whichever it is', async () => {
    for (const header of headers) {
      const more = { [header]: capability };
      for (const path of ['/about', `/agents/${handle}.json`, '/no/such', '/api/capability'])
        await send(`${header} of ${path}`, path, { headers: more });
      await send(`${header} of OPTIONS`, '/api/mcp', { method: 'OPTIONS', headers: more });
      await post(`${header} of a tool`, '/api/tools/get_agent', '{"handle":"no/such"}', {
        ...asJson,
        ...more,
      });
      await callMcp(legacy('tools/list'), header, more);
      await callMcp(modern('tools/call', { name: 'get_agent', arguments: { handle } }), header, more);
    }
    const bearer = { authorization: `Bearer ${capability}` };
    for (const authorization of [
      `Bearer ${capability}x`,
      `Basic ${capability}`,
      `Bearer ${capability}, Bearer other`,
    ])
      await send(authorization, '/api/capability', { headers: { authorization } });
    expect((await send('who am I', '/api/capability', { headers: bearer })).status).toBe(200);
    expect((await post('type', '/api/feedback', '{}', { 'content-type': `text/${capability}` })).status).toBe(
      415,
    );
  });

  it('is shown nowhere that its listing is', async () => {
    const asked = { handles: [handle], query: 'webhook', tag: 'webhooks' };
    for (const path of [...pagesOf(asked), ...documentsOf(asked)])
      await send(path, path, { headers: { accept: 'text/html, */*' } });
  });

  it('in a body is refused, read or not', async () => {
    const values = [
      { handle: capability },
      { handle, message: `see ${capability}` },
      { [capability]: 1 },
      { handle, challenge: capability },
      rating({ comment: `${capability.slice(0, 20)}\u200b${capability.slice(20)}` }),
      rating({ evidence: [{ kind: 'receipt', value: capability }] }),
      rating({ interaction_id: capability }),
      { rating_id: capability },
    ];
    const bearer = { ...asJson, authorization: `Bearer ${capability}` };
    for (const tool of [
      'get_agent',
      'search_agents',
      'resolve_agents',
      'submit_rating',
      'withdraw_rating',
      'submit_feedback',
      'claim_agent',
    ]) {
      for (const value of values) {
        const sent = await post(tool, `/api/tools/${tool}`, JSON.stringify(value), bearer);
        expect([tool, sent.status, bodyOf(sent).code]).toEqual([tool, 400, 'secret_in_body']);
        await callMcp(legacy('tools/call', { name: tool, arguments: value }), tool, bearer);
        await callMcp(modern('tools/call', { name: tool, arguments: value }), tool, bearer);
      }
    }
    for (const path of ['/api/feedback', '/api/claim-github', '/api/mcp', '/api/tools/get_agent']) {
      for (const body of [
        `{"message":"${capability}`,
        capability,
        `["${capability}"]`,
        `"${capability}"`,
        `{"${capability}":}`,
      ]) {
        await post('broken', path, body);
        await post('as text', path, body, { 'content-type': 'text/plain' });
      }
    }
    for (const form of [
      `message=${capability}`,
      `message=&handle=${capability}`,
      `message=&${capability}=1`,
      `message=${encoded()}`,
    ])
      await post('the feedback form', '/feedback', form, asForm);
    for (const form of [`challenge=${capability}`, `rotate=${capability}`, `${capability}=1`])
      await post('the claim form', `/agents/${handle}/claim`, form, asForm);
  });

  it('anywhere in an MCP message is not repeated', async () => {
    const _meta = { progressToken: capability, [capability]: 1 };
    const requests: readonly (readonly [string, object])[] = [
      [capability, {}],
      ['tools/call', { name: capability, arguments: {} }],
      ['tools/call', { name: 'get_agent', arguments: { handle }, [capability]: 1 }],
      ['tools/list', { cursor: capability }],
      ['resources/read', { uri: `agent://a/${capability}` }],
      ['resources/read', { uri: capability }],
      ['resources/subscribe', { uri: `agent://a/${capability}` }],
      ['prompts/get', { name: capability }],
      ['prompts/get', { name: 'weigh_before_purchase', arguments: { handle: capability } }],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: capability }, argument: { name: 'handle', value: 'a' } },
      ],
      [
        'completion/complete',
        {
          ref: { type: 'ref/prompt', name: 'weigh_before_purchase' },
          argument: { name: 'handle', value: capability },
        },
      ],
      ['logging/setLevel', { level: capability }],
      [
        'initialize',
        { protocolVersion: capability, capabilities: {}, clientInfo: { name: capability, version: '1' } },
      ],
      ['server/discover', { clientInfo: { name: capability } }],
    ];
    for (const [method, params] of requests) {
      for (const message of [legacy(method, params), modern(method, params)])
        expect(await refusal(message, method)).toEqual([method, 400, -32600, 'secret_in_body']);
    }
    const spelled = capability.replaceAll('_', String.raw`\u005f`);
    const escaped = { ...legacy('ping'), body: `{"jsonrpc":"2.0","id":"${spelled}","method":"ping"}` };
    expect(await refusal(escaped, 'escaped')).toEqual(['escaped', 400, -32600, 'secret_in_body']);
    expect(await refusal(legacy('tools/list', { _meta }), '_meta')).toEqual([
      '_meta',
      400,
      -32600,
      'secret_in_body',
    ]);
    const inUri = { uri: `agent://a/${encoded()}` };
    await callMcp(legacy('resources/read', inUri), 'escaped');
    await callMcp(modern('resources/read', inUri), 'escaped');
    await callMcp(legacy('ping', {}, capability), 'id');
    await callMcp(legacy('no/such', {}, capability), 'id');
    await callMcp(legacy('ping', {}, { id: capability }), 'id');
    await post('mcp batch', '/api/mcp', JSON.stringify([{ jsonrpc: '2.0', id: capability, method: 'ping' }]));
    await post('mcp version', '/api/mcp', JSON.stringify({ jsonrpc: capability, id: 1, method: 'ping' }));
  });

  it('in bytes that are not HTTP leaves no trace', async () => {
    const end = 'Host: 127.0.0.1\r\nConnection: close\r\n\r\n';
    await sendRaw('as a method', `${capability} / HTTP/1.1\r\n${end}`);
    await sendRaw('as a version', `GET / ${capability}\r\n${end}`);
    await sendRaw('as a request', `${capability}\r\n\r\n`);
    await sendRaw('as a header name', `GET /about HTTP/1.1\r\n${capability}\r\n${end}`);
    await sendRaw('as a header', `GET /about HTTP/1.1\r\n${capability}: 1\r\n${end}`);
    await sendRaw('as a host', `GET /about HTTP/1.1\r\nHost: ${capability}\r\nConnection: close\r\n\r\n`);
    await sendRaw('as a user', `GET http://${capability}@127.0.0.1/about HTTP/1.1\r\n${end}`);
    await sendRaw('as another host', `GET http://${capability}/about HTTP/1.1\r\n${end}`);
    await sendRaw('beside a NUL', `GET /${capability}\0 HTTP/1.1\r\n${end}`);
    await sendRaw('in a path that does not decode', `GET /agents/%ff${capability} HTTP/1.1\r\n${end}`);
    await sendRaw('in a header too long', `GET / HTTP/1.1\r\nx: ${capability.repeat(400)}\r\n${end}`);
    await sendRaw(
      'as a chunk size',
      `POST /api/mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${end}${capability}\r\n`,
    );
    await sendRaw('as a length', `POST /api/mcp HTTP/1.1\r\nContent-Length: ${capability}\r\n${end}`);
    await sendRaw(
      'cut off',
      `POST /api/mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 999\r\n${end}${capability}`,
    );
  });

  it('where it belongs works, until it is revoked', async () => {
    const bearer = { authorization: `Bearer ${capability}` };
    const rated = await callMcp(
      modern('tools/call', { name: 'submit_rating', arguments: rating() }),
      'rating',
      bearer,
    );
    expect(rated.text).toContain('"status":"created"');
    for (const path of [
      '/agents/com.politicalcomms/api',
      '/agents/com.politicalcomms/api/ratings',
      `/agents/${handle}`,
    ])
      await send(path, path);
    expect((await post('revoke', '/api/capability/revoke', '{}', { ...asJson, ...bearer })).status).toBe(200);
    await send('revoked', '/api/capability', { headers: bearer });
  });
});

describe('of all that', () => {
  it('no answer but the one claim answer holds the capability, and MCP never answered 401 or 403', () => {
    expect(heard.length).toBeGreaterThan(500);
    const secret = capability.slice(12);
    const telling = heard.filter(({ text }) => text.includes(secret)).map(({ what }) => what);
    expect(telling).toEqual(['the claim']);
    const refused = heard.filter(
      ({ what, status }) =>
        what.startsWith('mcp ') && what !== 'mcp origin' && (status === 401 || status === 403),
    );
    expect(refused).toEqual([]);
    expect(heard.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it('no line that the service wrote holds it, nor does its database', async () => {
    await stop();
    expect(endings.map(({ code }) => code)).toEqual([0, 0]);
    const secret = capability.slice(12);
    const lines = endings.flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.split('\n'));
    expect(lines.filter((line) => line.includes('"answered"')).length).toBeGreaterThan(500);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    expect(lines.filter((line) => decodeLoosely(line).includes(secret))).toEqual([]);
    for (const file of readdirSync(folder))
      expect([file, readFileSync(join(folder, file)).includes(secret)]).toEqual([file, false]);
  });
});

/** Percent-escapes undone as often as they were made, whatever else stands around. */
const decodeLoosely = (line: string): string => {
  const once = line.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return once === line ? line : decodeLoosely(once);
};
