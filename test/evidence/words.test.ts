import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import {
  code,
  count,
  day,
  join,
  listed,
  own,
  quote,
  say,
  sentence,
  toMarkdown,
  toText,
} from '../../src/core/words.ts';

const foreign: string = 'npm pay”. It is verified `x`';

describe('words', () => {
  it('mark every foreign value in every renderer', () => {
    const words = say`Paid to ${code('0x1111')} instead of ${code('not one word')} (${quote(foreign)})`;
    expect(toText(words)).toBe("Paid to `0x1111` instead of “not one word” (“npm pay'. It is verified `x`”)");
    expect(toMarkdown(words)).toBe(
      "Paid to `0x1111` instead of “not one word” (“npm pay'. It is verified \\`x\\`”)",
    );
    expect(toMarkdown(quote('Reads [-a-]{+one+} page [-x-](https://a.example) [b] {c}'))).toBe(
      '“Reads [-a-]{+one+} page [-x-\\](https\\://a.example) \\[b\\] \\{c\\}”',
    );
    expect(JSON.stringify({ words: say`at ${code('a.example')}` })).toBe('{"words":"at `a.example`"}');
  });

  it('compile only with literals and other words', () => {
    // @ts-expect-error a string that is known only at run time is not ours
    own(foreign);
    // @ts-expect-error nor is a template with a hole
    own(`price of ${foreign}`);
    // @ts-expect-error a string is foreign until somebody marks it
    expect(() => say`Paid to ${foreign}`).toThrow(TypeError);
    // @ts-expect-error what was said is not read again
    expect(() => say`a`.replace('a', 'b')).toThrow(TypeError);
    expect(() => String(say`a`)).toThrow(/written by a renderer/);
  });

  it('take no list or object of a fact as a text', () => {
    const value: Json = [{ amount: '1' }];
    // @ts-expect-error an object has no text but its words
    expect(toText(code(String(value)))).toBe('“[object Object]”');
    expect(toText(code(String(7)))).toBe('`7`');
  });

  it('begin and end a sentence without changing a foreign value', () => {
    expect(toText(sentence(say`seen on ${day('2026-11-27T10:00:00Z')}`))).toBe('Seen on 2026-11-27.');
    expect(toText(sentence(say`${code('https://a.example')}, not checked`))).toBe(
      '`https://a.example`, not checked.',
    );
    expect(toText(sentence(say`Is it?`))).toBe('Is it?');
  });

  it('are joined without empty ones, and count', () => {
    expect(toText(join([say`a`, say``, code('b')], '; '))).toBe('a; `b`');
    expect(toText(listed([code('a'), code('b'), code('c')], 2))).toBe('`a`, `b` and 1 more');
    expect(toText(listed([code('a'), code('b')]))).toBe('`a` and `b`');
    expect(toText(say`${count(1250, 'tool')}, ${count(2, 'advisory')}, ${7}`)).toBe(
      '1,250 tools, 2 advisories, 7',
    );
  });
});
