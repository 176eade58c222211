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

/** A member of an answer without what is inside it: openapi.json has that. */
function toShort(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { properties, required, additionalProperties, items, enum: values, ...rest } = schema;
  return {
    ...rest,
    ...(Array.isArray(values) && values.length <= listedValues && { enum: values }),
    ...(isObject(items) && { items: typeof items.type === 'string' ? { type: items.type } : items }),
  };
}

/**
 * The output schema of a tool, for its answer or the problem in its place: clients of the SDK's version 1 validate
 * results with isError against it, too. Only its top level is listed, since every client pays for reading the list.
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
