import fc from 'fast-check';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"__proto__"',
    '"constructor"',
    '"toJSON"',
    '"a"',
    '""',
  ),
);
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    '-0',
    '1e400',
    '-1e999',
    '1e-400',
    '1E308',
    '9007199254740993',
    '123456789012345678901234567890',
    '0.1e1',
  ),
);

/**
 * Generates hostile JSON: lone surrogates, NUL, infinite numbers, repeated and special names, deep nesting.
 */
export const foreignJson = fc
  .letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      fc.oneof(texts, numbers, fc.constantFrom('null', 'true', 'false', '[]', '{}')),
      fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
      fc
        .array(fc.tuple(texts, tie('value')), { maxLength: 5 })
        .map((members) => `{${members.map(([name, value]) => `${name} : ${value}`).join(',')}}`),
    ),
  }))
  .value.chain((text) =>
    fc.integer({ min: 0, max: 104 }).map((levels) => `${'['.repeat(levels)}${text}${']'.repeat(levels)}`),
  );
