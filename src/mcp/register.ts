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
 * The result of a call: the whole answer both as structured content and as text, since some hosts show models
 * only one of them.
 */
const toMcpAnswer = ({ toText = JSON.stringify }: Tool, answer: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: toText(answer) }],
  // The SDK checks this value against the output schema.
  structuredContent: JSON.parse(JSON.stringify(answer)) as Record<string, unknown>,
});

/**
 * A text whose characters are the UTF-8 bytes of the given text (Latin-1), because Node sends such a string
 * fastest.
 */
export const toBytes = (text: string): string => Buffer.from(text).toString('latin1');

function toMembers({ toText }: Tool, answer: Record<string, unknown>): string {
  const json = JSON.stringify(answer);
  const text = JSON.stringify(toText?.(answer) ?? json);
  return toBytes(`"content":[{"type":"text","text":${text}}],"structuredContent":${json}`);
}

/** The SDK checks and extends this empty result while the real one is sent as bytes. */
const standIn: CallToolResult = { content: [], structuredContent: {} };

/**
 * Turns a problem into a result, both as text and as structured content. The text says what is wrong with
 * each field.
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

/** The bytes of a result answer: the result's members, and everything after them up to the id. */
export interface ResultBytes {
  readonly members: string;
  readonly end: string;
}

const ofMembers = (value: object) => toBytes(JSON.stringify(value).slice(1, -1));

/** Makes the bytes of a result answer. `members` is set for a call of which the SDK has only the stand-in. */
export function toResultBytes(result: object, members: string | undefined): ResultBytes {
  const end = '},"jsonrpc":"2.0","id":';
  if (members === undefined) return { members: ofMembers(result), end };
  const { content: _, structuredContent: __, ...added } = result as CallToolResult;
  const more = ofMembers(added);
  return { members, end: more ? `,${more}${end}` : end };
}

/** The whole answer, with the id of the request. */
export const toAnswerBytes = ({ members, end }: ResultBytes, id: unknown): string =>
  `{"result":{${members}${end}${Number.isSafeInteger(id) ? id : toBytes(JSON.stringify(id))}}`;

/**
 * Wraps a JSON Schema for the SDK, so that it converts nothing for each server or list. It validates nothing:
 * callTool checks inputs, and the tests check outputs.
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

/**
 * Bounds that tools/list leaves out: callers meet them as errors in plain words, and openapi.json states
 * them.
 */
const unlistedBounds = new Set([
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'propertyNames',
  'additionalProperties',
]);

/** Tells whether a pattern begins with a choice of words, like `^(commit|url):`, and so serves as an enum. */
const isChoice = (value: unknown) => /^\^\(\w+(?:\|\w+)+\):/.test(String(value));

/**
 * The schema of an input in tools/list. Of several forms it has only the first, because every client pays for
 * reading the list.
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

/** Leaves out of an answer's member what is inside it and its text; openapi.json has both. */
function toShort(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const { properties, required, additionalProperties, items, enum: values, description, ...rest } = schema;
  return rest;
}

/**
 * The output schema of a tool in tools/list, which is its top level. No member is required, because clients
 * of the SDK's version 1 also validate results with isError against it.
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

interface McpRequest {
  readonly context: Context;
  /**
   * Present if a call's result is sent as bytes. `cached` has its members if they are cached; otherwise the
   * call sets `members`.
   */
  readonly sent?: { readonly cached: string | undefined; members?: string };
}

/** A request in the form that the SDK passes to handlers. Nothing else in AuthInfo is used. */
export const toAuthInfo = (asked: McpRequest): AuthInfo => ({
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

/** The request for which a handler is called. Over stdio all requests have one context. */
const askedOf = (context: Context, { http }: RequestContext): McpRequest =>
  (http?.authInfo?.extra?.asked as McpRequest | undefined) ?? { context };

const contextOf = (context: Context, request: RequestContext): Context => askedOf(context, request).context;

const listedTo = new Map(tools.map((tool) => [tool.name, tool.listedTo]));

/**
 * Removes from tools/list what the caller is not shown. Call it before tools are registered: the SDK lists
 * the same to every caller, so its handler is wrapped as it is set.
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

/** Registers a tool. Its problems become results with isError, never protocol errors. */
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
      if (!sent) return toMcpAnswer(tool, await callTool(tool, input, asked));
      sent.members = sent.cached ?? toMembers(tool, await callTool(tool, input, asked));
      if (sent.cached) measure('dossier_tool_calls_total', { tool: name, outcome: 'ok' });
      return standIn;
    } catch (error) {
      return toRefusal(toProblem(error, context));
    }
  });
}

/**
 * Turns a problem into a protocol error for methods without error results: its message, with code and facts
 * as data.
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

/** Registers a resource. One with variables becomes a template with completion. */
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
    // The table has no prototype, because callers name the variable.
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

/** The exchange with the cache for one message. */
export interface CachedCall {
  /** The bytes of the result's members if the message is a call whose answer is cached. */
  readonly cached?: string | undefined;
  /** Is called with the answer if it is a result without isError. */
  readonly onResult?: ((answer: ResultBytes) => void) | undefined;
}

/** One message to the endpoint, never a batch, and its caller. */
export interface McpMessage {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: unknown;
  readonly context: Context;
}

/** A message as a whole HTTP request. */
export interface McpPost extends McpMessage, CachedCall {
  readonly request: Request;
  /** Makes the response for an answer that is not a stream. */
  readonly respond: (bytes: string) => Response;
}

/** The protocol's headers in the form that the SDK's classifier takes. */
export const headersOf = ({ headers }: Pick<McpMessage, 'headers'>) => ({
  protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
  mcpMethodHeader: headers.get('mcp-method') ?? undefined,
  mcpNameHeader: headers.get('mcp-name') ?? undefined,
});

export const toJson = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } });
