import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { isJsonObject } from '../evidence/text/json-object.ts';

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

const mapValues = (value: object, change: (inner: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));

/** Bounds that callers meet as errors in plain words; openapi.json states them. */
const unlistedBounds = new Set([
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'propertyNames',
  'additionalProperties',
]);

/** The schema of an input as tools/list shows it: every client pays for reading the list. */
export function toListedInput(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toListedInput);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([name]) => !unlistedBounds.has(name));
  return Object.fromEntries(
    kept.map(([name, inner]) => [
      name,
      name === 'properties' ? mapValues(inner as object, toListedInput) : toListedInput(inner),
    ]),
  );
}

/** A member of an answer without what is inside it and without its text: openapi.json has both. */
function toShort(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const { properties, required, additionalProperties, items, enum: values, description, ...rest } = schema;
  return rest;
}

/**
 * The output schema of a tool as tools/list shows it: its top level. No member is required in it, because clients of
 * the SDK's version 1 validate results with isError against it, too.
 */
export const toListedOutput = ({ properties }: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties: mapValues(properties as object, toShort),
});
