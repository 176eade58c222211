import { isJsonObject, type JsonObject } from '../json.ts';
import { code, join, own, say, toText, type Words } from '../words.ts';

/**
 * `key` names an element of a list: of unequal elements, one on each side with one name is one changed
 * element. `isSet`: a list without names has no order. `members` are of the object, or of each element.
 */
export interface ValueForm {
  readonly key?: (element: JsonObject) => string;
  readonly isSet?: boolean;
  readonly members?: Readonly<Record<string, ValueForm>>;
}

export interface ValueDifference {
  /** Names of members, in `inside` from the element or the list. */
  readonly path: readonly string[];
  /** The key of an element, or its whole text. */
  readonly name?: string;
  readonly was?: unknown;
  readonly is?: unknown;
  /** Of elements with one name, or of a list with an order. Empty if only the order differs. */
  readonly inside?: readonly ValueDifference[];
}

const isOrdered = ({ key, isSet }: ValueForm) => !key && !isSet;

const formOf = ({ members = {} }: ValueForm, name: string): ValueForm =>
  (Object.hasOwn(members, name) ? members[name] : undefined) ?? {};

/** A map becomes an object, a set a list without an order. */
function toPlain(value: unknown, form: ValueForm): readonly [plain: unknown, form: ValueForm] {
  if (value instanceof Set) return [[...value], { ...form, isSet: true }];
  if (!(value instanceof Map)) return [value, form];
  return [Object.fromEntries(value.entries().map(([name, one]) => [name, one ?? null])), form];
}

const namesOf = (value: JsonObject) => Object.keys(value).filter((name) => value[name] !== undefined);

/** By the numbers of the parts, in a time that grows with their size. */
function createNumbering() {
  const numbers = new Map<string, number>();
  const textOf = (value: unknown, form: ValueForm): string => {
    if (Array.isArray(value)) {
      const all = value.map((one) => numberOf(one, { members: form.members }));
      return `[${isOrdered(form) ? all.join() : all.sort((a, b) => a - b).join()}`;
    }
    if (!isJsonObject(value)) return JSON.stringify(value);
    const names = namesOf(value).sort();
    return `{${names.map((name) => `${name.length} ${name}${numberOf(value[name], formOf(form, name))}`).join()}`;
  };
  const numberOf = (value: unknown, form: ValueForm): number => {
    const text = textOf(...toPlain(value, form));
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  return numberOf;
}

const toValueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

type List = readonly unknown[];

function compareLists(was: List, is: List, form: ValueForm, path: readonly string[]): ValueDifference[] {
  const { key, members } = form;
  const numberOf = createNumbering();
  const numbered = [was, is].map((list) =>
    list.map((value) => ({ value, id: numberOf(value, { members }) })),
  );
  const [old = [], now = []] = numbered;
  const left = Map.groupBy(old, ({ id }) => id);
  const added = now.filter(({ id }) => left.get(id)?.pop() === undefined);
  const nameOf = ({ value }: { readonly value: unknown }) =>
    key && isJsonObject(value) ? key(value) : toValueText(value);
  const before = Map.groupBy([...left.values()].flat(), nameOf);
  const after = Map.groupBy(added, nameOf);
  const at = isOrdered(form) ? [] : path;
  const found = [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .flatMap((name): ValueDifference[] => {
      const gone = before.get(name) ?? [];
      const others = after.get(name) ?? [];
      if (key && gone.length === 1 && others.length === 1) {
        const one = gone[0]?.value;
        const other = others[0]?.value;
        return [{ path: at, name, was: one, is: other, inside: compare(one, other, { members }, []) }];
      }
      return [
        ...gone.map(({ value }) => ({ path: at, name, was: value })),
        ...others.map(({ value }) => ({ path: at, name, is: value })),
      ];
    });
  if (!isOrdered(form)) return found;
  const isSame = found.length === 0 && old.every(({ id }, index) => id === now[index]?.id);
  return isSame ? [] : [{ path, was, is, inside: found }];
}

function compare(
  before: unknown,
  after: unknown,
  given: ValueForm,
  path: readonly string[],
): ValueDifference[] {
  const [was, form] = toPlain(before, given);
  const [is] = toPlain(after, given);
  if (Array.isArray(was) && Array.isArray(is)) return compareLists(was, is, form, path);
  if (!isJsonObject(was) || !isJsonObject(is)) return was === is ? [] : [{ path, was: before, is: after }];
  const names = new Set([...namesOf(was), ...namesOf(is)]);
  return [...names].sort().flatMap((name) => {
    const [old, now] = [was, is].map((one) => (Object.hasOwn(one, name) ? one[name] : undefined));
    const at = [...path, name];
    if (old !== undefined && now !== undefined) return compare(old, now, formOf(form, name), at);
    return [{ path: at, ...(old !== undefined && { was: old }), ...(now !== undefined && { is: now }) }];
  });
}

/**
 * Empty exactly if the canonical forms (RFC 8785) are equal, apart from the order of sets. A map counts as
 * an object.
 */
export const difference = (was: unknown, is: unknown, form: ValueForm = {}): ValueDifference[] =>
  compare(was, is, form, []);

const longestValue = 100;
const valueWords = (value: unknown): Words => {
  const text = toValueText(value);
  return code(text.length > longestValue ? `${text.slice(0, longestValue).toWellFormed()}…` : text);
};

export const isNew = (one: ValueDifference) => !('was' in one);
export const isGone = (one: ValueDifference) => !('is' in one);

function wordsOfOne({ was, is, inside }: ValueDifference, what: Words): Words {
  if (inside)
    return inside.length === 0 ? say`the order of ${what}` : say`${what}: ${differenceWords(inside)}`;
  const before = valueWords(was);
  const after = valueWords(is);
  return toText(before) === toText(after)
    ? say`${what} is another one`
    : say`${what}: ${after} instead of ${before}`;
}

/** Each member or element once, even if a list has several equal ones. What is inside others comes last. */
export function differenceWords(differences: readonly ValueDifference[], most = 20): Words {
  const sorted = differences.toSorted(
    (a, b) => Number(a.inside !== undefined) - Number(b.inside !== undefined),
  );
  const groups = Map.groupBy(sorted, ({ path, name }) => JSON.stringify([path, name]));
  const said = [...groups.values()].slice(0, most).flatMap((group) => {
    const [one] = group;
    if (!one) return [];
    const { path, name } = one;
    const place = valueWords(path.join('.'));
    const what =
      name === undefined ? place : path.length > 0 ? say`${valueWords(name)} in ${place}` : valueWords(name);
    const counts = [
      [group.filter(isGone).length, own('gone')],
      [group.filter(isNew).length, own('new')],
    ] as const;
    const numbers = counts.flatMap(([number, word]) =>
      number === 0 ? [] : [group.length === 1 ? word : say`${number} ${word}`],
    );
    if (numbers.length === 0) return [wordsOfOne(one, what)];
    return [
      group.length === 1 ? say`${what} is ${join(numbers, '')}` : say`${what}: ${join(numbers, ' and ')}`,
    ];
  });
  const more = groups.size - said.length;
  return join([...said, ...(more > 0 ? [say`${more} more`] : [])], ', ');
}
