import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

const isAnything = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Drops bounds that only mean "a safe integer", 56 bytes each in every tools/list, and writes "anything" as `true`. */
function shorten(schema: JsonSchema): void {
  if (isAnything(schema.additionalProperties)) schema.additionalProperties = true;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

const withoutDialect = ({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema => schema;

/** JSON Schema of a tool's input, as tools/list, openapi.json and the reference page show it. */
export const toInputSchema = (schema: z.ZodType): JsonSchema =>
  withoutDialect(
    z.toJSONSchema(schema, {
      io: 'input',
      override: ({ jsonSchema }) => shorten(jsonSchema as JsonSchema),
    }),
  );

/** JSON Schema of a tool's answer, without bounds and patterns, and open to members added later. */
export const toOutputSchema = (schema: z.ZodType): JsonSchema =>
  splitTypes(
    withoutDialect(
      z.toJSONSchema(schema, {
        override: ({ jsonSchema }) => {
          const { additionalProperties, ...shown } = jsonSchema as JsonSchema;
          for (const name of Object.keys(jsonSchema)) delete (jsonSchema as JsonSchema)[name];
          const closed = additionalProperties === false || additionalProperties === undefined;
          Object.assign(jsonSchema, withoutInputBounds(shown), closed ? {} : { additionalProperties });
        },
      }),
    ),
  ) as JsonSchema;

const inputBounds = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'maxItems',
  'pattern',
  'propertyNames',
]);

const withoutInputBounds = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !inputBounds.has(name)));

/** Replaces lists of types by `anyOf` branches, at any depth: some clients do not support lists of types. */
function splitTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(splitTypes);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) =>
    name === 'type' && Array.isArray(inner)
      ? ['anyOf', inner.map((type: unknown) => ({ type }))]
      : [name, splitTypes(inner)],
  );
  return Object.fromEntries(entries);
}
