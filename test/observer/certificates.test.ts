import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type Certificate, createTestCa, type TestCa } from '../support/endpoints/certificates.ts';
import { registryEntry } from '../support/entries.ts';
import { operationsOf } from '../support/operations.ts';

const usual = getCACertificates('default');
const day_ms = 86_400_000;
const servers: Server[] = [];
let ca: TestCa;
let directory: Directory;

/**
 * A connection to a server: when it was made, and when each of its requests began and ended, in events of the
 * server.
 */
interface Connection {
  readonly at: number;
  readonly requests: { readonly from: number; to: number }[];
}
const seen: Readonly<Record<'unread' | 'watched', Connection[]>> = { unread: [], watched: [] };

async function startTls(certificate: Certificate, status = 404, connections?: Connection[]): Promise<string> {
  let events = 0;
  const byPort = new Map<number | undefined, Connection>();
  const server = createServer(certificate, ({ socket }, response) => {
    const { at, requests } = byPort.get(socket.remotePort) ?? { at: 0, requests: [] };
    // The first one takes place since the connection was made for it.
    const request = { from: requests.length === 0 ? at : ++events, to: Infinity };
    requests.push(request);
    const answer = () => {
      request.to = ++events;
      response.writeHead(status).end();
    };
    // A look beside the request has time to arrive.
    setTimeout(answer, connections ? 50 : 0);
  });
  // A look ends before the server knows that it has begun TLS.
  server.on('connection', ({ remotePort }: Socket) => {
    const connection = { at: ++events, requests: [] };
    byPort.set(remotePort, connection);
    connections?.push(connection);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://${connections ? 'localhost' : '127.0.0.1'}:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  ca = await createTestCa();
  setDefaultCACertificates([...usual, ca.cert]);
  const onLocalhost = await ca.issue('localhost', 90);
  const overrides = {
    'valid.example.com': await startTls(await ca.issue('valid.example.com', 90)),
    'expired.example.com': await startTls(await ca.issue('expired.example.com', -1)),
    'self.example.com': await startTls(await ca.selfSigned('self.example.com')),
    'other.example.com': await startTls(await ca.issue('somebody-else.example.com', 90)),
    'unread.example.com': await startTls(onLocalhost, 503, seen.unread),
    'watched.example.com': await startTls(onLocalhost, 404, seen.watched),
    'plain.example.com': 'http://127.0.0.1:9',
    'closed.example.com': 'https://127.0.0.1:9',
  };
  directory = await openDirectory({
    entries: ['valid', 'expired', 'self', 'other', 'unread', 'watched', 'plain', 'closed', 'template'].map(
      (name) => {
        const host = name === 'template' ? '{tenant}' : name;
        const url = `https://${host}.example.com/mcp`;
        return registryEntry(`com.example.${name}/x`, { remotes: [{ type: 'streamable-http', url }] });
      },
    ),
    environment: { HOST_OVERRIDES: JSON.stringify(overrides) },
  });
});
afterAll(async () => {
  setDefaultCACertificates(usual);
  await directory.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function certificateOf(name: string, wanted = 'endpoint.tls') {
  const { observations } = await directory.observe(`com.example.${name}/x`);
  return observations.find(({ kind }) => kind === wanted);
}

it('shows who issued a certificate and until when it is valid', async () => {
  const found = await certificateOf('valid');
  const { not_after = '', ...value } = (found?.value ?? {}) as { not_after?: string };
  expect(value).toEqual({ issuer: 'Test Authority', accepted_by_root_certificates: true });
  expect(Math.abs(Date.parse(not_after) - Date.now() - 90 * day_ms)).toBeLessThan(day_ms);
  expect(found).toMatchObject({ outcome: 'seen' });
  expect(found).not.toHaveProperty('reason');
});

it.each([
  ['expired', 'CERT_HAS_EXPIRED'],
  ['self', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['other', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('shows a certificate that is not accepted (%s), and why', async (name, fault) => {
  const found = await certificateOf(name);
  expect(found).toMatchObject({ outcome: 'seen', value: { accepted_by_root_certificates: false } });
  expect(found?.reason).toBe(`Dossier’s TLS library does not accept this certificate: \`${fault}\`.`);
});

it('makes no connection for a certificate where robots.txt was not answered', async () => {
  expect(await certificateOf('unread')).toMatchObject({
    outcome: 'silent',
    reason:
      '`unread.example.com` returned HTTP 503 even for its robots.txt, so Dossier requested nothing else there (RFC 9309).',
  });
  expect(seen.unread.map(({ requests }) => requests.length)).toEqual([1]);
});

it('looks at a certificate once robots.txt is answered, in a turn of its host, while no request takes place', async () => {
  expect(await certificateOf('watched')).toMatchObject({ outcome: 'seen' });
  const looks = seen.watched.filter(({ requests }) => requests.length === 0);
  const requests = seen.watched.flatMap((connection) => connection.requests);
  expect(looks).toHaveLength(1);
  expect(requests.length).toBeGreaterThan(1);
  expect(looks[0]?.at).toBeGreaterThan(requests[0]?.to ?? Infinity);
  for (const { at } of looks) expect(requests.filter(({ from, to }) => from < at && at < to)).toEqual([]);
});

it('looks at no certificate of a host that has no time left in the check', async () => {
  const { context } = directory;
  const timeouts = { ...context.timeouts, observerHost_ms: 0 };
  const { observations } = await operationsOf({ ...context, timeouts }).observe('com.example.valid/x');
  expect(observations.find(({ kind }) => kind === 'endpoint.tls')).toMatchObject({
    missed: { reason: '`valid.example.com` used up the time that Dossier gives one host in one check.' },
  });
});

it.each([
  ['plain', 'not_asked', 'Dossier reaches the host at another address here, without TLS (HOST_OVERRIDES).'],
  [
    'closed',
    'silent',
    'A request to `closed.example.com` ended with no connection to a public address of the host.',
  ],
])('says why there is no certificate to show (%s)', async (name, outcome, reason) => {
  expect(await certificateOf(name)).toMatchObject({ outcome, value: null, reason });
});

it.each([
  ['expired', 'expired'],
  ['self', 'self-signed'],
  ['other', 'issued for another name'],
])('names a certificate that is not valid as the reason of every other fact (%s)', async (name, fault) => {
  for (const kind of ['endpoint.answers', 'tools.count'])
    expect((await certificateOf(name, kind))?.reason).toBe(
      `The connection to \`${name}.example.com\` was ended before a request, because the certificate of the host is not valid: ${fault}.`,
    );
});

it('asks for no certificate of a host that each caller fills in', async () => {
  expect(await certificateOf('template')).toBeUndefined();
  expect((await certificateOf('template', 'endpoint.answers'))?.reason).toBe(
    'The recorded address is a template that each caller fills in.',
  );
});
