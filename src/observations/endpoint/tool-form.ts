import { isJsonObject, type JsonObject } from '../../core/json.ts';

/** Members of a JSON schema that hold schemas by name, and those that hold values, which are no schemas. */
const namedSchemas = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const valueMembers = ['enum', 'const', 'default', 'examples', 'example'];

/** The bounds that SDKs write for every whole number: those of a double. */
const isBoundOfDouble = (name: string, value: unknown) =>
  (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
  (name === 'maximum' && value === Number.MAX_SAFE_INTEGER);

/**
 * What SDKs write differently of the same arguments: the draft, that no other ones are taken, bounds of every
 * number, that names are texts.
 */
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

/** The annotations that MCP defines; what else a publisher writes there, clients leave out. */
const definedAnnotations = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const withoutOwn = (annotations: unknown): unknown =>
  isJsonObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([name]) => definedAnnotations.includes(name)))
    : annotations;

/**
 * A tool without what another SDK or revision of the protocol writes differently of the same tool: only its
 * name, title, description, schemas and annotations, and schemas without their form.
 */
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
