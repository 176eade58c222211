import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createOutboundClient } from '../../src/net/client.ts';
import { namesAt } from '../../src/net/dns.ts';
import {
  createDnsServer,
  type DnsServer,
  noSuchName,
  serverFailure,
} from '../support/endpoints/dns-server.ts';

const refused = 5;
const never = new AbortController().signal;
const many = Array.from({ length: 40 }, (_, at) => `10.0.0.${at}`);
let dns: DnsServer;

beforeAll(async () => {
  dns = await createDnsServer();
  for (const [name, entry] of [
    ['both.one.example', { addresses: ['10.0.0.1', 'fd00::1'] }],
    ['four.one.example', { addresses: ['10.0.0.1', '10.0.0.2'] }],
    ['six.one.example', { addresses: ['fd00::1'] }],
    ['alias.one.example', { alias: 'next.one.example' }],
    ['next.one.example', { alias: 'both.one.example' }],
    ['many.one.example', { addresses: many }],
    ['half.one.example', { addresses: ['10.0.0.1', 'fd00::1'], only: 'A' }],
    ['half6.one.example', { addresses: ['10.0.0.1', 'fd00::1'], only: 'AAAA' }],
    ['none.one.example', []],
    ['gone.one.example', noSuchName],
    ['broken.two.example', serverFailure],
    ['refused.two.example', refused],
    ['silent.two.example', 'silent'],
    ['mapped.one.example', { addresses: ['::ffff:127.0.0.1'] }],
    ['mixed.one.example', { addresses: ['8.8.8.8', '127.0.0.1'] }],
    ['self.one.example', { addresses: ['127.0.0.1'] }],
  ] as const)
    dns.zone.set(name, entry);
});
afterAll(() => dns.close());

/**
 * The addresses of a name, or why it has none; without memory of other tests, since the time of each is
 * another one.
 */
async function resolve(name: string, timeout_ms: number) {
  const found = await namesAt([dns.address], timeout_ms).resolve(name, never);
  return typeof found === 'string' ? found : found.map(({ address }) => address);
}

it.each([
  ['both.one.example', ['10.0.0.1', 'fd00::1']],
  ['both.one.example.', ['10.0.0.1', 'fd00::1']],
  ['four.one.example', ['10.0.0.1', '10.0.0.2']],
  ['six.one.example', ['fd00::1']],
  ['alias.one.example', ['10.0.0.1', 'fd00::1']],
  ['half.one.example', ['10.0.0.1']],
  ['half6.one.example', ['fd00::1']],
  ['none.one.example', 'no_address'],
  ['gone.one.example', 'no_address'],
  [`${'a'.repeat(64)}.example`, 'no_address'],
])('%s has the addresses that DNS answers: %j', async (name, addresses) => {
  expect(await resolve(name, 60_000)).toEqual(addresses);
});

it('asks over TCP for an answer that is too long for UDP', async () => {
  const found = await resolve('many.one.example', 60_000);
  expect(new Set(found)).toEqual(new Set(many));
});

it.each([
  ['broken.two.example', 50_000],
  ['refused.two.example', 51_000],
  ['silent.two.example', 400],
])(
  'no answer about %s is its own only if a name of another domain was resolved within the hour',
  async (name, time_ms) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
    /**
     * Repeats the question until there is an answer, in case the machine was too slow for a short time-out.
     */
    const answered = (asked: string, found: unknown) =>
      expect
        .poll(() => {
          later(2);
          return resolve(asked, time_ms);
        })
        .toEqual(found);
    try {
      expect(await resolve(name, time_ms)).toBe('no_way');
      await answered('gone.one.example', 'no_address');
      dns.zone.set('well.two.example', { addresses: ['10.0.0.1'] });
      await answered('well.two.example', ['10.0.0.1']);
      later(2);
      expect(await resolve(name, time_ms)).toBe('no_way');
      await answered('four.one.example', ['10.0.0.1', '10.0.0.2']);
      later(3590);
      expect(await resolve(name, time_ms)).toBe('unresolved');
      later(20);
      expect(await resolve(name, time_ms)).toBe('no_way');
    } finally {
      vi.useRealTimers();
    }
  },
);

it('a DNS server that nobody listens at is our own failure, whatever was resolved before', async () => {
  const names = namesAt(['127.0.0.1:1']);
  expect(await names.resolve('both.one.example', never)).toBe('no_way');
});

it('four names of a domain are asked about at a time, and a name of another one waits for none of them', async () => {
  const release = Promise.withResolvers<void>();
  const silent = Array.from({ length: 9 }, (_, at) => `h${at}.three.example`);
  for (const name of silent) dns.held.set(name, release.promise);
  const waiting = silent.map((name) => resolve(name, 70_000));
  const asked = () => new Set(dns.asked.filter((name) => silent.includes(name))).size;
  await expect.poll(asked).toBe(4);
  expect(await resolve('both.one.example', 70_000)).toEqual(['10.0.0.1', 'fd00::1']);
  expect(asked()).toBe(4);
  const deadline = new AbortController();
  const impatient = namesAt([dns.address], 70_000).resolve('h8.three.example', deadline.signal);
  deadline.abort();
  expect(await impatient).toBe('no_way');
  release.resolve();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['no_address']));
});

it.each([
  ['mapped.one.example', 'not_allowed'],
  ['mixed.one.example', 'not_allowed'],
  ['self.one.example', 'not_allowed'],
  ['six.one.example', 'not_allowed'],
  ['alias.one.example', 'not_allowed'],
  ['none.one.example', 'no_address'],
])('a client of public hosts sends nothing to %s', async (name, unsent) => {
  const client = createOutboundClient({
    userAgent: 'test',
    bodyLimit_bytes: 1000,
    names: namesAt([dns.address], 60_000),
    reach: (url) => ({ url, addresses: 'public' }),
  });
  expect(await client.fetch({ url: new URL(`http://${name}:9/`), deadline: never })).toEqual({
    result: 'host_unreachable',
    unsent,
  });
});
