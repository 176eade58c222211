import { isJsonObject, type JsonObject } from '../json.ts';
import { code, join, own, say, toText, type Words } from '../words.ts';

/**
 * How the lists of a value are compared. `key` gives the name of an element of a list: of the elements that
 * are not equal, one on each side with the same name is one changed element. `isSet` says that a list without
 * names has no order. `members` are the forms of the members of the object, or of each element of the list.
 */
export interface ValueForm {
  readonly key?: (element: JsonObject) => string;
  readonly isSet?: boolean;
  readonly members?: Readonly<Record<string, ValueForm>>;
}

/** `was` is absent if the member or element is new, and `is` if it is gone. */
export interface ValueDifference {
  /** The names of members that lead to the value. In `inside`, they begin at the element or the list. */
  readonly path: readonly string[];
  /** The name of an element of the list at the path: its key, or the text of the whole element. */
  readonly name?: string;
  readonly was?: unknown;
  readonly is?: unknown;
  /**
   * What differs between two elements with the same name, or which elements of a list with an order differ.
   * If only the order differs, it is empty.
   */
  readonly inside?: readonly ValueDifference[];
}

/** A value with a number that all equal values have. */
interface Numbered {
  readonly id: number;
  readonly value: unknown;
  readonly form: ValueForm;
  readonly members?: ReadonlyMap<string, Numbered>;
  readonly elements?: readonly Numbered[];
}

/** Numbers each value by the numbers of its parts, so that the work grows with the size of the values. */
function createNumbering() {
  const ids = new Map<string, number>();
  const toId = (text: string): number => {
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
  return function read(value: unknown, form: ValueForm = {}): Numbered {
    if (value instanceof Map)
      return read(Object.fromEntries(value.entries().map(([key, one]) => [key, one ?? null])), form);
    if (value instanceof Set) return read([...value], { ...form, isSet: true });
    if (Array.isArray(value)) {
      const { members } = form;
      const elements = value.map((one) => read(one, members && { members }));
      const all = elements.map(({ id }) => id);
      const text = (form.key || form.isSet ? all.sort((a, b) => a - b) : all).join();
      return { id: toId(`[${text}]`), value, form, elements };
    }
    if (!isJsonObject(value)) return { id: toId(JSON.stringify(value) ?? ''), value, form };
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    const formOf = (name: string) =>
      form.members && Object.hasOwn(form.members, name) ? form.members[name] : undefined;
    const members = new Map(names.sort().map((name) => [name, read(value[name], formOf(name))]));
    const texts = members.entries().map(([name, { id }]) => `${JSON.stringify(name)}:${id}`);
    return { id: toId(`{${[...texts].join()}}`), value, form, members };
  };
}

const toValueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

type Compare = (was: Numbered, is: Numbered, path: readonly string[]) => ValueDifference[];

/** Leaves out pairs of equal elements. The rest is in the order of the names. */
function ofElements(
  was: Numbered,
  is: Numbered,
  path: readonly string[],
  compare: Compare,
): ValueDifference[] {
  const { key, isSet } = was.form;
  const left = Map.groupBy(was.elements ?? [], ({ id }) => id);
  const added = is.elements?.filter(({ id }) => left.get(id)?.pop() === undefined) ?? [];
  const nameOf = ({ value }: Numbered) => (key && isJsonObject(value) ? key(value) : toValueText(value));
  const old = Map.groupBy([...left.values()].flat(), nameOf);
  const now = Map.groupBy(added, nameOf);
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  const isOrdered = !key && !isSet;
  const at = isOrdered ? [] : path;
  const found = names.flatMap((name): ValueDifference[] => {
    const [before, ...gone] = old.get(name) ?? [];
    const [after, ...others] = now.get(name) ?? [];
    if (key && before && after && gone.length + others.length === 0)
      return [{ path: at, name, was: before.value, is: after.value, inside: compare(before, after, []) }];
    return [
      ...(old.get(name) ?? []).map(({ value }) => ({ path: at, name, was: value })),
      ...(now.get(name) ?? []).map(({ value }) => ({ path: at, name, is: value })),
    ];
  });
  return isOrdered ? [{ path, was: was.value, is: is.value, inside: found }] : found;
}

const compare: Compare = (was, is, path) => {
  if (was.elements && is.elements) return ofElements(was, is, path, compare);
  if (!was.members || !is.members) return [{ path, was: was.value, is: is.value }];
  return [...new Set([...was.members.keys(), ...is.members.keys()])].sort().flatMap((name) => {
    const before = was.members?.get(name);
    const after = is.members?.get(name);
    if (before && after) return before.id === after.id ? [] : compare(before, after, [...path, name]);
    const at = [...path, name];
    return [{ path: at, ...(before && { was: before.value }), ...(after && { is: after.value }) }];
  });
};

/**
 * What one JSON value has that the other has not. It is empty exactly if their canonical forms (RFC 8785) are
 * equal, apart from the order of lists that have none. A map counts as an object, and a set as such a list.
 */
export function difference(was: unknown, is: unknown, form?: ValueForm): ValueDifference[] {
  const read = createNumbering();
  const before = read(was, form);
  const after = read(is, form);
  return before.id === after.id ? [] : compare(before, after, []);
}

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

/** Names the member or the element of each difference once, even if a list has several equal ones. */
export function differenceWords(differences: readonly ValueDifference[], most = 20): Words {
  const groups = Map.groupBy(differences, ({ path, name }) => JSON.stringify([path, name]));
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
