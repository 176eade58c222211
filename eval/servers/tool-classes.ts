import { isDeepStrictEqual } from 'node:util';
import type { ListedTool } from './truth.ts';

type Json = Readonly<Record<string, unknown>>;
const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {};

/** Where SDKs differ in how they write the same schema. */
const isForm = (name: string, value: unknown) =>
  name === '$schema' ||
  (name === 'additionalProperties' && value === false) ||
  (name === 'minimum' && value === -9007199254740991) ||
  (name === 'maximum' && value === 9007199254740991) ||
  (name === 'propertyNames' && isDeepStrictEqual(value, { type: 'string' }));

const isText = (name: string, value: unknown): value is string =>
  typeof value === 'string' && (name === 'title' || name === 'description');

/** A schema without its form, and without its texts if `keepsTexts` is false. */
function plain(schema: unknown, keepsTexts: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((one) => plain(one, keepsTexts));
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => !isForm(name, value) && (keepsTexts || !isText(name, value)),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'required' && Array.isArray(value) ? value.toSorted() : plain(value, keepsTexts),
    ]),
  );
}

interface Argument {
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** The arguments of a tool at any depth, by their names from the outside in. */
function argumentsOf(schema: unknown, place = ''): Map<string, Argument> {
  const found = new Map<string, Argument>();
  const { properties, required, ...others } = asObject(schema);
  for (const [name, one] of Object.entries(asObject(properties))) {
    found.set(`${place}.${name}`, {
      schema: one,
      isRequired: Array.isArray(required) && required.includes(name),
    });
    for (const [inner, argument] of argumentsOf(one, `${place}.${name}`)) found.set(inner, argument);
  }
  for (const one of Object.values(others))
    for (const [inner, argument] of argumentsOf(one, place)) found.set(inner, argument);
  return found;
}

/** The titles and descriptions of an argument, in order, without those of arguments in it. */
const textsOf = (value: unknown): string[] =>
  Object.entries(asObject(value))
    .flatMap(([name, one]) => {
      if (isText(name, one)) return [one];
      return name === 'properties' ? [] : textsOf(one);
    })
    .sort();

function hasOtherWords(before: ListedTool, after: ListedTool): boolean {
  const [old, now] = [before, after].map((tool) => [
    tool.description,
    asObject(tool).title,
    asObject(tool.annotations).title,
  ]);
  if (!isDeepStrictEqual(old, now)) return true;
  const was = argumentsOf(before.inputSchema);
  return [...argumentsOf(after.inputSchema)].some(([place, { schema }]) => {
    const known = was.get(place);
    return known !== undefined && !isDeepStrictEqual(textsOf(known.schema), textsOf(schema));
  });
}

const secretName = /(?:token|password|secret|credentials?|api_?key)$/i;
const isSecret = ([place, { schema }]: readonly [string, { readonly schema: unknown }]) =>
  secretName.test(place) && asObject(schema).type !== 'boolean';

/** What a client may call without asking (MCP, ToolAnnotations). */
function hintsOf({ annotations }: ListedTool) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = asObject(annotations);
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

/** How a tool changed, the class that weighs most; undefined if it is the same. */
function classOf(before: ListedTool, after: ListedTool): string | undefined {
  const isOther = (member: string, keepsTexts: boolean) =>
    !isDeepStrictEqual(
      plain(asObject(before)[member], keepsTexts),
      plain(asObject(after)[member], keepsTexts),
    );
  const was = argumentsOf(before.inputSchema);
  const is = argumentsOf(after.inputSchema);
  if ([...is].some((one) => !was.has(one[0]) && isSecret(one))) return 'secret';
  if (!isDeepStrictEqual(hintsOf(before), hintsOf(after))) return 'hints';
  if (hasOtherWords(before, after)) return 'words';
  if ([...is].some(([place, { isRequired }]) => isRequired && !was.get(place)?.isRequired)) return 'required';
  if (isOther('inputSchema', false)) return 'arguments';
  if (isOther('outputSchema', false)) return 'result';
  return isOther('inputSchema', true) || isOther('outputSchema', true) ? 'words' : undefined;
}

const classOfAdded = ({ inputSchema }: ListedTool): string =>
  [...argumentsOf(inputSchema)].some(isSecret) ? 'secret' : 'added';

/**
 * Which tools differ between two lists, each with the class of change that weighs most; this reads schemas
 * without the code of Dossier.
 */
export function classesOf(
  before: readonly ListedTool[],
  after: readonly ListedTool[],
): ReadonlyMap<string, string> {
  const [was, is] = [before, after].map((tools) => new Map(tools.map((tool) => [tool.name, tool])));
  const classes = new Map<string, string>();
  for (const name of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])) {
    const old = was?.get(name);
    const now = is?.get(name);
    const of = old && now ? classOf(old, now) : now ? classOfAdded(now) : 'removed';
    if (of) classes.set(name, of);
  }
  return classes;
}
