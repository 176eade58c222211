import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../../support/directory.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../../support/entries.ts';

let hub: Endpoint;
let npm: Endpoint;
const opened: Directory[] = [];

beforeAll(async () => {
  hub = await startEndpoint((_, { url = '', headers }, response) => {
    if (url === '/token?service=registry.example&scope=repository%3Alibrary%2Fserver%3Apull')
      return void response.end('{"token":"for-everyone"}');
    if (headers.authorization === 'Bearer for-everyone') return void response.end('{"schemaVersion":2}');
    // RFC 9110 allows empty elements in a list.
    const challenge = `Bearer realm="http://${headers.host}/token",,service="registry.example",scope="repository:library/server:pull"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  npm = await startEndpoint((_, __, response) => void response.end('{}'));
});
afterAll(async () => {
  for (const directory of opened) await directory.close();
  await hub.close();
  await npm.close();
});

/** What is observed of one listing by a service with these registries. */
async function observe(entry: Record<string, unknown>, registries: object) {
  const directory = await openDirectory({
    entries: [registryEntry('com.example/a', entry)],
    environment: { PACKAGE_REGISTRIES: JSON.stringify(registries) },
  });
  opened.push(directory);
  return (await directory.observe('com.example/a')).observations;
}

it('reads an image with the token that its registry gives to everyone', async () => {
  const found = await observe(
    { packages: [{ registryType: 'oci', identifier: 'server:1.0' }] },
    { oci: hub.url },
  );
  expect(found).toContainEqual(
    expect.objectContaining({
      kind: 'package.exists',
      value: {
        reference: '1.0',
        digest: 'sha256:bafebd36189ad3688b7b3915ea55d461e0bfcfbdde11e54b0a123999fb6be50f',
      },
    }),
  );
  expect(hub.sent[0]?.headers.authorization).toBeUndefined();
});

it.each([
  ['npm', 'server'],
  ['pypi', 'server'],
  ['oci', 'docker.io/library/server:1.0'],
  ['oci', 'ghcr.io/example/server:1.0'],
])('asks no registry that is not configured: %s, %s', async (registryType, identifier) => {
  const packages = [{ registryType, identifier, version: '1.0.0' }];
  const found = await observe({ packages }, { [registryType]: '' });
  expect(found.find(({ kind }) => kind === 'package.exists')).toMatchObject({
    outcome: 'not_asked',
    reason: `This service is not configured to look up ${registryType} packages (PACKAGE_REGISTRIES).`,
  });
});

it('reaches a configured registry on loopback for packages only, not for a recorded endpoint of that address', async () => {
  const remotes = [{ type: 'streamable-http', url: `${npm.url}/mcp` }];
  const found = await observe({ remotes }, { npm: npm.url });
  expect(found.find(({ kind }) => kind === 'endpoint.answers')).toMatchObject({ outcome: 'not_asked' });
  expect(npm.sent).toEqual([]);
});

it('does not look up an image at a private address', async () => {
  const identifier = `localhost:${new URL(npm.url).port}/server:1.0`;
  const found = await observe({ packages: [{ registryType: 'oci', identifier }] }, { oci: hub.url });
  expect(found.find(({ kind }) => kind === 'package.exists')).toMatchObject({ outcome: 'not_asked' });
  expect(npm.sent).toEqual([]);
});
