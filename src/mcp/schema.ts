import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/**
 * A JSON Schema made once, in the form the SDK takes (it would convert per instance and list). It checks nothing:
 * inputs are checked by callTool, outputs by the tests.
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

/** More values than these are not listed: such a member has a text beside it that says what it means. */
const listedValues = 12;

/**
 * A schema inside another in short, without what openapi.json has: members that are always there, many values, and
 * what the objects of a list are made of where the list is itself inside a member.
 */
function toShort(schema: unknown, isInMember = false): unknown {
  if (!isObject(schema)) return schema;
  const { required: _always, properties, items, enum: values, ...rest } = schema;
  const isPlainList = isInMember && isObject(items) && items.type === 'object';
  return {
    ...rest,
    ...(Array.isArray(values) && values.length <= listedValues && { enum: values }),
    ...(isObject(properties) && { properties: mapValues(properties, (inner) => toShort(inner, true)) }),
    ...(items !== undefined && { items: isPlainList ? { type: 'object' } : toShort(items, isInMember) }),
  };
}

/**
 * The schema of what a tool answers, or of the problem it answers instead: clients of the maintenance line hold
 * results with isError against it, too. Of members inside members only names and types are said: every client reads
 * this list, and pays for it.
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
