import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { toText } from '../../src/core/words.ts';
import { changedWords } from '../../src/document/answers/history.ts';
import { passGate } from '../../src/observations/known/gate.ts';
import { kinds } from '../../src/observations/known/kinds.ts';
import { essenceOf } from '../../src/observations/known/timeline/timeline.ts';

type Schema = z.core.JSONSchema.JSONSchema;

/**
 * Texts that are easily taken for one another: by their marks, their spaces, their beginning, or their day.
 */
const texts = fc.oneof(
  fc.constantFrom('a"b', "a'b", '“a”', 'a b', 'a, b', 'none', '', '0x1', '1', 'https://a.example/x'),
  fc.constantFrom('2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z', 'a'.repeat(64), 'b'.repeat(64)),
  fc.constantFrom('x', 'y').map((end) => `${'long '.repeat(300)}${end}`),
  fc.constantFrom('x', 'y').map((end) => `${'z'.repeat(200)}${end}`),
);

/** Values that a schema allows. */
function valuesOf(schema: Schema | boolean | undefined): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object') return texts;
  const { anyOf, properties, additionalProperties, propertyNames, required = [] } = schema;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (anyOf) return fc.oneof(...anyOf.map(valuesOf));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type } as Schema)));
  if (schema.type === 'array') return fc.array(valuesOf(schema.items as Schema), { maxLength: 25 });
  if (properties) {
    const members = Object.entries(properties).map(([name, of]) => [name, valuesOf(of)] as const);
    return fc.record(Object.fromEntries(members), { requiredKeys: required });
  }
  if (schema.type === 'object') {
    const { enum: names = ['a', 'b'] } = propertyNames as Schema;
    return fc.dictionary(fc.constantFrom(...(names as string[])), valuesOf(additionalProperties));
  }
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  return schema.type === 'string' ? texts : fc.integer({ min: 0, max: 3 });
}

/** A value with another text at one place. */
function replaceText(value: unknown, place: { left: number }, text: string): unknown {
  if (typeof value === 'string') {
    place.left -= 1;
    return place.left === -1 ? text : value;
  }
  if (Array.isArray(value)) return value.map((one) => replaceText(one, place, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaceText(one, place, text)]),
  );
}

const checked = kinds.filter((kind) => kind.check && !kind.isTally);
/** The value of a kind with a whole value is a summary, which is not shortened. */
const shortened = checked.filter((kind) => !kind.difference);

it.each(shortened.map((kind) => [kind.kind, kind] as const))(
  'a value of %s that is shortened because it is large is still one of its kind',
  (_, kind) => {
    const values = valuesOf(z.toJSONSchema(kind.value, { unrepresentable: 'any' }));
    fc.assert(
      fc.property(values, (value) => {
        const fact = passGate(kind, { value: value as never, outcome: 'seen', source: 'Dossier' });
        expect(kind.value.safeParse(fact.value).error).toBeUndefined();
      }),
      { numRuns: 300, endOnFailure: true },
    );
  },
);

it.each(checked.map((kind) => [kind.kind, kind] as const))(
  'a change of %s names what was and what is in other words, however alike they are',
  (_, kind) => {
    const values = valuesOf(z.toJSONSchema(kind.value, { unrepresentable: 'any' }));
    const pairs = fc.tuple(values, values, fc.integer({ min: -1, max: 40 }), texts);
    fc.assert(
      fc.property(pairs, ([first, second, place, text]) => {
        const other = place < 0 ? second : replaceText(first, { left: place }, text);
        fc.pre(kind.value.safeParse(other).success);
        const [was, is] = [first, other].map((value) =>
          passGate(kind, { value: value as never, outcome: 'seen', source: 'Dossier' }),
        );
        if (!was || !is) throw new Error('two facts');
        fc.pre(!isDeepStrictEqual(essenceOf(was), essenceOf(is)));
        const said = toText(
          changedWords({
            kind: kind.kind,
            before: { ...essenceOf(was), seen_until: '2026-11-20T08:00:00.000Z' },
            after: essenceOf(is),
          }),
        );
        const [, before, after] = /^.*?: (.*) until 2026-11-20, then (.*)$/s.exec(said) ?? [];
        // Of values that read alike, as lists with the same first item, a kind may say what became of them in
        // place of both.
        if (before === undefined) expect(said).toMatch(/the other was last seen on 2026-11-20/);
        expect(after === undefined || after !== before).toBe(true);
      }),
      { numRuns: 300, endOnFailure: true },
    );
  },
);
