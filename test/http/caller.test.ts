import { describe, expect, it } from 'vitest';
import { createCallerReader } from '../../src/http/caller.ts';

const none = { trustedProxies: [] as string[] };
const proxies = { trustedProxies: ['10.0.0.0/8', '2001:db8::1'] };
const caller = (headers: Record<string, string>, remote: string | undefined, config = none) =>
  createCallerReader(config).callerOf(new Request('http://dossier.test/', { headers }), remote);

describe('the network of a caller', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('of %s is %s', (remote, network) => {
    expect(caller({}, remote)).toEqual({ network });
  });
  it.each([
    ['a peer that is no proxy', '192.0.2.7', '198.51.100.1', none, '192.0.2.7'],
    ['a peer that is another proxy', '192.0.2.7', '198.51.100.1', proxies, '192.0.2.7'],
    ['a proxy', '10.0.0.1', '198.51.100.1', proxies, '198.51.100.1'],
    ['a forged beginning', '10.0.0.1', '203.0.113.9, 198.51.100.1', proxies, '198.51.100.1'],
    ['two proxies', '10.0.0.1', '198.51.100.1, 10.2.3.4', proxies, '198.51.100.1'],
    ['only proxies', '10.0.0.1', '10.2.3.4', proxies, '10.2.3.4'],
    ['a proxy that writes ports', '10.0.0.1', '198.51.100.1:4711', proxies, '198.51.100.1'],
    ['one that writes ports of IPv6', '10.0.0.1', '[2001:db8:9:9::9]:4711', proxies, '2001:db8:9:9::/64'],
    ['one that writes brackets', '10.0.0.1', '[2001:db8:9:9::9]', proxies, '2001:db8:9:9::/64'],
    ['nonsense', '10.0.0.1', 'hello', proxies, '10.0.0.1'],
    ['a proxy over IPv6', '2001:db8::1', '2001:db8:9:9::9', proxies, '2001:db8:9:9::/64'],
  ])('behind %s', (_, remote, forwarded, config, network) => {
    expect(caller({ 'x-forwarded-for': forwarded }, remote, config).network).toBe(network);
  });
});

it.each([
  [{}, undefined],
  [{ authorization: 'Bearer dossier_cap_a' }, 'dossier_cap_a'],
  [{ authorization: 'bearer   dossier_cap_a ' }, 'dossier_cap_a'],
  [{ 'x-agent-capability': 'dossier_cap_a' }, 'dossier_cap_a'],
  [{ 'x-agent-capability': 'Bearer dossier_cap_a' }, 'dossier_cap_a'],
  [{ authorization: 'Bearer dossier_cap_a', 'x-agent-capability': 'dossier_cap_a' }, 'dossier_cap_a'],
  [{ authorization: 'Bearer dossier_cap_a', 'x-agent-capability': 'dossier_cap_b' }, 'conflict'],
  [{ authorization: 'Bearer dossier_cap_a, Bearer dossier_cap_b' }, 'conflict'],
  [{ authorization: 'Basic dXNlcjpwYXNz' }, undefined],
  [{ authorization: 'Bearer' }, undefined],
  [{ authorization: `Bearer ${'x'.repeat(5000)}` }, 'x'.repeat(200)],
])('the capability of a caller of %j is %s', (headers, capability) => {
  expect(caller(headers as Record<string, string>, '192.0.2.7').capability).toBe(capability);
});
