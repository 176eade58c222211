import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseForeignJson } from '../../src/core/json.ts';
import { Words } from '../../src/core/words.ts';
import { toCanonicalJson } from '../../src/log/leaf.ts';
import { fitTogether, passGate } from '../../src/observations/known/gate.ts';
import type { Kind } from '../../src/observations/known/kind.ts';
import { kinds } from '../../src/observations/known/kinds.ts';
import type { Finding } from '../../src/observations/known/observation.ts';
import { foreignJson } from '../support/foreign-json.ts';

const hidden = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u200b\ufeff]|[\u{e0000}-\u{e007f}]/u;

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('a\u202eb', 'a\u200bb', '\u{e0069}\u{e0067}', 'two\nlines', '\ud800', '\0', '“a”', '`'),
  fc
    .tuple(fc.constantFrom('x', 'é', '😀', '"', '\\'), fc.integer({ min: 0, max: 20_000 }))
    .map(([one, times]) => one.repeat(times)),
);
const foreign = fc.oneof(
  texts,
  foreignJson.map((text) => parseForeignJson(text) ?? null),
  fc.array(texts, { maxLength: 30 }),
  fc.dictionary(texts, fc.oneof(texts, fc.array(texts, { maxLength: 5 }))),
  fc.integer({ min: 0, max: 2000 }).map((count) => Array.from({ length: count }, (_, at) => `item ${at}`)),
);
const members = fc.dictionary(fc.constantFrom('offers', 'tools', 'advisories', 'differs', 'a'), foreign);

const findings = fc.record(
  {
    value: foreign,
    outcome: fc.constantFrom<Finding['outcome']>('seen', 'silent', 'absent'),
    why: texts.map((text) => new Words([{ is: 'quote', text }])),
    details: members,
    as_seen: members,
    source: fc.constant('Dossier'),
  },
  { requiredKeys: ['value', 'outcome', 'source'] },
) as unknown as fc.Arbitrary<Finding>;

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Every text in a value, names of members included. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield name;
    yield* textsOf(inner);
  }
}

/** A kind whose values have no form yet. */
const ofAnyValue = (kind: Kind): Kind => ({ ...kind, value: z.json() });

type Schema = Readonly<Record<string, unknown>> & {
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
};

/** Values of a schema with large texts and lists, one for each of its alternatives. */
function largeOf(schema: Schema): unknown[] {
  const { type, anyOf, items = {}, properties, additionalProperties = {} } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap(largeOf);
  if (Array.isArray(type)) return type.flatMap((one) => largeOf({ ...schema, type: one }));
  if ('const' in schema) return [schema.const];
  if (Array.isArray(schema.enum)) return [schema.enum[0]];
  if (type === 'array') return largeOf(items).map((item) => Array.from({ length: 60 }, () => item));
  if (type === 'string') return ['a'.repeat(3000)];
  if (type !== 'object') return [type === 'null' ? null : type === 'boolean' ? true : 7];
  const { enum: names = ['a'] } = (schema.propertyNames ?? {}) as { enum?: string[] };
  const members = properties ?? Object.fromEntries(names.map((name) => [name, additionalProperties]));
  return Object.entries(members).reduce<object[]>(
    (all, [name, one]) => largeOf(one).flatMap((value) => all.map((other) => ({ ...other, [name]: value }))),
    [{}],
  );
}

describe('the gate for what comes from outside', () => {
  it.each(kinds.map((kind) => [kind.kind, kind] as const))(
    'stores a large %s as a value of its kind',
    (_, kind) => {
      const values = largeOf(z.toJSONSchema(kind.value) as Schema).filter((value) => value !== null);
      const stored = values.map(
        (value) => passGate(kind, { value, outcome: 'seen', source: 'x' } as Finding).value,
      );
      expect(stored.filter((value) => !kind.value.safeParse(value).success)).toEqual([]);
      expect(stored.every((value) => sizeOf(value) <= 1024)).toBe(true);
    },
  );
  it('lets only facts through that can be stored, digested and said, whatever an endpoint sends', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), findings, (kind, finding) => {
        const fact = passGate(ofAnyValue(kind), finding);
        expect(JSON.parse(JSON.stringify(fact))).toEqual(fact);
        expect(() => toCanonicalJson(fact)).not.toThrow();
        expect(
          [...textsOf([fact.value, fact.details, fact.as_seen, fact.why])].filter((text) =>
            hidden.test(text),
          ),
        ).toEqual([]);
        expect(() => kind.say?.(fact)).not.toThrow();
        expect(sizeOf(fact.value)).toBeLessThanOrEqual(1024);
        if (!kind.isList) expect(sizeOf([fact.details, fact.as_seen])).toBeLessThanOrEqual(16_384);
        const { why: _, open: _open, ...shown } = fact;
        const { why: __, ...again } = passGate(ofAnyValue(kind), shown);
        expect(fact).toMatchObject(again);
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });

  it('keeps to the room of a fact if an endpoint sends lists within lists', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);
    const members = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, nested(95)]));
    const kind = kinds.find(({ isList }) => !isList);
    if (!kind) throw new Error('there is such a kind');
    const finding = { value: members, details: members, outcome: 'seen', source: 'x' } as Finding;
    const fact = passGate(ofAnyValue(kind), finding);
    expect(sizeOf(fact.value)).toBeLessThanOrEqual(1024);
    expect(sizeOf({ details: fact.details })).toBeLessThanOrEqual(16_384);
  });

  it('keeps every fact, and those about packages and repositories as they are, whatever sizes endpoints send', () => {
    const small = ['package.deprecated', 'package.install_scripts', 'repository.superseded_by'].map(
      (kind) => ({
        kind,
        method_version: 'a/1',
        outcome: 'seen' as const,
        source: 'npm',
        value: 'malware',
        subject: kind.startsWith('package') ? 'npm:popular' : 'https://github.com/example/a',
        details: { message: 'malware, do not use' },
      }),
    );
    const ofEndpoints = fc.array(findings, { minLength: 1, maxLength: 60 }).map((found) =>
      found.map((one, at) => {
        const kind = kinds[at % kinds.length];
        if (!kind) throw new Error('there are kinds');
        return passGate(ofAnyValue(kind), {
          ...one,
          subject: `https://${Math.floor(at / kinds.length)}.example.com/`,
        });
      }),
    );
    const isList = (name: string) => kinds.some(({ kind, isList }) => isList && kind === name);
    fc.assert(
      fc.property(ofEndpoints, (found) => {
        const all = [...found, ...small];
        const stored = fitTogether(all, isList);
        expect(stored.map(({ kind, subject, value }) => [kind, subject, value])).toEqual(
          all.map(({ kind, subject, value }) => [kind, subject, value]),
        );
        expect(stored.slice(found.length)).toEqual(small);
        for (const ofSubject of Map.groupBy(stored, ({ subject }) => subject).values()) {
          const others = ofSubject.filter(({ kind }) => !isList(kind));
          const size = others.reduce((sum, { details, as_seen }) => sum + sizeOf({ details, as_seen }), 0);
          expect(size).toBeLessThanOrEqual(32_768);
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('stores no value that has not the form of its kind', () => {
    const other = { outcome: 'seen', source: 'Dossier', value: { of: 'no kind' } } as const;
    for (const kind of kinds) expect(() => passGate(kind, other)).toThrow();
  });
});
