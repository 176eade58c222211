import { isJsonObject, type JsonObject } from '../../../core/json.ts';

const namedSchemas = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const valueMembers = ['enum', 'const', 'default', 'examples', 'example'];

const isBoundOfDouble = (name: string, value: unknown) =>
  (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
  (name === 'maximum' && value === Number.MAX_SAFE_INTEGER);

/** For the same arguments, only some SDKs write these. */
const isFormOfSchema = (name: string, value: unknown) =>
  name === '$schema' ||
  (name === 'additionalProperties' && value === false) ||
  (name === 'propertyNames' && isJsonObject(value) && Object.keys(value).join() === 'type') ||
  isBoundOfDouble(name, value);

function schemaWithoutForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaWithoutForm);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !isFormOfSchema(name, value))
      .map(([name, value]) => {
        if (valueMembers.includes(name)) return [name, value];
        if (name === 'required' && Array.isArray(value)) return [name, value.toSorted()];
        if (!namedSchemas.includes(name) || !isJsonObject(value)) return [name, schemaWithoutForm(value)];
        const named = Object.entries(value).map(([one, of]) => [one, schemaWithoutForm(of)] as const);
        return [name, Object.fromEntries(named)];
      }),
  );
}

const definedAnnotations = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const withoutOwn = (annotations: unknown): unknown =>
  isJsonObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([name]) => definedAnnotations.includes(name)))
    : annotations;

export function toolWithoutForm(tool: JsonObject): JsonObject {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const members = {
    name,
    title,
    description,
    annotations: withoutOwn(annotations),
    inputSchema: schemaWithoutForm(inputSchema),
    outputSchema: schemaWithoutForm(outputSchema),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
