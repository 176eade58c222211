import {
  createECDH,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkClaim, checkSignature } from '../../src/claims/checks/check.ts';
import { findTarget, findToCheck } from '../../src/claims/locations.ts';
import { serverFailure } from '../support/endpoints/dns-server.ts';
import { registryEntry } from '../support/entries.ts';
import { makeServiceKey } from '../support/receipts.ts';
import { onGitHub } from '../support/registry-entries.ts';
import { openEach, reopen } from './open-each.ts';

const handle = 'com.example/tool';
const authPath = '/.well-known/mcp-registry-auth';
const directory = openEach([registryEntry(handle)], ['example.com']);

/** A key pair, its line as the registry has it, and how it signs. */
interface Signer {
  readonly line: string;
  sign(text: string): Buffer;
}

function ed25519(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
  return {
    line: `v=MCPv1; k=ed25519; p=${raw.toString('base64')}`,
    sign: (text) => sign(null, Buffer.from(text), privateKey),
  };
}

function p384(dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Signer {
  const curve = createECDH('secp384r1');
  const compressed = curve.generateKeys(undefined, 'compressed') as unknown as Buffer;
  const point = curve.getPublicKey();
  const key: KeyObject = createPrivateKey({
    key: {
      kty: 'EC',
      crv: 'P-384',
      d: curve.getPrivateKey().toString('base64url'),
      x: point.subarray(1, 49).toString('base64url'),
      y: point.subarray(49).toString('base64url'),
    },
    format: 'jwk',
  });
  return {
    line: `v=MCPv1;k=ecdsap384; p=${compressed.toString('base64')}`,
    sign: (text) => sign('sha384', Buffer.from(text), { key, dsaEncoding }),
  };
}

const ask = (input: Record<string, unknown> = {}) =>
  directory.ask(handle, { method: 'registry_key', ...input });
const prove = (challenge: string, signature: string) => directory.ask(handle, { challenge, signature });
/** A claim by the key, which is published already. */
async function claimWith(signer: Signer, tool = handle) {
  const issued = await directory.ask(tool, { method: 'registry_key' });
  const signature = signer.sign(issued.challenge).toString('base64');
  const sent = { challenge: issued.challenge, signature };
  expect(await directory.ask(tool, sent)).toMatchObject({ status: 'claimed', changed: 'activated' });
  return issued;
}

test('a signature with the key in DNS proves the claim without any change; later, that of the newest capability does', async () => {
  const signer = ed25519();
  expect(await ask()).toMatchObject({
    status: 'not_proven',
    reason: 'key_not_published',
    message: expect.stringContaining(
      'Dossier read no key for the MCP registry in the TXT records of example.com or at https://example.com/.well-known/mcp-registry-auth. Publish the public key there, or claim by a different method.',
    ),
    next: expect.not.stringContaining('Publish nothing'),
  });
  directory.setTxt('example.com', 'v=spf1 -all', signer.line);
  const issued = await ask();
  expect(issued).toMatchObject({ status: 'challenge_issued', check: { result: 'no_challenge_in_file' } });
  expect(issued.message).toMatch(/^A published key was read\. Sign the challenge/);
  expect(issued.copy).toContain(`printf %s '${issued.challenge}' > line.txt`);
  const proven = await prove(issued.challenge, signer.sign(issued.challenge).toString('base64'));
  expect(proven).toMatchObject({
    status: 'claimed',
    changed: 'activated',
    check: { result: 'proven', domain: 'example.com', resolvers: 2, dnssec: false },
  });
  expect(await directory.standing(issued.capability)).toBe('200');
  expect((await directory.claimOf(handle))?.statement).toMatch(
    /^Possession of the key that example\.com publishes for the MCP registry was shown on \d{4}-\d\d-\d\d by a signature; the key was read in DNS by two resolvers\. The listing records no remote endpoint\./,
  );
  const onWeb = ed25519();
  directory.web.files.set(authPath, onWeb.line);
  const next = await directory.ask(handle, { method: 'registry_key', rotate: true }, issued.capability);
  const signature = onWeb.sign(next.challenge).toString('base64');
  expect(await prove(next.challenge, signature)).toMatchObject({ changed: 'rotated' });
  expect((await directory.claimOf(handle))?.statement).toContain(
    'the key was read at https://example.com/.well-known/mcp-registry-auth.',
  );
});

test('a DNS server that does not answer is named as such, without the address on the web', async () => {
  directory.dns[1].zone.set('example.com', serverFailure);
  expect(await ask()).toMatchObject({
    reason: 'dns_no_answer',
    message: expect.stringContaining(
      'Not every DNS server that Dossier asks answered about the TXT records of example.com. A missing answer',
    ),
  });
});

test.each([
  [429, { 'retry-after': '90' }, 'host_rate_limited', 'limits our requests'],
  [503, {}, 'host_error', 'answered with an error'],
  [302, { location: '/' }, 'redirect_refused', 'answers with a redirect, which is not followed'],
] as const)(
  'a web server that answers %s is not one without a key: the answer says what failed, and when to ask again',
  async (status, headers, reason, what) => {
    directory.web.fault = (_request, response) => response.writeHead(status, headers).end();
    const answer = await ask();
    expect(answer).toMatchObject({
      status: 'not_proven',
      reason,
      check: { pinned: false, ...(status === 429 && { retry_after_s: 90 }) },
      message: expect.stringContaining(
        `The web server of example.com, whose TXT records have no key for the MCP registry, ${what}.`,
      ),
    });
    expect(JSON.stringify([answer.message, answer.next])).not.toMatch(
      /Publish the public key|Publish nothing/,
    );
    expect(String(answer.message).includes('the next check is possible in 90 seconds')).toBe(status === 429);
    directory.web.fault = undefined;
    directory.web.files.set(authPath, ed25519().line);
    expect(await ask()).toMatchObject({ status: 'challenge_issued' });
  },
);

test('a key that was taken out of DNS is gone, also while the web server fails', async () => {
  const signer = ed25519();
  directory.setTxt('example.com', signer.line);
  const issued = await claimWith(signer);
  directory.setTxt('example.com', 'v=spf1 -all');
  directory.web.fault = (_request, response) => response.writeHead(503).end();
  expect(await ask()).toMatchObject({ check: { result: 'key_not_published' } });
  directory.directory.wait(86_400);
  await directory.directory.recheck();
  expect(await directory.standing(issued.capability)).toBe('capability_suspended');
});

test('DNS servers that give different records are told apart from a server that does not answer', async () => {
  directory.dns[0].zone.set('example.com', [ed25519().line]);
  expect(await ask()).toMatchObject({
    reason: 'dns_disagree',
    message: expect.stringContaining(
      'The DNS servers that Dossier asks do not agree about the TXT records of example.com. Wait until',
    ),
  });
});

test('a key that is no longer published ends what it signed; published again, it restores', async () => {
  const signer = ed25519();
  const next = ed25519();
  directory.setTxt('example.com', signer.line);
  const issued = await claimWith(signer);
  directory.setTxt('example.com', next.line);
  await ask();
  directory.directory.wait(86_400);
  await directory.directory.recheck();
  expect(await ask()).toMatchObject({ status: 'challenge_issued' });
  expect(await directory.standing(issued.capability)).toBe('capability_suspended');
  expect(await prove(issued.challenge, signer.sign(issued.challenge).toString('hex'))).toMatchObject({
    status: 'not_proven',
    reason: 'signature_invalid',
  });
  directory.setTxt('example.com', signer.line);
  expect(await ask()).toMatchObject({ status: 'claimed', changed: 'restored' });
  expect(await directory.history(handle)).toEqual([
    'activated dns:example.com 0',
    'suspended proof_missing dns:example.com 0',
    'restored dns:example.com 0',
  ]);
});

test('the key may be on the web server, and the signature in any of the usual forms', async () => {
  for (const [signer, encoding] of [
    [p384(), 'base64url'],
    [p384('der'), 'base64'],
    [ed25519(), 'base64url'],
  ] as const) {
    directory.web.files.delete(authPath);
    await ask();
    directory.directory.wait(86_400);
    await ask();
    directory.web.files.set(authPath, `${signer.line}\n`);
    const { challenge, capability } = await ask({ rotate: true });
    expect(await prove(challenge, signer.sign(challenge).toString(encoding))).toMatchObject({
      status: 'claimed',
    });
    expect(await directory.standing(capability)).toBe('200');
  }
  expect((await directory.claimOf(handle))?.statement).toContain(
    'the key was read at https://example.com/.well-known/mcp-registry-auth.',
  );
});

test('a signature over anything else, or by any other key, proves nothing', async () => {
  const signer = ed25519();
  const other = ed25519();
  directory.setTxt('example.com', signer.line);
  const issued = await ask();
  const { challenge } = issued;
  const foreign = await directory.ask('com.example/tool', { method: 'dns', rotate: true });
  const wrong = [
    other.sign(challenge).toString('base64'),
    signer.sign(`${challenge}\n`).toString('base64'),
    signer.sign(foreign.challenge).toString('base64'),
    'AAAA',
    '\u0000',
    '=',
  ];
  for (const signature of wrong)
    expect(await prove(challenge, signature)).toMatchObject({
      status: 'not_proven',
      reason: 'signature_invalid',
      next: expect.stringMatching(
        /\. Send the line \(the challenge\) and the signature\. Omit challenge to get a new one\.$/,
      ),
    });
  expect(await directory.standing(issued.capability)).toBe('capability_invalid');
  expect(await directory.history(handle)).toEqual([]);
  expect(await directory.ask(handle, { signature: wrong[0] })).toMatchObject({ code: 'invalid_input' });
  expect(await directory.ask(handle, { method: 'dns', challenge, signature: wrong[0] })).toMatchObject({
    code: 'invalid_input',
    detail: expect.stringMatching(/^signature: is for the method registry_key only\./),
  });
});

test('keys of a wrong length or off the curve are no keys', async () => {
  const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64');
  directory.setTxt(
    'example.com',
    `v=MCPv1; k=ed25519; p=${zeros(31)}`,
    `v=MCPv1; k=ecdsap384; p=${zeros(49)}`,
  );
  const { challenge } = await ask();
  expect(await prove(challenge, zeros(96))).toMatchObject({ reason: 'signature_invalid' });
});

test('while a claim stands by a domain, keys of a domain below it count for nothing', async () => {
  const below = 'com.example.api/tool';
  await reopen(directory, [registryEntry(below)], ['example.com', 'api.example.com']);
  const askBelow = (input = {}) => directory.ask(below, { method: 'registry_key', ...input });
  const owner = ed25519();
  const other = ed25519();
  directory.setTxt('example.com', owner.line);
  const issued = await claimWith(owner, below);
  const key = makeServiceKey('of-the-lower-domain');
  directory.setTxt('api.example.com', other.line, key.line);
  expect(await askBelow()).toMatchObject({ status: 'claimed' });
  const { challenge } = await askBelow({ rotate: true });
  const forged = other.sign(challenge).toString('base64');
  expect((await askBelow({ challenge, signature: forged })).changed).toBeUndefined();
  expect(await directory.standing(issued.capability)).toBe('200');
  expect((await directory.claimOf(below))?.receipt_keys).toBeUndefined();
});

describe('while a claim stands by the key of a domain, a key of a domain above it', () => {
  const below = 'com.example.api/tool';
  const askBelow = (input = {}) => directory.ask(below, { method: 'registry_key', ...input });
  const owner = ed25519();
  const above = ed25519();
  let issued: Awaited<ReturnType<typeof askBelow>>;
  beforeEach(async () => {
    await reopen(directory, [registryEntry(below)], ['example.com', 'api.example.com']);
    directory.setTxt('api.example.com', owner.line);
    issued = await claimWith(owner, below);
    directory.setTxt('example.com', above.line, makeServiceKey('of-the-upper-domain').line);
  });

  test('neither takes the claim over nor suspends it', async () => {
    const { challenge } = await askBelow({ rotate: true });
    const signature = above.sign(challenge).toString('base64');
    expect(await askBelow({ challenge, signature })).toMatchObject({
      status: 'not_proven',
      reason: 'claimed_elsewhere',
    });
    expect(await askBelow()).toMatchObject({ status: 'claimed', changed: 'none' });
    expect(await directory.standing(issued.capability)).toBe('200');
    expect(await directory.history(below)).toEqual(['activated dns:api.example.com 0']);
  });

  test('adds no keys for receipts', async () => {
    await askBelow();
    expect((await directory.claimOf(below))?.receipt_keys).toBeUndefined();
    directory.setTxt('api.example.com', owner.line, makeServiceKey('own').line);
    expect(await askBelow()).toMatchObject({ receipt_keys: [{ kid: 'own' }] });
  });
});

test('whoever signs with the same key as before continues the claim; the line of another key waits for a week, or begins a new claim when the old key is gone', async () => {
  const signer = ed25519();
  const next = ed25519();
  directory.setTxt('example.com', signer.line);
  const first = await claimWith(signer);
  const second = await ask({ rotate: true });
  expect(await prove(second.challenge, signer.sign(second.challenge).toString('base64'))).toMatchObject({
    changed: 'rotated',
    capabilities: [{ id: first.capability_id }, { id: second.capability_id }],
  });
  directory.setTxt('example.com', signer.line, next.line);
  const third = await ask({ rotate: true });
  const signature = next.sign(third.challenge).toString('base64');
  expect(await prove(third.challenge, signature)).toMatchObject({ reason: 'line_waits' });
  directory.setTxt('example.com', next.line);
  expect(await prove(third.challenge, signature)).toMatchObject({ reason: 'line_waits' });
  directory.directory.wait(86_400);
  expect(await prove(third.challenge, signature)).toMatchObject({ status: 'claimed' });
  expect(await directory.history(handle)).toEqual([
    'activated dns:example.com 0',
    'rotated dns:example.com 0',
    'line_added dns:example.com 0',
    'suspended proof_missing dns:example.com 0',
    'activated dns:example.com 1',
  ]);
});

test('the key of a capability that the operator revoked continues no claim', async () => {
  const signer = ed25519();
  directory.setTxt('example.com', signer.line);
  const first = await claimWith(signer);
  await directory.directory.act('revoke', String(first.capability_id), 'stolen_capability');
  const second = await ask({ rotate: true });
  expect(await prove(second.challenge, signer.sign(second.challenge).toString('base64'))).toMatchObject({
    status: 'not_proven',
    reason: 'line_waits',
  });
  expect(await directory.history(handle)).toEqual([
    'activated dns:example.com 0',
    'line_added dns:example.com 0',
  ]);
});

test('a deep namespace has at most five names asked, and eight keys looked at', async () => {
  const deep = `com.example.${Array.from({ length: 40 }, (_, at) => `n${at}`).join('.')}/tool`;
  await reopen(directory, [registryEntry(deep)], []);
  const domain = deep.split('/')[0]?.split('.').reverse().join('.') ?? '';
  const names = [domain, 'n2.n1.n0.example.com', 'n1.n0.example.com', 'n0.example.com', 'example.com'];
  const signers = names.map(() => [ed25519(), ed25519()]);
  for (const [at, name] of names.entries())
    directory.setTxt(name, ...(signers[at] ?? []).map(({ line }) => line));
  const issued = await directory.ask(deep, { method: 'registry_key' });
  expect(issued).toMatchObject({ check: { result: 'no_challenge_in_file' } });
  expect(new Set(directory.dns[0].asked)).toEqual(new Set(names));
  const { challenge } = issued;
  for (const [at, reason] of [
    [4, 'signature_invalid'],
    [3, undefined],
  ] as const) {
    const signature = signers[at]?.[0]?.sign(challenge).toString('base64');
    expect((await directory.ask(deep, { challenge, signature })).reason).toBe(reason);
  }
});

test('a signature is not checked against keys of a reading that a newer one has replaced', async () => {
  const signer = ed25519();
  directory.setTxt('example.com', signer.line);
  const { challenge, capability } = await ask();
  const { context } = directory.directory;
  const listing = await findToCheck(handle, context.store);
  const target = listing && findTarget(listing, 'registry_key', context);
  if (!target) throw new Error('no target');
  const before = await checkClaim(target, context);
  directory.setTxt('example.com');
  await ask();
  const sent = { challenge, signature: signer.sign(challenge).toString('base64') };
  await expect(checkSignature(target, { checked: before, sent }, context)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('The keys were read again meanwhile.'),
  });
  expect(await directory.standing(capability)).toBe('capability_invalid');
});

test('signatures that nobody checked before make the service read the location of the claim no more often than checks may', async () => {
  await reopen(directory, [registryEntry(handle, onGitHub('ex/tool'))], ['example.com']);
  const signer = ed25519();
  directory.setTxt('example.com', signer.line);
  await directory.claimIn('ex/tool', handle);
  const { challenge } = await ask({ rotate: true });
  const before = directory.git.requests.length;
  const asked = directory.dns[0].asked.length;
  const forged = Array.from({ length: 20 }, () =>
    directory.directory.app.request('/api/tools/claim_agent', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle, challenge, signature: randomBytes(64).toString('base64') }),
    }),
  );
  for (const answer of await Promise.all(forged))
    expect(await answer.json()).toMatchObject({ status: 'not_proven', reason: 'signature_invalid' });
  expect(directory.git.requests.length).toBe(before);
  expect(directory.dns[0].asked.length - asked).toBeLessThanOrEqual(1);
  const signature = signer.sign(challenge).toString('base64');
  expect(await prove(challenge, signature)).toMatchObject({ reason: 'claimed_elsewhere' });
});

test('the keys of two domains that are gone end both claims, because one was read in DNS and one on a web server', async () => {
  const other = 'org.example/tool';
  await reopen(directory, [registryEntry(handle), registryEntry(other)], ['example.com', 'example.org']);
  const inDns = ed25519();
  const onWeb = ed25519();
  directory.setTxt('example.com', inDns.line);
  await claimWith(inDns);
  directory.web.files.set(authPath, onWeb.line);
  await claimWith(onWeb, other);
  directory.setTxt('example.com');
  directory.web.files.delete(authPath);
  for (let pass = 0; pass < 2; pass++) await directory.recheck(1.3);
  expect(await directory.history(handle)).toContain('suspended proof_missing dns:example.com 0');
  expect(await directory.history(other)).toContain('suspended proof_missing dns:example.org 0');
});
