import { expect, it } from 'vitest';
import { registryEntry } from '../../support/entries.ts';
import { openedDirectory, openedEndpoint } from '../../support/opened.ts';

const npm = await openedEndpoint((_, __, response) => void response.end('{}'));

/** What is observed of one listing by a service with these registries. */
async function observe(entry: Record<string, unknown>, registries: object) {
  const directory = await openedDirectory({
    entries: [registryEntry('com.example/a', entry)],
    environment: { PACKAGE_REGISTRIES: JSON.stringify(registries) },
  });
  return (await directory.observe('com.example/a')).observations;
}

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
  const found = await observe({ packages: [{ registryType: 'oci', identifier }] }, { oci: npm.url });
  expect(found.find(({ kind }) => kind === 'package.exists')).toMatchObject({ outcome: 'not_asked' });
  expect(npm.sent).toEqual([]);
});
