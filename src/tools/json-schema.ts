import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/** Bounds that only say "a safe integer": 56 bytes each, and every client reads them. */
function dropSafeIntegerBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

const withoutDialect = ({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema => schema;

/** JSON Schema of what callers send: what tools/list, openapi.json and the reference page say. */
export const toInputSchema = (schema: z.ZodType): JsonSchema =>
  withoutDialect(
    z.toJSONSchema(schema, {
      io: 'input',
      override: ({ jsonSchema }) => dropSafeIntegerBounds(jsonSchema as JsonSchema),
    }),
  );

/**
 * JSON Schema of what tools answer, without what only inputs need: bounds, patterns, and the promise that no
 * member will ever be added.
 */
export const toOutputSchema = (schema: z.ZodType): JsonSchema =>
  withoutDialect(
    z.toJSONSchema(schema, {
      override: ({ jsonSchema }) => {
        const { additionalProperties, ...shown } = jsonSchema as JsonSchema;
        for (const name of Object.keys(jsonSchema)) delete (jsonSchema as JsonSchema)[name];
        const closed = additionalProperties === false || additionalProperties === undefined;
        Object.assign(
          jsonSchema,
          withoutInputBounds(withoutTypeList(shown)),
          closed ? {} : { additionalProperties },
        );
      },
    }),
  );

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

/** A list of types as branches of one type each: some clients read only those. */
const withoutTypeList = ({ type, ...rest }: JsonSchema): JsonSchema =>
  Array.isArray(type)
    ? { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) }
    : { ...(type !== undefined && { type }), ...rest };
