import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { type Certificate, createTestCa } from '../support/endpoints/certificates.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { atEnd, openedDirectory } from '../support/opened.ts';

const usual = getCACertificates('default');

async function startTls(certificate: Certificate): Promise<string> {
  const server = createServer(certificate, (_, response) => response.writeHead(404).end());
  atEnd(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ca = await createTestCa();
setDefaultCACertificates([...usual, ca.cert]);
atEnd(() => setDefaultCACertificates(usual));
const overrides = {
  'expired.example.com': await startTls(await ca.issue('expired.example.com', -1)),
  'self.example.com': await startTls(await ca.selfSigned('self.example.com')),
  'other.example.com': await startTls(await ca.issue('somebody-else.example.com', 90)),
};
const directory = await openedDirectory({
  entries: ['expired', 'self', 'other'].map((name) => {
    const url = `https://${name}.example.com/mcp`;
    return registryEntry(`com.example.${name}/x`, remotesAt(url));
  }),
  environment: { HOST_OVERRIDES: JSON.stringify(overrides) },
});

it.each([
  ['expired', 'expired'],
  ['self', 'self-signed'],
  ['other', 'issued for another name'],
])('names a certificate that is not valid as the reason of every other fact (%s)', async (name, fault) => {
  const { observations } = await directory.observe(`com.example.${name}/x`);
  for (const wanted of ['endpoint.answers', 'tools.count'])
    expect(observations.find(({ kind }) => kind === wanted)?.reason).toBe(
      `The connection to \`${name}.example.com\` was ended before a request, because the certificate of the host is not valid: ${fault}.`,
    );
});
