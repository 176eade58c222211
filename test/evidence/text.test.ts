import { describe, expect, it } from 'vitest';
import { cleanText, toLine } from '../../src/core/text.ts';

describe('cleaning foreign text', () => {
  it.each([
    ['plain words', 'plain words', []],
    ['two\r\nlines\rand\ttab', 'two\nlines\nand tab', []],
    ['bell\u0007 null\u0000 csi\u009b', 'bell null csi', ['control']],
    ['\u202egpj.exe\u202c', 'gpj.exe', ['bidi']],
    ['\u2066isolated\u2069', 'isolated', ['bidi']],
    ['pass\u200bword\ufeff\u00ad', 'password', ['zero_width']],
    ['a\u{e0041}\u{e0042}\u{e007f}b', 'ab', ['tag_block']],
    ['a\ud800b\udc00', 'ab', ['lone_surrogate']],
    ['e\u0301', '\u00e9', []],
    ['e\u200b\u0301', '\u00e9', ['zero_width']],
    ['heart \u2764\ufe0f', 'heart \u2764\ufe0f', []],
    ['x\ufe00\ufe01\ufe02', 'x', ['zero_width']],
    ['x\ufe00\u{e0100}\ufe0f\u200b\ufe01', 'x', ['tag_block', 'zero_width']],
    ['1\ufe0f\u20e3 \u2764\ufe0e\ufe0f', '1\ufe0f\u20e3 \u2764\ufe0e', ['zero_width']],
    ['h\u180b\u180f\ufff0\ufffbi\u{13430}\u{1bca0}\u{1d173}', 'hi', ['zero_width']],
    ['\u0600\u06dd\u070f', '\u0600\u06dd\u070f', []],
    [`z${'\u0335'.repeat(900)}!`, `z${'\u0335'.repeat(4)}!`, ['stacked_marks']],
    ['\udb40\u{e0041}\udc41', '', ['lone_surrogate', 'tag_block']],
    [
      '\u0000\u202e\u200b\u{e0001}\udead',
      '',
      ['lone_surrogate', 'control', 'bidi', 'tag_block', 'zero_width'],
    ],
  ])('%j becomes %j', (foreign, text, flags) => {
    expect(cleanText(foreign)).toEqual({ text, flags });
  });
  it('puts a text on one line', () => {
    expect(toLine('  Fast\n\n\tand \u2028 small\u0000 ')).toBe('Fast and small');
  });
});
