import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { isPublicAddress } from '../../src/net/addresses.ts';
import { createGuardedLookup } from '../../src/net/client.ts';
import { createSafeClient } from '../../src/net/git.ts';
import { createGitServer } from '../support/git-server.ts';

test.each([
  ['140.82.121.4', true],
  ['2606:50c0:8000::153', true],
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['172.16.0.1', false],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['169.254.169.254', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['192.0.2.1', false],
  ['::1', false],
  ['::', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:140.82.121.4', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['2001:db8::1', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['4000::1', false],
  ['not an address', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

const lookUp = (addresses: LookupAddress[], all: boolean) =>
  new Promise((resolve) => {
    const guarded = createGuardedLookup(isPublicAddress, (_name, _options, done) => done(null, addresses));
    guarded('forge.example', { all }, (error, address, family) => resolve(error?.code ?? [address, family]));
  });

test('a name is resolved once, and one private address refuses it', async () => {
  const open = { address: '140.82.121.4', family: 4 };
  const own = { address: '10.0.0.1', family: 4 };
  expect(await lookUp([open], false)).toEqual(['140.82.121.4', 4]);
  expect(await lookUp([open], true)).toEqual([[open], undefined]);
  expect(await lookUp([open, own], false)).toBe('EREFUSEDADDRESS');
  expect(await lookUp([own, open], true)).toBe('EREFUSEDADDRESS');
});

test('only configured bases on this machine are reached without https, and addresses never', async () => {
  const git = await createGitServer();
  const deadline = new AbortController().signal;
  const configured = createSafeClient(new Set([git.url]));
  const strange = createSafeClient(new Set());
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const fetch = (client: typeof strange, url: string) => client.fetch({ url: new URL(url), deadline });
  expect(await fetch(configured, `${git.url}/raw/a/b/c/d`)).toMatchObject({
    result: 'response',
    status: 404,
  });
  expect(git.requests).toHaveLength(1);
  for (const url of [
    `${git.url}/raw/a/b/c/d`,
    `https://127.0.0.1:${port}/`,
    `https://[::1]:${port}/`,
    `https://localhost:${port}/`,
    'https://169.254.169.254/latest/meta-data',
    'http://github.com/',
  ])
    expect(await fetch(strange, url)).toMatchObject({ result: 'host_unreachable' });
  expect([git.requests.length, connections]).toEqual([1, 0]);
  listener.close();
  await git.close();
});
