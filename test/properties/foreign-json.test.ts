import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countValues, parseForeignJson, readForeignJson, toStorable } from '../../src/core/json.ts';
import { toText } from '../../src/core/words.ts';
import { toCanonicalJson } from '../../src/log/leaf.ts';
import { foreignJson } from '../support/foreign-json.ts';

const nested = (levels: number, inner = '1') => `${'[{"a":'.repeat(levels)}${inner}${'}]'.repeat(levels)}`;
const zeros = (count: number) => `[${new Array(count).fill('0').join(' ,')}]`;

describe('JSON from outside', () => {
  it('has a canonical form that reads as the same value, whatever of it is read', () => {
    fc.assert(
      fc.property(foreignJson, (text) => {
        const { value, refused } = readForeignJson(text);
        if (refused !== undefined) {
          expect(value).toBeUndefined();
          return;
        }
        const canonical = toCanonicalJson([value]);
        expect(canonical.isWellFormed()).toBe(true);
        expect(toCanonicalJson(JSON.parse(canonical) as unknown[])).toBe(canonical);
        expect(toStorable(value)).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('has as many values as are counted in its text', () => {
    const countOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, inner) => sum + countOf(inner), 1)
        : 1;
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const value = JSON.parse(text) as unknown;
        expect(countValues(JSON.stringify(value, null, space))).toBe(countOf(value));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [zeros(99_999), undefined],
    [zeros(100_000), 'more than 100,000 values'],
    [`{"a":${'[],'.repeat(3)}`, undefined],
    [`[${'{},'.repeat(99_998)}{}]`, undefined],
    [`[${'{},'.repeat(99_999)}{}]`, 'more than 100,000 values'],
    [`{${'"a":0,'.repeat(99_999)}"a":0}`, 'more than 100,000 values'],
    [`["${','.repeat(300_000)}","${'\\"[,'.repeat(100_000)}"]`, undefined],
    ['['.repeat(2_000_000), 'more than 100,000 values'],
    [nested(50), undefined],
    [nested(50, '[]'), 'more than 100 levels'],
    [`${'['.repeat(90_000)}${']'.repeat(90_000)}`, 'more than 100 levels'],
    ['[1e308, -1e308, 1e-400]', undefined],
    ['{"a":[{"b":1e400}]}', 'a number beyond the range of a double'],
    ['-1E+309', 'a number beyond the range of a double'],
    [`1${'0'.repeat(400)}`, 'a number beyond the range of a double'],
  ])('is refused for what it has too much of: %#', (text, refused) => {
    const { refused: why } = readForeignJson(text);
    expect(why && toText(why)).toBe(refused);
  });

  it('keeps members named as those of every object apart from them', () => {
    const value = parseForeignJson(
      '{"__proto__":{"isPolluted":true},"a\\u0000":1,"toString":2,"a":3,"a":4}',
    ) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'a\ufffd', 'toString', 'a']);
    expect(({} as { isPolluted?: true }).isPolluted).toBeUndefined();
    expect(toCanonicalJson(value)).toBe('{"__proto__":{"isPolluted":true},"a":4,"a\ufffd":1,"toString":2}');
  });
});
