import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type Certificate, createTestCa, type TestCa } from '../support/endpoints/certificates.ts';
import { registryEntry } from '../support/entries.ts';

const usual = getCACertificates('default');
const day_ms = 86_400_000;
const servers: Server[] = [];
let ca: TestCa;
let directory: Directory;

async function startTls(certificate: Certificate): Promise<string> {
  const server = createServer(certificate, (_, response) => void response.writeHead(404).end());
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  ca = await createTestCa();
  setDefaultCACertificates([...usual, ca.cert]);
  const overrides = {
    'valid.example.com': await startTls(await ca.issue('valid.example.com', 90)),
    'expired.example.com': await startTls(await ca.issue('expired.example.com', -1)),
    'self.example.com': await startTls(await ca.selfSigned('self.example.com')),
    'other.example.com': await startTls(await ca.issue('somebody-else.example.com', 90)),
    'plain.example.com': 'http://127.0.0.1:9',
    'closed.example.com': 'https://127.0.0.1:9',
  };
  directory = await openDirectory({
    entries: ['valid', 'expired', 'self', 'other', 'plain', 'closed', 'template'].map((name) => {
      const host = name === 'template' ? '{tenant}' : name;
      const url = `https://${host}.example.com/mcp`;
      return registryEntry(`com.example.${name}/x`, { remotes: [{ type: 'streamable-http', url }] });
    }),
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
  const { not_after = '', ...details } = (found?.details ?? {}) as { not_after?: string };
  expect(details).toMatchObject({ issuer: 'Test Authority', accepted_by_root_certificates: true });
  expect(Math.abs(Date.parse(not_after) - Date.now() - 90 * day_ms)).toBeLessThan(day_ms);
  expect(found).toMatchObject({
    state: 'observed',
    value: `issued by “Test Authority”, valid until ${not_after.slice(0, 10)}`,
  });
  expect(found).not.toHaveProperty('reason');
});

it.each([
  ['expired', 'CERT_HAS_EXPIRED'],
  ['self', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['other', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('shows a certificate that is not accepted (%s), and why', async (name, fault) => {
  const found = await certificateOf(name);
  expect(found).toMatchObject({ state: 'observed', details: { accepted_by_root_certificates: false } });
  expect(found?.reason).toBe(`This machine's root certificates do not vouch for it: ${fault}.`);
});

it.each([
  ['plain', 'not_checked', 'Dossier reaches the host at another address here, without TLS (HOST_OVERRIDES).'],
  ['closed', 'unreachable', 'A TLS connection to closed.example.com did not come about.'],
])('says why there is no certificate to show (%s)', async (name, state, reason) => {
  expect(await certificateOf(name)).toMatchObject({ state, value: null, reason });
});

it.each([
  ['expired', 'expired'],
  ['self', 'self-signed'],
  ['other', 'issued for another name'],
])('names a certificate that is not valid as the reason of every other fact (%s)', async (name, fault) => {
  for (const kind of ['endpoint.answers', 'tools.count'])
    expect((await certificateOf(name, kind))?.reason).toBe(
      `A request to ${name}.example.com was not sent, because the certificate of the host is not valid: ${fault}.`,
    );
});

it('asks for no certificate of a host that each caller fills in', async () => {
  expect(await certificateOf('template')).toBeUndefined();
  expect((await certificateOf('template', 'endpoint.answers'))?.reason).toBe(
    'The recorded address is a template that each caller fills in.',
  );
});
