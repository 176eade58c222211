import fc from 'fast-check';
import { expect, it } from 'vitest';
import { payeePath, readPayeePage, readPayeeSegment } from '../../src/core/payee.ts';

const origin = 'https://dossier.example';

/** What a proxy makes of a path that normalises it by RFC 3986, section 6.2.2. */
const normalised = (path: string): string =>
  path
    .replaceAll(/%[\da-f]{2}/gi, (one) => {
      const text = String.fromCharCode(Number.parseInt(one.slice(1), 16));
      return /[-.~\w]/.test(text) ? text : one.toUpperCase();
    })
    .split('/')
    .filter((step) => step !== '.' && step !== '..')
    .join('/');

const piece = fc.oneof(
  fc.constantFrom(
    '.',
    '..',
    '/',
    '\\',
    '?',
    '#',
    '%',
    '%2e',
    '%2F',
    ':',
    ' ',
    '~',
    "'",
    '(',
    ')',
    '.json',
    '.md',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const address = fc
  .oneof(
    fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.constantFrom('.', '..', '%2e', '%2e%2e', 'eip155:8453:0x1111111111111111111111111111111111111111'),
    fc.string({ minLength: 150, maxLength: 200 }),
  )
  .filter((text) => /^\P{Cc}{1,200}$/u.test(text) && text.isWellFormed() && !/^0x/i.test(text));
const network = fc.constantFrom(
  undefined,
  'eip155:8453',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'card',
  '..',
);
const hasName = (named: string | undefined) =>
  named !== undefined && /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(named);

it('the address of a payee’s page survives every normalisation, and names that payee and its format', () => {
  fc.assert(
    fc.property(address, network, fc.constantFrom('', '.json', '.md'), (payee, on, ending) => {
      const path = payeePath({ address: payee, network: on }, ending);
      const { pathname, search, hash } = new URL(path, origin);
      expect([pathname, search, hash]).toEqual([path, '', '']);
      expect(normalised(path)).toBe(path);
      expect(path).toMatch(/^\/payees\/[-.~:%\w]+$/);
      const expected = hasName(on) ? { address: payee, network: on } : { address: payee };
      const read = readPayeeSegment(path.slice('/payees/'.length));
      expect(read.payees[0]).toEqual(expected);
      expect(read.ending === '.html' ? '' : read.ending).toBe(ending);
      expect(readPayeePage(path, origin)).toEqual(expected);
      expect(readPayeePage(`${origin}${path}`, origin)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});
