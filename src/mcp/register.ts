import {
  type AuthInfo,
  type CallToolResult,
  completable,
  type GetPromptResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { isJsonObject, mapMembers } from '../core/json.ts';
import { type Problem, toProblem } from '../core/problem.ts';
import { completeHandle } from '../listings/completions.ts';
import type { Prompt } from '../resources/prompts.ts';
import type { Resource, Variables } from '../resources/resource.ts';
import { measure } from '../telemetry/events.ts';
import { tools } from '../tools/index.ts';
import { callTool, type Tool, toInputSchema, toOutputSchema } from '../tools/tool.ts';

/**
 * The result of a call: the whole answer as structured content and as text, since some hosts show models only
 * one.
 */
const toAnswer = ({ toText = JSON.stringify }: Tool, answer: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: toText(answer) }],
  // The SDK checks it against the schema of what is sent.
  structuredContent: JSON.parse(JSON.stringify(answer)) as Record<string, unknown>,
});

/**
 * The UTF-8 bytes of a text, one character each (Latin-1): Node sends such a string faster than any other.
 */
export const toBytes = (text: string): string => Buffer.from(text).toString('latin1');

function toMembers({ toText }: Tool, answer: Record<string, unknown>): string {
  const json = JSON.stringify(answer);
  const text = JSON.stringify(toText?.(answer) ?? json);
  return toBytes(`"content":[{"type":"text","text":${text}}],"structuredContent":${json}`);
}

/** What the SDK checks, and adds to, in place of a result that is sent as bytes. */
const standIn: CallToolResult = { content: [], structuredContent: {} };

/**
 * A problem as a result, the same as text and as structured content; what is wrong with each field stands in
 * its sentence.
 */
function toRefusal(problem: Problem): CallToolResult {
  const { fields: _, ...error } = problem.toJSON();
  const structuredContent = { error };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: true,
  };
}

/** The bytes of an answer with a result: the members of the result, and what is behind them up to the id. */
export interface ResultBytes {
  readonly members: string;
  readonly end: string;
}

const ofMembers = (value: object) => toBytes(JSON.stringify(value).slice(1, -1));

/** The bytes of an answer with a result; `members` of a call of which the SDK has only the stand-in. */
export function toResultBytes(result: object, members: string | undefined): ResultBytes {
  const end = '},"jsonrpc":"2.0","id":';
  if (members === undefined) return { members: ofMembers(result), end };
  const { content: _, structuredContent: __, ...added } = result as CallToolResult;
  const more = ofMembers(added);
  return { members, end: more ? `,${more}${end}` : end };
}

/** The whole answer, under the id of the request. */
export const toAnswerBytes = ({ members, end }: ResultBytes, id: unknown): string =>
  `{"result":{${members}${end}${Number.isSafeInteger(id) ? id : toBytes(JSON.stringify(id))}}`;

/**
 * Wraps a JSON Schema in the form that the SDK takes, so that it converts nothing per server or list. It
 * validates nothing: callTool checks inputs, and the tests check outputs.
 */
const frozenSchema = (
  json: Record<string, unknown>,
): StandardSchemaWithJSON<Record<string, unknown>, Record<string, unknown>> => ({
  '~standard': {
    version: 1,
    vendor: 'dossier',
    validate: (value) => ({ value: value as Record<string, unknown> }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

/** Bounds that callers meet as errors in plain words; openapi.json states them. */
const unlistedBounds = new Set([
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'propertyNames',
  'additionalProperties',
]);

/** Whether a pattern begins with the words to choose from, as `^(commit|url):`, and so serves as an enum. */
const isChoice = (value: unknown) => /^\^\(\w+(?:\|\w+)+\):/.test(String(value));

/**
 * The schema of an input as tools/list shows it, of several forms the first: every client pays for reading
 * the list.
 */
function toListedInput(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toListedInput);
  if (!isJsonObject(schema)) return schema;
  const [first] = Array.isArray(schema.anyOf) ? (schema.anyOf as unknown[]) : [];
  if (first !== undefined) return toListedInput({ ...schema, ...(first as object), anyOf: undefined });
  const listed = Object.entries(schema).filter(
    ([name, value]) =>
      value !== undefined && (!unlistedBounds.has(name) || (name === 'pattern' && isChoice(value))),
  );
  return Object.fromEntries(
    listed.map(([name, inner]) => [
      name,
      name === 'properties' ? mapMembers(inner as object, toListedInput) : toListedInput(inner),
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
 * The output schema of a tool as tools/list shows it: its top level. No member is required in it, because
 * clients of the SDK's version 1 validate results with isError against it, too.
 */
const toListedOutput = ({ properties }: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties: mapMembers(properties as object, toShort),
});

const schemas = new Map(
  tools.map((tool) => [
    tool.name,
    {
      input: frozenSchema(toListedInput(toInputSchema(tool.input)) as Record<string, unknown>),
      output: frozenSchema(toListedOutput(toOutputSchema(tool.output))),
    },
  ]),
);

interface Asked {
  readonly context: Context;
  /**
   * There if a call's result is sent as bytes: its members if they are `cached`, and where the call sets
   * them.
   */
  readonly sent?: { readonly cached: string | undefined; members?: string };
}

/** A request in the form that the SDK passes to handlers; nothing else of AuthInfo is used. */
export const toAuthInfo = (asked: Asked): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { asked },
});

interface RequestContext {
  readonly http?: { readonly authInfo?: AuthInfo };
}

type ListHandler = (
  asked: unknown,
  request: RequestContext,
) => Promise<{ readonly tools: readonly { readonly name: string }[] }>;

/** The request that a handler is called for; over stdio all have one context. */
const askedOf = (context: Context, { http }: RequestContext): Asked =>
  (http?.authInfo?.extra?.asked as Asked | undefined) ?? { context };

const contextOf = (context: Context, request: RequestContext): Context => askedOf(context, request).context;

const listedTo = new Map(tools.map((tool) => [tool.name, tool.listedTo]));

/**
 * Leaves out of tools/list what the caller is not shown. To be called before tools are registered: the SDK
 * lists the same to every caller, so its handler is wrapped as it is set.
 */
export function listByCaller({ server }: McpServer, context: Context): void {
  const set: (method: string, handler: ListHandler) => void = server.setRequestHandler.bind(server);
  const setListed = (method: string, handler: ListHandler) =>
    set(
      method,
      method === 'tools/list'
        ? async (asked, request) => {
            const listed = await handler(asked, request);
            const isHolder = contextOf(context, request).caller.capability !== undefined;
            const isShown = ({ name }: { readonly name: string }) =>
              isHolder ? listedTo.get(name) !== 'nobody' : !listedTo.get(name);
            return { ...listed, tools: listed.tools.filter(isShown) };
          }
        : handler,
    );
  server.setRequestHandler = setListed as typeof server.setRequestHandler;
}

/** Registers a tool. Its problems are results with isError, never protocol errors. */
export function registerTool(server: McpServer, tool: Tool, context: Context): void {
  const { name, title, description, effects, card } = tool;
  const schema = schemas.get(name);
  const config = {
    title,
    description,
    annotations: { ...effects },
    inputSchema: schema?.input,
    outputSchema: schema?.output,
    ...(card && { _meta: { ui: { resourceUri: card } } }),
  };
  server.registerTool(name, config, async (input: unknown, request: RequestContext) => {
    const { context: asked, sent } = askedOf(context, request);
    try {
      if (!sent) return toAnswer(tool, await callTool(tool, input, asked));
      sent.members = sent.cached ?? toMembers(tool, await callTool(tool, input, asked));
      if (sent.cached) measure('dossier_tool_calls_total', { tool: name, outcome: 'ok' });
      return standIn;
    } catch (error) {
      return toRefusal(toProblem(error, context));
    }
  });
}

/**
 * A problem as a protocol error, for methods without error results: its message, with code and facts as data.
 */
const toProtocolError = (problem: Problem): ProtocolError =>
  new ProtocolError(
    problem.code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
    problem.message,
    { ...problem.toJSON() },
  );

async function answerOrRefuse<T>(work: () => T | Promise<T>, context: Context): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toProtocolError(toProblem(error, context));
  }
}

/** Registers a resource; one with variables as a template with completion. */
export function registerResource(server: McpServer, resource: Resource, context: Context): void {
  const { name, uri: address, title, description, mimeType, fresh_s, meta, complete } = resource;
  const config = {
    title,
    description,
    mimeType,
    ...(meta && { _meta: meta }),
    cacheHint: { ttlMs: fresh_s * 1000, cacheScope: 'public' as const },
  };
  const read = (uri: URL, variables: Variables, request: RequestContext): Promise<ReadResourceResult> =>
    answerOrRefuse(async () => {
      const text = await resource.read(variables, contextOf(context, request));
      return { contents: [{ uri: uri.href, mimeType, text, ...(meta && { _meta: meta }) }] };
    }, context);
  if (!complete) {
    server.registerResource(name, address, config, (uri, request) => read(uri, {}, request));
    return;
  }
  const completers = Object.entries(complete).map(([variable, offer]) => [
    variable,
    (typed: string, filled?: { arguments?: Record<string, string> }) =>
      answerOrRefuse(() => offer(typed, filled?.arguments ?? {}, context), context),
  ]);
  const template = new ResourceTemplate(address, {
    list: undefined,
    // Without a prototype, since callers name the variable.
    complete: Object.assign(Object.create(null) as object, Object.fromEntries(completers)),
  });
  server.registerResource(name, template, config, (uri, variables, request) =>
    read(uri, variables as Variables, request),
  );
}

export function registerPrompt(server: McpServer, prompt: Prompt, context: Context): void {
  const { name, title, description } = prompt;
  const handle = completable(z.string().describe(prompt.handle), (typed) =>
    answerOrRefuse(() => completeHandle(typed, {}, context), context),
  );
  const config = { title, description, argsSchema: z.object({ handle }) };
  server.registerPrompt(name, config, (args) =>
    answerOrRefuse((): GetPromptResult => {
      const text = prompt.text(args.handle);
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    }, context),
  );
}

/** What the cache knows of a message, and gets to know. */
export interface Known {
  /** The bytes of the members of the result if it is a call whose answer is cached. */
  readonly cached?: string | undefined;
  /** Gets the answer, if that is a result without isError. */
  readonly onResult?: ((answer: ResultBytes) => void) | undefined;
}

/** A message of the endpoint, never a batch, and for whom it is answered. */
export interface McpMessage {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: unknown;
  readonly context: Context;
}

/** The same as a whole request. */
export interface McpPost extends McpMessage, Known {
  readonly request: Request;
  /** Makes the response of an answer that is not a stream. */
  readonly respond: (bytes: string) => Response;
}

/** The protocol's headers as the SDK's classifier takes them. */
export const headersOf = ({ headers }: Pick<McpMessage, 'headers'>) => ({
  protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
  mcpMethodHeader: headers.get('mcp-method') ?? undefined,
  mcpNameHeader: headers.get('mcp-name') ?? undefined,
});

export const toJson = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } });
