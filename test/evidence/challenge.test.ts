import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChallenge, findChallengeFailure, readChallenge } from '../../src/claims/challenge.ts';
import { parseClaimFile } from '../../src/claims/claim.ts';
import { capabilityHash, capabilityId, isCapability } from '../../src/core/keys/capability.ts';

// Made apart from this code, from the words of docs/claims.md: bytes 1..32, key 0x42 x 32, kid 7,
// 2026-11-20T12:00Z.
const capability = 'dossier_cap_0Eoh211G4c8wtVWM00my5rsNSFlKgaWqQ4mb8gdEqno1EbQJQ';
const hash = '329dfd679f7097878de2fdd8e39e76f63385120b2b064a3c6640a9ba6ed144f0';
const challenge = 'dossier-claim-v1.AQdrADZAMp39Z59wl4eN4v3Y45529jOFEgsrBko8ZkCpum7RRPClgnMqMssOEXgDDJsjaW7H';
const issued_s = 1_795_176_000;
const key = { kid: 7, secret: Buffer.alloc(32, 0x42) };
const binding = {
  origin: 'https://dossier.example',
  handle: 'co.webhook/webhook',
  placeKey: 'github.com/webhook-co/webhook',
};

test('a capability, its hash and its challenge have the documented form', () => {
  expect(isCapability(capability)).toBe(true);
  expect(capabilityHash(capability)).toBe(hash);
  expect(capabilityId(hash)).toBe('329dfd679f709787');
  expect(createChallenge(key, binding, { hash, at_s: issued_s })).toBe(challenge);
  expect(readChallenge(challenge)).toMatchObject({ kid: 7, issued_s, hash });
});

const troubleOf = (now_s: number, ring: readonly { kid: number; secret: Buffer }[] = [key]) => {
  const read = readChallenge(challenge);
  if (!read) throw new Error('unreadable');
  return findChallengeFailure(read, binding, { ring, now_s });
};

test('a challenge counts from 300 s ahead to 7 days', () => {
  expect(troubleOf(issued_s - 300)).toBeUndefined();
  expect(troubleOf(issued_s - 301)).toBe('challenge_from_future');
  expect(troubleOf(issued_s + 604_799)).toBeUndefined();
  expect(troubleOf(issued_s + 604_800)).toBe('challenge_expired');
});

test('a challenge of a key that is unknown does not count', () => {
  expect(troubleOf(issued_s, [{ ...key, kid: 8 }])).toBe('challenge_key_retired');
});

test('any flipped bit of a challenge makes it foreign or unreadable', () => {
  const bytes = Buffer.from(challenge.slice(17), 'base64url');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), (bit) => {
      const forged = Buffer.from(bytes);
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const read = readChallenge(`dossier-claim-v1.${forged.toString('base64url')}`);
      const trouble = read
        ? findChallengeFailure(read, binding, { ring: [key], now_s: issued_s })
        : 'unreadable';
      expect(['unreadable', 'challenge_key_retired', 'challenge_foreign']).toContain(trouble);
    }),
  );
});

test('a challenge is found at the end of a sentence', () => {
  expect(parseClaimFile(`See ${challenge}. Thanks.`)).toMatchObject({ challenges: [challenge] });
});

test.each([
  ['a missing letter', challenge.slice(0, -1)],
  ['a line break inside', `${challenge.slice(0, 40)}\n${challenge.slice(40)}`],
  ['another version', challenge.replace('v1', 'v2')],
  ['spaces between', challenge.split('').join(' ')],
])('no challenge is found with %s', (_name, text) => {
  expect(parseClaimFile(text)).toMatchObject({ challenges: [] });
});

test('secrets and optout lines are found; prose about them is not', () => {
  const text = `optout co.webhook/webhook\r\n  optout\torg.example/b  \noptout not-a-handle\nplease optout a.b/c\noptout a.b/c now\n${capability}\ndossier_cap_${'x'.repeat(49)}`;
  expect(parseClaimFile(text)).toEqual({
    challenges: [],
    secrets: [capability],
    optouts: ['co.webhook/webhook', 'org.example/b'],
    isObservationRefused: false,
    receiptKeys: [],
  });
});

test('a file of 16 KiB and 64 challenges is read, more is not', () => {
  const line = (count: number) => `dossier-claim-v1.${String(count).padStart(72, '0')}\n`;
  const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index)).join('');
  expect(parseClaimFile(lines(64))).toMatchObject({ challenges: { length: 64 } });
  expect(parseClaimFile(lines(65))).toBe('too_large');
  expect(parseClaimFile('ä'.repeat(8192))).toMatchObject({ challenges: [] });
  expect(parseClaimFile(`${'ä'.repeat(8192)}x`)).toBe('too_large');
});

test('the first five public keys for receipts are found, and no private one', () => {
  const jwk = (change: object = {}) =>
    Buffer.from(JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), ...change })).toString(
      'base64url',
    );
  const lines = [
    `receipt-key private ${jwk({ d: 'A'.repeat(43) })}`,
    `receipt-key p384 ${jwk({ kty: 'EC', crv: 'P-384', y: 'A'.repeat(43) })}`,
    `receipt-key symmetric ${jwk({ kty: 'oct', k: 'A' })}`,
    `receipt-key short ${jwk({ x: 'A' })}`,
    `receipt-key half ${jwk({ kty: 'EC', crv: 'P-256' })}`,
    'receipt-key text e30e30e30e30e30e30e30e30e30e30e30e30e30e30e30e30',
    `see receipt-key prose ${jwk()}`,
    `receipt-key glued ${jwk()} more`,
    `  receipt-key\t1  ${jwk({ kid: 'other', use: 'sig' })} `,
    `receipt-key 1 ${jwk({ x: 'B'.repeat(43) })}`,
    `receipt-key did:web:a.example#key-2 ${jwk({ kty: 'EC', crv: 'secp256k1', y: 'B'.repeat(43) })}`,
    ...['3', '4', '5', '6'].map((kid) => `receipt-key ${kid} ${jwk()}`),
  ];
  const file = parseClaimFile(`\uFEFF# keys\r\n${lines.join('\r\n')}`);
  expect(file).toMatchObject({
    receiptKeys: [
      { kid: '1', jwk: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) } },
      { kid: 'did:web:a.example#key-2', jwk: { crv: 'secp256k1', y: 'B'.repeat(43) } },
      { kid: '3' },
      { kid: '4' },
      { kid: '5' },
    ],
  });
  expect(JSON.stringify(file)).not.toContain('other');
});
