import { createRequire } from 'node:module';
import type DNS from 'dns2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { changesOfNextCheck } from '../support/next-check.ts';
import { operationsOf } from '../support/operations.ts';

// Its types describe an ES module, which it is not.
const dns = createRequire(import.meta.url)('dns2') as typeof DNS;
const { Packet } = dns;

const noSuchName = 3;
const serverFailure = 2;
const caa = (value: string) => ({ type: Packet.TYPE.CAA, flags: 0, tag: 'issue', value });
const a = (address: string) => ({ type: Packet.TYPE.A, address });

const rotating: object[] = [a('192.0.2.3'), caa('own-ca.example.net')];

/** The zone: records of each name, or the code of a failure; a name that is not here is never answered. */
const zone: Readonly<Record<string, readonly object[] | number>> = {
  'two.example.com': [a('192.0.2.1'), a('192.0.2.2'), { type: Packet.TYPE.AAAA, address: '2001:db8::1' }],
  'example.com': [caa('ca.example.net')],
  'own.example.org': rotating,
  'alias.example.net': [{ type: Packet.TYPE.CNAME, domain: 'two.example.com' }],
  'missing.example.com': noSuchName,
  'broken.example.com': serverFailure,
  'partly.example.net': [
    a('192.0.2.7'),
    { type: Packet.TYPE.AAAA, address: '2001:db8::7' },
    caa('ca.example'),
  ],
};
/** Questions that a server fails to answer, as `AAAA partly.example.net`. */
const failing = new Set<string>();
/** A name that is not there for now. */
let gone: string | undefined;
const typeNames = new Map<unknown, string>([
  [Packet.TYPE.A, 'A'],
  [Packet.TYPE.AAAA, 'AAAA'],
  [Packet.TYPE.CAA, 'CAA'],
]);

const asked: string[] = [];
let server: DNS.DnsServer;
let address: string;
let directory: Directory;

beforeAll(async () => {
  server = dns.createServer({
    udp: true,
    handle: (request, send) => {
      const [question] = request.questions;
      const name = question?.name ?? '';
      asked.push(name);
      const isFailing = failing.has(`${typeNames.get(question?.type)} ${name}`);
      const known = name === gone ? noSuchName : isFailing ? serverFailure : zone[name];
      if (known === undefined && name.startsWith('silent')) return;
      const response = Packet.createResponseFromRequest(request);
      if (typeof known === 'number') response.header.rcode = known;
      else
        for (const record of known ?? [])
          if ([Packet.TYPE.CNAME, question?.type].includes((record as { type: number }).type))
            response.answers.push({ name, class: Packet.CLASS.IN, ttl: 300, ...record } as never);
      send(response);
    },
  });
  const listening = await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
  address = `127.0.0.1:${(listening as { udp: { port: number } }).udp.port}`;
  const hosts = ['two.example.com', 'own.example.org', 'missing.example.com', 'broken.example.com'];
  const more = ['silent.example.com', '192.0.2.9', 'alias.example.net', 'partly.example.net'];
  directory = await openDirectory({
    entries: [...hosts, ...more]
      .map((host, at) =>
        registryEntry(`com.example.dns/x${at}`, {
          remotes: [{ type: 'streamable-http', url: `http://${host}/mcp` }],
        }),
      )
      .concat(
        registryEntry('com.example.dns/x-root', {
          remotes: [{ type: 'streamable-http', url: 'http://two.example.com./mcp' }],
        }),
        registryEntry('com.example.dns/x-bare', {
          remotes: [{ type: 'streamable-http', url: 'http://alias.example.net./mcp' }],
        }),
        ...['AAAA', 'CAA'].map((type) =>
          registryEntry(`com.example.dns/x-${type}`, {
            remotes: [{ type: 'streamable-http', url: 'http://partly.example.net/mcp' }],
          }),
        ),
      ),
    environment: {
      DNS_SERVERS: address,
      HOST_OVERRIDES: JSON.stringify(
        Object.fromEntries(
          [...hosts, ...more, 'two.example.com.', 'alias.example.net.'].map((host) => [
            host,
            'http://127.0.0.1:9',
          ]),
        ),
      ),
    },
  });
});
afterAll(async () => {
  await directory.close();
  await server.close();
});

async function dnsOf(at: number | string, context = directory.context) {
  const { observations } = await operationsOf(context).observe(`com.example.dns/x${at}`);
  return observations.find(({ kind }) => kind === 'endpoint.dns');
}

it('says which kinds of addresses there are, and names the authorities of the nearest name that has CAA records', async () => {
  expect(await dnsOf(0)).toMatchObject({
    subject: 'two.example.com',
    value: { families: ['IPv4', 'IPv6'], caa: ['issue ca.example.net'] },
    outcome: 'seen',
    as_seen: { ipv4: 2, ipv6: 1 },
  });
  expect(await dnsOf(1)).toMatchObject({
    value: { families: ['IPv4'], caa: ['issue own-ca.example.net'] },
    as_seen: { ipv4: 1, ipv6: 0 },
  });
});

it('finds the addresses that an alias leads to', async () => {
  expect(await dnsOf(6)).toMatchObject({ as_seen: { ipv4: 2, ipv6: 1 } });
});

it('asks about a name that is written with the dot of the root', async () => {
  expect(await dnsOf('-root')).toMatchObject({
    value: { families: ['IPv4', 'IPv6'] },
    as_seen: { ipv4: 2, ipv6: 1 },
  });
});

it('asks no top-level domain for CAA records, also not for a name with the dot of the root', async () => {
  asked.length = 0;
  expect(await dnsOf('-bare')).toMatchObject({ value: { families: ['IPv4', 'IPv6'], caa: [] } });
  expect(new Set(asked)).toEqual(new Set(['alias.example.net', 'two.example.com', 'example.net']));
});

it('takes another number of addresses for no change', async () => {
  await dnsOf(1);
  const { length } = await directory.store.observations.history('com.example.dns/x1', { limit: 9 });
  rotating.push(a('192.0.2.4'));
  expect(await dnsOf(1)).toMatchObject({ as_seen: { ipv4: 2, ipv6: 0 } });
  expect(await directory.store.observations.history('com.example.dns/x1', { limit: 9 })).toHaveLength(length);
});

it('asks the next server where one gives no answer', async () => {
  const { context } = directory;
  const dnsServers = ['127.0.0.1:1', address];
  const found = await dnsOf(0, { ...context, config: { ...context.config, dnsServers } });
  expect(found).toMatchObject({
    value: { caa: ['issue ca.example.net'] },
    as_seen: { ipv4: 2, ipv6: 1 },
  });
});

it.each([
  ['a broadcast address', '255.255.255.255:53'],
  ['an address of a family without a route', '[2001:db8::1]:53'],
  ['a port that nobody listens on', '127.0.0.1:1'],
])('goes on with the next server after one that cannot be reached: %s', async (_, unreachable) => {
  const { context } = directory;
  // Some networks drop packets without an error.
  const timeouts = { ...context.timeouts, observerDns_ms: 1000 };
  const config = { ...context.config, dnsServers: [unreachable, address] };
  const followed = { ...context, config, timeouts };
  expect(await dnsOf(0, followed)).toMatchObject({ outcome: 'seen' });
});

it('reports a name that does not exist as not found', async () => {
  expect(await dnsOf(2)).toMatchObject({
    value: null,
    outcome: 'absent',
    reason: 'DNS has no address for `missing.example.com`.',
  });
});

it.each([
  [3, 'broken.example.com', '`SERVFAIL`', 'not_asked'],
  [4, 'silent.example.com', 'no answer in time', 'not_asked'],
])('does not take a failure for an absence (%#)', async (at, host, code, outcome) => {
  const { context } = directory;
  const timeouts = { ...context.timeouts, ...(host === 'silent.example.com' && { observerDns_ms: 300 }) };
  expect(await dnsOf(at, { ...context, timeouts })).toMatchObject({
    value: null,
    outcome,
    reason: `The DNS servers that Dossier asks did not resolve \`${host}\` (${code}).`,
  });
});

it('keeps what was seen where a name is not there once', async () => {
  const first = await dnsOf(7);
  gone = 'partly.example.net';
  const now = await dnsOf(7);
  gone = undefined;
  expect(now).toMatchObject({
    value: { families: ['IPv4', 'IPv6'] },
    outcome: 'seen',
    observed_at: first?.observed_at,
    first_seen_at: first?.first_seen_at,
    missed: { reason: 'DNS has no address for `partly.example.net`.' },
  });
  const back = await dnsOf(7);
  expect(back).not.toHaveProperty('missed');
  expect(back?.first_seen_at).toBe(first?.first_seen_at);
});

it.each([
  ['AAAA', 'IPv6 addresses', ['IPv4']],
  ['CAA', 'CAA records', ['IPv4', 'IPv6']],
])('shows the addresses where only the question for %s gets no answer', async (type, about, families) => {
  failing.add(`${type} partly.example.net`);
  const first = await dnsOf(`-${type}`);
  expect(first).toMatchObject({
    value: { families, caa: [] },
    outcome: 'seen',
    reason: `The DNS servers that Dossier asks did not resolve ${about} of \`partly.example.net\` (\`SERVFAIL\`).`,
  });
  failing.clear();
  const whole = await dnsOf(`-${type}`);
  expect(whole).toMatchObject({ value: { families: ['IPv4', 'IPv6'], caa: ['issue ca.example'] } });
  expect(whole).not.toHaveProperty('changed_from');
  expect(whole).not.toHaveProperty('reason');
  const changes = await (await directory.app.request('/changes?since=0')).text();
  expect(changes).not.toContain(`"com.example.dns/x-${type}"`);
  failing.add(`${type} partly.example.net`);
  const again = await dnsOf(`-${type}`);
  failing.clear();
  expect(again).toMatchObject({
    value: { families: ['IPv4', 'IPv6'], caa: ['issue ca.example'] },
    missed: { reason: expect.stringContaining(about) as string },
  });
});

it('names the addresses and authorities before and after they changed, whatever their order', async () => {
  const changesOf = () => changesOfNextCheck(directory, 'com.example.dns/x1', 'Addresses in DNS');
  rotating.push(caa('second-ca.example.net'));
  expect(await changesOf()).toEqual([
    'IPv4; CAA: “issue own-ca.example.net” until then IPv4; CAA: “issue own-ca.example.net, issue second-ca.example.net”',
  ]);
  rotating.reverse();
  expect(await changesOf()).toEqual([]);
  rotating.push({ type: Packet.TYPE.AAAA, address: '2001:db8::3' });
  expect(await changesOf()).toEqual([
    'IPv4; CAA: “issue own-ca.example.net, issue second-ca.example.net” until then IPv4 and IPv6; CAA: “issue own-ca.example.net, issue second-ca.example.net”',
  ]);
});

it('asks nothing about an IP address', async () => {
  expect(await dnsOf(5)).toMatchObject({
    outcome: 'not_asked',
    reason: 'The recorded address has an IP address instead of a host name.',
  });
});

it('asks no public server about a host of HOST_OVERRIDES', async () => {
  const { context } = directory;
  const before = asked.length;
  const found = await dnsOf(0, { ...context, config: { ...context.config, dnsServers: undefined } });
  expect(found?.missed?.reason ?? found?.reason).toBe(
    'The host is reached at another address here (HOST_OVERRIDES), and DNS_SERVERS is not set.',
  );
  expect(asked.length).toBe(before);
});
