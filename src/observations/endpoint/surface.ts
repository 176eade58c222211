import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { rootOfLeaves } from '../../log/merkle.ts';

/** A tool object as it was sent; untrusted. */
export type Tool = JsonObject;

/** The name of a tool; empty if it is not a string. */
export const nameOf = ({ name }: Tool): string => (typeof name === 'string' ? name : '');

const longestName = 200;

/** The name of a tool as it is stored and shown: at most 200 characters. */
export const shortNameOf = (tool: Tool) => nameOf(tool).slice(0, longestName);

/** The leaf digest of a tool: SHA-256 (hex) of the RFC 8785 JSON of the whole tool object as sent. */
export const toolDigest = (tool: Tool): string => canonicalDigest(tool);

/** Members of a JSON schema that hold schemas by name, and those that hold values, which are no schemas. */
const namedSchemas = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const valueMembers = ['enum', 'const', 'default', 'examples', 'example'];

/** The bounds that SDKs write for every whole number: those of a double. */
const isBoundOfDouble = (name: string, value: unknown) =>
  (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
  (name === 'maximum' && value === Number.MAX_SAFE_INTEGER);

/** What SDKs write differently of the same arguments: the draft, that no other ones are taken, bounds of every number, that names are texts. */
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
 * A tool without what another SDK or revision of the protocol writes differently of the same tool: only its name, title, description,
 * schemas and annotations, and schemas without their form.
 */
export function withoutForm(tool: Tool): Tool {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const members = {
    ...{ name, title, description, annotations: withoutOwn(annotations) },
    inputSchema: schemaWithoutForm(inputSchema),
    outputSchema: schemaWithoutForm(outputSchema),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A tool as it was sent, with its leaf digest, and the digest of what is left without its form. */
export interface DigestedTool {
  readonly tool: Tool;
  readonly sha256: string;
  readonly content_sha256: string;
}

/** Tools with their digests, ordered by name as UTF-8 bytes. Call it once for each list, because a digest reads the whole tool. */
export const digestTools = (tools: readonly Tool[]): readonly DigestedTool[] =>
  tools
    .map((tool) => ({ tool, key: Buffer.from(nameOf(tool)) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ tool }) => ({
      tool,
      sha256: toolDigest(tool),
      content_sha256: toolDigest(withoutForm(tool)),
    }));

/** The RFC 6962 Merkle root (hex) over raw 32-byte digests. */
const rootOf = (digests: readonly string[]): string =>
  rootOfLeaves(digests.map((digest) => Buffer.from(digest, 'hex'))).toString('hex');

/** The digest of a set of tools in name order, without their form: another one means that a tool is another one. */
export const surfaceDigest = (digested: readonly DigestedTool[]): string =>
  rootOf(digested.map(({ content_sha256 }) => content_sha256));

/** The digest of a set of tools in name order as they were sent. */
export const sentDigest = (digested: readonly DigestedTool[]): string =>
  rootOf(digested.map(({ sha256 }) => sha256));
