import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  differenceWords,
  type ValueDifference,
  type ValueForm,
} from '../../src/core/difference/difference.ts';
import { toText } from '../../src/core/words.ts';
import { toCanonicalJson } from '../../src/log/leaf.ts';
import { type SurfaceMember, surfaces } from '../../src/observations/asked/endpoint/surface.ts';
import { surfaceChanges } from '../../src/observations/known/kinds/lists/member-changes.ts';
import { partOf } from '../support/long.ts';

type Members = { readonly [name: string]: unknown };
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const byName = ({ name }: Members) => String(name);
const form: ValueForm = {
  members: {
    tools: { key: byName, members: { tags: { isSet: true }, arguments: { key: byName } } },
    names: { isSet: true },
    constructor: { isSet: true },
  },
};

/** A slow reference: the canonical text of a value whose lists without an order are sorted by their texts. */
function canonical(value: unknown, { key, isSet, members = {} }: ValueForm = {}): string {
  if (Array.isArray(value)) {
    const all = value.map((one) => canonical(one, { members }));
    return `[${(key || isSet ? all.sort() : all).join()}]`;
  }
  if (!isObject(value)) return toCanonicalJson([value]);
  const formOf = (name: string) => (Object.hasOwn(members, name) ? members[name] : undefined);
  const all = Object.entries(value).map(([name, one]) => [name, canonical(one, formOf(name))] as const);
  return `{${JSON.stringify(all.sort(([a], [b]) => (a < b ? -1 : 1)))}}`;
}

function appliedTo(value: unknown, one: ValueDifference): unknown {
  const [name, ...rest] = one.path;
  if (name !== undefined) {
    const { [name]: member, ...others } = value as Members;
    if (rest.length === 0 && one.name === undefined && !('is' in one)) return others;
    return Object.fromEntries([...Object.entries(others), [name, appliedTo(member, { ...one, path: rest })]]);
  }
  if (one.name === undefined) return one.is;
  const list = [...(value as unknown[])];
  if ('was' in one) {
    const at = list.findIndex((element) => canonical(element) === canonical(one.was));
    expect(at).toBeGreaterThanOrEqual(0);
    list.splice(at, 1);
  }
  if (!('is' in one)) return list;
  const changed = one.inside?.reduce(appliedTo, one.was);
  if (one.inside) expect(one.inside).not.toEqual([]);
  return [...list, one.inside ? changed : one.is];
}

const name = fc.constantFrom('a', 'b', 'c', '', 'constructor', '__proto__', 'name', 'tools', 'names', 'a.b');
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, 1e21, '', 'a', '1', 'null', '[]');
const { any } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('any')), { maxLength: 4 }).map((all) => Object.fromEntries(all)),
  ),
}));
const tool = fc.record(
  {
    name: fc.constantFrom<unknown>('a', 'b', 'c', 1),
    tags: fc.array(scalar, { maxLength: 3 }),
    arguments: fc.array(fc.oneof(any, fc.record({ name: scalar, is: any })), { maxLength: 3 }),
    other: any,
    description: scalar,
    inputSchema: any,
    annotations: any,
  },
  { requiredKeys: [] },
);
const value = fc.oneof(
  any,
  fc.record(
    {
      tools: fc.oneof(fc.array(fc.oneof({ weight: 5, arbitrary: tool }, any), { maxLength: 5 }), any),
      names: fc.oneof(fc.array(scalar, { maxLength: 5 }), any),
      list: fc.array(any, { maxLength: 4 }),
    },
    { requiredKeys: [] },
  ),
);
/** Two values that often have most in common. */
const pair = fc.oneof(
  fc.tuple(value, value),
  fc.tuple(value, fc.func(fc.nat(9)), value).map(([was, choose, other]) => {
    const mixed = (from: unknown, to: unknown): unknown => {
      if (Array.isArray(from) && Array.isArray(to)) return [...from, ...to].filter((one) => choose(one) > 2);
      if (!isObject(from) || !isObject(to)) return choose([from, to]) > 4 ? from : to;
      const all = Object.keys({ ...from, ...to }).filter((one) => choose(one) > 0);
      return Object.fromEntries(all.map((one) => [one, mixed(from[one] ?? null, to[one] ?? null)]));
    };
    return [was, mixed(was, other)] as const;
  }),
  fc
    .tuple(fc.array(tool, { maxLength: 8 }), fc.shuffledSubarray(Array.from({ length: 8 }, (_, at) => at)))
    .map(([tools, order]) => [{ tools }, { tools: order.flatMap((at) => tools[at] ?? []) }] as const),
);

describe('what differs between two values', () => {
  it('is nothing exactly if their canonical forms are equal, and makes one of the other', () => {
    fc.assert(
      fc.property(pair, ([was, is]) => {
        const found = difference(was, is, form);
        expect(found.length === 0).toBe(canonical(was, form) === canonical(is, form));
        expect(canonical(found.reduce(appliedTo, was), form)).toBe(canonical(is, form));
      }),
      { numRuns: partOf(3000, 30_000) },
    );
  });

  it('is a change of a list of tools exactly if a tool differs in more than its form', () => {
    const { tools } = surfaces;
    const lists = fc.tuple(fc.array(tool, { maxLength: 6 }), fc.array(tool, { maxLength: 6 }));
    fc.assert(
      fc.property(
        fc.oneof(
          lists,
          lists.map(([was, is]) => [
            was,
            [...was.toReversed().map((one) => ({ ...one, other: 1 })), ...is.slice(4)],
          ]),
        ),
        (pair) => {
          const [was = [], is = []] = pair as SurfaceMember[][];
          const { items, counts } = surfaceChanges(tools, was, is);
          const contents = [was, is].map((all) => canonical(all.map(tools.withoutForm), { key: byName }));
          expect(items.length === 0).toBe(contents[0] === contents[1]);
          expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(items.length);
        },
      ),
      { numRuns: partOf(1000, 10_000) },
    );
  });

  it('names each member and element once', () => {
    const all = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(all, { minLength: 2, maxLength: 2 }), fc.nat(2), ([was = [], is = []], times) => {
        const repeated = Array.from({ length: times + 1 }, () => was).flat();
        const found = difference({ names: repeated }, { names: is }, form);
        const words = toText(differenceWords(found, 100));
        const named = [...words.matchAll(/`(\w+)` in /g)].map(([, one]) => one);
        expect(named).toEqual([...new Set(named)]);
        const count = (list: readonly string[], wanted: string) =>
          list.filter((one) => one === wanted).length;
        const differing = [...was, ...is].filter((one) => count(repeated, one) !== count(is, one));
        expect(named.toSorted()).toEqual([...new Set(differing)].toSorted());
      }),
    );
  });

  it.each<[was: unknown, is: unknown, words: string]>([
    [{ names: ['a', 'b'] }, { names: ['b', 'c'] }, '`a` in `names` is gone, `c` in `names` is new'],
    [{ names: ['a', 'a', 'a'] }, { names: ['a'] }, '`a` in `names`: 2 gone'],
    [{ names: ['a', 'b'] }, { names: ['b', 'a'] }, ''],
    [{ tools: [{ name: 'a', tags: ['x', 'y'] }] }, { tools: [{ name: 'a', tags: ['y', 'x'] }] }, ''],
    [{ list: ['a', 'b'] }, { list: ['b', 'a'] }, 'the order of `list`'],
    [{ list: ['a', 'b'] }, { list: ['a'] }, '`list`: `b` is gone'],
    [{ a: 1, b: 'x' }, { a: '1', c: 'x' }, '`a` is another one, `b` is gone, `c` is new'],
    [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, '`a.b.c`: `2` instead of `1`'],
    [
      { tools: [{ name: 'a', tags: ['x'] }, { name: 'b' }] },
      { tools: [{ name: 'b' }, { name: 'a', tags: ['y'], other: null }] },
      '`a` in `tools`: `other` is new, `x` in `tags` is gone, `y` in `tags` is new',
    ],
    [
      { tools: [{ name: 'a' }] },
      { tools: [{ name: 'a' }, { name: 'a', other: 1 }] },
      '`a` in `tools` is new',
    ],
  ])('says %j, %j', (was, is, words) => {
    expect(toText(differenceWords(difference(was, is, form)))).toBe(words);
  });
});
