import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/**
 * Wraps a JSON Schema in the form that the SDK takes, so that it converts nothing per server or list. It validates
 * nothing: callTool checks inputs, and the tests check outputs.
 */
export const frozenSchema = (
  json: Record<string, unknown>,
): StandardSchemaWithJSON<Record<string, unknown>, Record<string, unknown>> => ({
  '~standard': {
    version: 1,
    vendor: 'dossier',
    validate: (value) => ({ value: value as Record<string, unknown> }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (value: object, change: (inner: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));

/** Longer enumerations are left out: such a member comes with a text that explains it. */
const listedValues = 12;

/** Objects nested deeper, such as the counts of a group of ratings, are listed without their properties. */
const listedDepth = 2;

/**
 * Shortens a nested schema: no `required`, no long enumerations, and no properties for objects in nested lists or deep
 * inside. openapi.json has them all.
 */
function toShort(schema: unknown, depth = 0): unknown {
  if (!isObject(schema)) return schema;
  if (isObject(schema.properties) && depth >= listedDepth) return { type: 'object' };
  const isInMember = depth > 0;
  const { required: _always, properties, items, enum: values, ...rest } = schema;
  const isPlainList = isInMember && isObject(items) && items.type === 'object';
  return {
    ...rest,
    ...(Array.isArray(values) && values.length <= listedValues && { enum: values }),
    ...(isObject(properties) && { properties: mapValues(properties, (inner) => toShort(inner, depth + 1)) }),
    ...(items !== undefined && { items: isPlainList ? { type: 'object' } : toShort(items, depth) }),
  };
}

/**
 * The output schema of a tool, for its answer or the problem in its place: clients of the SDK's version 1 validate
 * results with isError against it, too. Nested members are shortened, since every client pays for reading the list.
 */
export const orError = ({
  required,
  properties,
  ...rest
}: Record<string, unknown>): Record<string, unknown> => ({
  ...rest,
  properties: { ...mapValues(properties as object, (inner) => toShort(inner)), error: { type: 'object' } },
  anyOf: [{ required: required ?? [] }, { required: ['error'] }],
});
