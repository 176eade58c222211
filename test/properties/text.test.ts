import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, toLine } from '../../src/core/text.ts';

const hostile = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    fc.constantFrom(
      '\u0000',
      '\u001b',
      '\u0085',
      '\u009b',
      '\u00ad',
      '\u034f',
      '\u061c',
      '\u180e',
      '\u200b',
      '\u200d',
      '\u202e',
      '\u2028',
      '\u2066',
      '\ufeff',
      '\ufe0f',
      '\ufe00',
      '\u{e0041}',
      '\u{e01ef}',
      '\ud800',
      '\udc00',
      '\r\n',
      '\t',
      'e\u0301',
    ),
  ),
  { maxLength: 30 },
);
const forbidden =
  /(?!\n)\p{Cc}|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]|\p{Cs}/u;

describe('cleaned text', () => {
  it('holds nothing that hides or turns text, is NFC, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(hostile, (parts) => {
        const { text } = cleanText(parts.join(''));
        expect(text).not.toMatch(forbidden);
        expect(text.isWellFormed()).toBe(true);
        expect(text).toBe(text.normalize('NFC'));
        expect(cleanText(text)).toEqual({ text, flags: [] });
      }),
      { numRuns: 5000 },
    );
  });

  it('is the text itself where there was nothing to clean', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(cleanText(text)).toEqual({ text, flags: [] });
      }),
    );
  });

  it('names a kind of character exactly where it stood', () => {
    const kinds = fc.constantFrom(
      ['control', '\u0007'] as const,
      ['bidi', '\u202e'] as const,
      ['zero_width', '\u200b'] as const,
      ['tag_block', '\u{e0041}'] as const,
      ['lone_surrogate', '\ud800'] as const,
    );
    fc.assert(
      fc.property(
        kinds,
        fc.stringMatching(/^[a-z ]{0,9}$/),
        fc.stringMatching(/^[a-z ]{0,9}$/),
        ([flag, bad], a, b) => {
          expect(cleanText(a + bad + b)).toEqual({ text: a + b, flags: [flag] });
        },
      ),
    );
  });

  it('on one line has no line end and no space at its ends', () => {
    fc.assert(
      fc.property(hostile, (parts) => {
        const line = toLine(parts.join(''));
        expect(line).not.toMatch(/[\n\r\t\u2028]|^\s|\s$|\s\s/);
        expect(toLine(line)).toBe(line);
      }),
      { numRuns: 2000 },
    );
  });
});
