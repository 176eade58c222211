import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import { packageFactsOf } from '../../support/endpoints/package-registry.ts';
import { registryEntry } from '../../support/entries.ts';
import { openedDirectory, openedEndpoint } from '../../support/opened.ts';
import { onGitHub } from '../../support/registry-entries.ts';

const digestOf = (text: string) => `sha256:${hash('sha256', text)}`;

const config = JSON.stringify({
  architecture: 'amd64',
  os: 'linux',
  created: '2026-03-04T05:06:07Z',
  config: {
    Labels: {
      'io.modelcontextprotocol.server.name': 'io.github.alice/server',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.source': 'https://github.com/alice/server',
    },
  },
});
const manifest = JSON.stringify({ schemaVersion: 2, config: { digest: digestOf(config), size: 1 } });
const otherConfig = JSON.stringify({ config: { Labels: { 'io.modelcontextprotocol.server.name': 7 } } });
const index = JSON.stringify({
  schemaVersion: 2,
  manifests: [
    { digest: digestOf('attestation'), platform: { os: 'unknown', architecture: 'unknown' } },
    { digest: digestOf('arm'), platform: { os: 'linux', architecture: 'arm64' } },
    { digest: digestOf(manifest), platform: { os: 'linux', architecture: 'amd64' } },
  ],
});
const ofConfig = (digest: string) => JSON.stringify({ schemaVersion: 2, config: { digest } });
const contents: Record<string, string> = {
  '/v2/alice/server/manifests/1.0': index,
  [`/v2/alice/server/manifests/${digestOf(manifest)}`]: manifest,
  '/v2/alice/plain/manifests/1.0': ofConfig(digestOf(otherConfig)),
  [`/v2/alice/plain/blobs/${digestOf(otherConfig)}`]: otherConfig,
  '/v2/alice/forged/manifests/1.0': ofConfig(digestOf('another')),
  [`/v2/alice/forged/blobs/${digestOf('another')}`]: config,
  '/v2/alice/odd/manifests/1.0': JSON.stringify({ schemaVersion: 2, manifests: [{ digest: '../../x' }] }),
};

const hub = await openedEndpoint((_, { url = '', headers }, response) => {
  if (url.startsWith('/token')) return void response.end('{"token":"for-everyone"}');
  // RFC 9110 allows empty elements in a list.
  if (headers.authorization !== 'Bearer for-everyone')
    return void response
      .writeHead(401, { 'www-authenticate': `Bearer realm="http://${headers.host}/token",,service="hub"` })
      .end();
  // As Docker Hub and ghcr.io do, at an address that is signed for one request.
  if (url === `/v2/alice/server/blobs/${digestOf(config)}`)
    return void response.writeHead(307, { location: 'https://blobs.example.com/config?sig=1' }).end();
  const text = contents[url];
  response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text);
});
const store = await openedEndpoint((_, { url }, response) =>
  url === '/config?sig=1' ? void response.end(config) : void response.writeHead(404).end(),
);
const swapped = digestOf('what the record means');
contents[`/v2/alice/swapped/manifests/${swapped}`] = manifest;
const listed = (name: string, reference = ':1.0') =>
  registryEntry(`io.github.bob/${name}`, {
    remotes: [],
    packages: [{ registryType: 'oci', identifier: `docker.io/alice/${name}${reference}` }],
    ...onGitHub('alice/server'),
  });
const directory = await openedDirectory({
  entries: [
    ...['server', 'plain', 'forged', 'odd', 'gone'].map((name) => listed(name)),
    listed('swapped', `@${swapped}`),
  ],
  hosts: { 'blobs.example.com': store },
  environment: { PACKAGE_REGISTRIES: JSON.stringify({ oci: hub.url }) },
});

const factsOf = (name: string) => packageFactsOf(directory, `io.github.bob/${name}`);

it('states what the labels of an image say, which it reads with one token and sends to no other host', async () => {
  expect(await factsOf('server')).toEqual({
    exists: { reference: '1.0', digest: digestOf(index) },
    names: { names: ['io.github.alice/server'], names_this: false },
    repository: { result: 'match', repository: 'github.com/alice/server' },
    licence: 'Apache-2.0',
  });
  expect(hub.sent.map(({ path }) => path)).toEqual([
    '/v2/alice/server/manifests/1.0',
    '/token?service=hub',
    '/v2/alice/server/manifests/1.0',
    `/v2/alice/server/manifests/${digestOf(manifest)}`,
    `/v2/alice/server/blobs/${digestOf(config)}`,
  ]);
  expect(store.sent.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/robots.txt', undefined],
    ['/config?sig=1', undefined],
  ]);
});

it('compares the digest that a record names with the manifest that came', async () => {
  expect(await factsOf('swapped')).toMatchObject({
    exists: { reference: swapped, digest: digestOf(manifest) },
  });
  const page = await directory.app.request('/agents/io.github.bob/swapped.md');
  expect(await page.text()).toContain(
    `\`${swapped}\` with the digest \`${digestOf(manifest)}\`, not the recorded one`,
  );
});

it('states nothing of labels that are none, of a configuration with another digest, or of another form', async () => {
  const nothing = { names: 'nothing', repository: 'nothing', licence: 'nothing' };
  expect(await factsOf('plain')).toMatchObject(nothing);
  expect(await factsOf('forged')).toMatchObject(nothing);
  expect(await factsOf('odd')).toMatchObject(nothing);
  const before = hub.sent.length;
  await factsOf('odd');
  expect(hub.sent.slice(before).map(({ path }) => path)).not.toContain('/v2/alice/odd/manifests/../../x');
  expect(await factsOf('gone')).toMatchObject({ exists: 'absent', names: 'absent' });
});

it('says among what stands out that the image at a tag was replaced, also when that one is gone', async () => {
  const handle = 'io.github.bob/plain';
  const path = '/v2/alice/plain/manifests/1.0';
  const [was = '', now] = [contents[path], ofConfig(digestOf('mallory'))];
  const standsOut = async (manifest?: string) => {
    if (manifest === undefined) delete contents[path];
    else contents[path] = manifest;
    directory.wait(86_400);
    await directory.observe(handle);
    const answer = await directory.app.request(`/agents/${handle}.md`);
    const [, said] = /^Stands out: (.*)$/m.exec(await answer.text()) ?? [];
    return said?.replace(/\d{4}-\d\d-\d\d/g, '<date>');
  };
  expect(await standsOut(was)).toBeUndefined();
  const short = (text: string) => `\`${digestOf(text).slice(0, 19)}\``;
  const replaced = `The image at \`1.0\` was replaced: digest ${short(now)} instead of ${short(was)} (between <date> and <date>)`;
  expect(await standsOut(now)).toBe(`${replaced}.`);
  const { changes } = await callTool<{ changes: string[] }>(directory, 'get_history', {
    handle,
    kind: 'code',
  });
  for (const text of [was, now])
    expect(changes.join('\n')).toContain(`\`1.0\` with the digest \`${digestOf(text)}\``);
  expect(await standsOut()).toBe(`${replaced}; last seen on <date>.`);
});
