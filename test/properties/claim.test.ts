import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChallenge, findChallengeFailure, readChallenge } from '../../src/claims/challenge.ts';
import { parseClaimFile } from '../../src/claims/claim.ts';
import {
  capabilityHash,
  createCapability,
  findSecret,
  isCapability,
} from '../../src/core/keys/capability.ts';

const capability = fc.constant(undefined).map(createCapability);
const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const key = fc.record({
  kid: fc.nat(255),
  secret: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
});
const binding = fc.record({
  origin: fc.webUrl(),
  handle: fc.stringMatching(/^[a-z.]{1,20}\/[A-Za-z.]{1,20}$/),
  placeKey: fc.stringMatching(/^[a-z.]{1,20}\/[a-z]{1,20}\/[a-z]{1,20}$/),
});
const at_s = fc.integer({ min: 604_800, max: 4_000_000_000 });
const issued = fc.record({ key, binding, hash, at_s });
const challenge = issued.map(({ key: k, binding: b, hash: h, at_s: s }) =>
  createChallenge(k, b, { hash: h, at_s: s }),
);
/** Text that no letter of a challenge can be glued to. */
const prose = fc.stringMatching(/^[ \t\r\n"'(),:;!?<>|\u00a0\ufeff]{0,20}$/);

describe('the claim file parser', () => {
  it('answers for any text, and finds only what has the form', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      challenge,
      capability,
      fc.constantFrom('dossier-claim-v1.', 'dossier_cap_', 'optout ', '\n', '\r\n', '\u0000', '\ud800'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const file = parseClaimFile(pieces.join(''));
        if (file === 'too_large') return;
        for (const line of file.challenges) expect(line).toMatch(/^dossier-claim-v1\.[\w-]{72}$/);
        for (const secret of file.secrets) expect(isCapability(secret)).toBe(true);
        for (const handle of file.optouts) expect(handle).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
      }),
      { numRuns: 500 },
    );
  });

  it('finds every challenge between prose, each once and in order', () => {
    const lines = fc.uniqueArray(challenge, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lines, prose, prose, (challenges, before, after) => {
        const text = challenges.map((line) => `${before}${line}${after}\n`).join('');
        expect(parseClaimFile(text)).toMatchObject({ challenges, secrets: [], optouts: [] });
        expect(parseClaimFile(text + text)).toEqual(parseClaimFile(text));
      }),
    );
  });

  it('finds none with a word letter or hyphen glued to it', () => {
    fc.assert(
      fc.property(challenge, fc.constantFrom(...'aZ09_-'), (line, letter) => {
        expect(parseClaimFile(line + letter)).toMatchObject({ challenges: [] });
        expect(parseClaimFile(letter + line)).toMatchObject({ challenges: [] });
      }),
    );
  });

  it('finds nothing in the longest file of repeated prefixes', () => {
    const unit = fc.constantFrom('dossier-claim-v1.', 'dossier_cap_A', 'optout a/', ' ', '\r\n', '-');
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 5 }), (units) => {
        const text = units.join('').repeat(16_384).slice(0, 16_384);
        expect(parseClaimFile(text)).toMatchObject({ challenges: [], secrets: [] });
      }),
    );
  });
});

describe('a challenge', () => {
  it('is read back as it was made, and counts for its own binding and time', () => {
    fc.assert(
      fc.property(issued, ({ key: own, binding: bound, hash: named, at_s: made_s }) => {
        const read = readChallenge(createChallenge(own, bound, { hash: named, at_s: made_s }));
        expect(read).toMatchObject({ kid: own.kid, issued_s: made_s, hash: named });
        if (read) expect(findChallengeFailure(read, bound, { ring: [own], now_s: made_s })).toBeUndefined();
      }),
    );
  });

  it('counts for no other listing, repository, service or key', () => {
    fc.assert(
      fc.property(issued, binding, key, (made, other, otherKey) => {
        const read = readChallenge(
          createChallenge(made.key, made.binding, { hash: made.hash, at_s: made.at_s }),
        );
        fc.pre(read !== undefined && JSON.stringify(other) !== JSON.stringify(made.binding));
        const now_s = made.at_s;
        for (const part of ['origin', 'handle', 'placeKey'] as const) {
          const moved = { ...made.binding, [part]: `${other[part]}x` };
          if (read)
            expect(findChallengeFailure(read, moved, { ring: [made.key], now_s })).toBe('challenge_foreign');
        }
        const forged = { ...otherKey, kid: made.key.kid };
        if (read)
          expect(findChallengeFailure(read, made.binding, { ring: [forged], now_s })).toBe(
            'challenge_foreign',
          );
      }),
    );
  });

  it('is read from no other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => {
        expect(readChallenge(text)).toBeUndefined();
      }),
    );
  });
});

describe('a capability', () => {
  it('is well-formed, new each time, and named by its hash', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(capability, (made) => {
        expect(made).toMatch(/^dossier_cap_[0-9A-Za-z]{49}$/);
        expect(isCapability(made)).toBe(true);
        expect(capabilityHash(made)).toMatch(/^[0-9a-f]{64}$/);
        expect(seen.has(made)).toBe(false);
        seen.add(made);
      }),
    );
  });

  it('with any one letter changed, dropped or doubled is invalid', () => {
    fc.assert(
      fc.property(capability, fc.nat(60), fc.constantFrom(...'0aZ_~'), (made, place, letter) => {
        const before = made.slice(0, place);
        const after = made.slice(place + 1);
        if (made[place] !== letter) expect(isCapability(before + letter + after)).toBe(false);
        expect(isCapability(before + after)).toBe(false);
        expect(isCapability(`${before}${made[place]}${made[place]}${after}`)).toBe(false);
      }),
    );
  });

  it('is found wherever it stands in a JSON value, hidden letters or not', () => {
    const hiding = fc.constantFrom('', '\u200b', '\u202e', '\u0000', '\u{e0041}', '\ufeff');
    const around = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
    fc.assert(
      fc.property(capability, hiding, fc.nat(60), around, (made, hidden, place, words) => {
        const text = `${words} ${made.slice(0, place)}${hidden}${made.slice(place)}`;
        expect(findSecret(text)).toBe(made);
        expect(findSecret({ a: [{ b: { c: text } }, 1, null] })).toBe(made);
        expect(findSecret({ [`${words} ${made}`]: true })).toBe(made);
      }),
    );
  });

  it('is found in no value without its prefix', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(findSecret(value)).toBeUndefined();
      }),
    );
  });
});
