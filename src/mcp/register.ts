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
import { measure } from '../telemetry/metrics.ts';
import { type Pictured, readPictured } from '../tools/find/pictures.ts';
import { tools } from '../tools/index.ts';
import { callTool, type Tool, toListedInput, toOutputSchema } from '../tools/tool.ts';
import { cardPictures } from '../views/pictures/over-time.ts';

type ToolAnswer = Record<string, unknown> & Pictured;

/** A Latin-1 character for each UTF-8 byte: Node sends such a string fastest. */
export const toByteString = (text: string): string => Buffer.from(text).toString('latin1');

/**
 * The SDK gets this for a result that is sent as bytes (`McpRequest.sent`); `toResultParts` copies what it
 * adds.
 */
const standIn: CallToolResult = { content: [], structuredContent: {} };

/** The message already says what is wrong with each field. */
function toRefusal(problem: Problem): CallToolResult {
  const { fields: _, ...error } = problem.toJSON();
  const structuredContent = { error };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: true,
  };
}

/** A JSON-RPC response without its id, as byte strings. */
export type ResultParts = Readonly<Record<'members' | 'end', string>>;

const membersOf = (value: object) => toByteString(JSON.stringify(value).slice(1, -1));

/** `members` is set if the SDK was given the stand-in. */
export function toResultParts(result: object, members: string | undefined): ResultParts {
  const end = '},"jsonrpc":"2.0","id":';
  if (members === undefined) return { members: membersOf(result), end };
  const { content: _, structuredContent: __, ...added } = result as CallToolResult;
  const more = membersOf(added);
  return { members, end: more ? `,${more}${end}` : end };
}

export const toResponse = ({ members, end }: ResultParts, id: unknown): string =>
  `{"result":{${members}${end}${Number.isSafeInteger(id) ? id : toByteString(JSON.stringify(id))}}`;

/** Not converted again for each server. callTool checks inputs, and tests check outputs. */
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

function toShort(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const { properties, required, additionalProperties, items, enum: values, description, ...rest } = schema;
  return rest;
}

/** Only the top level, nothing required: version 1 of the SDK validates results with isError against it. */
const toListedOutput = ({ properties }: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties: mapMembers(properties as object, toShort),
});

const schemas = new Map(
  tools.map((tool) => [
    tool.name,
    {
      input: frozenSchema(toListedInput(tool.input)),
      output: frozenSchema(toListedOutput(toOutputSchema(tool.output))),
    },
  ]),
);

interface McpRequest {
  readonly context: Context;
  /** Of a result sent as bytes. The tool's handler sets `members`. */
  readonly sent?: { readonly cached: string | undefined; members?: string };
}

export const toAuthInfo = (mcpRequest: McpRequest): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { mcpRequest },
});

interface RequestContext {
  readonly http?: { readonly authInfo?: AuthInfo };
}

type ListHandler = (
  message: unknown,
  request: RequestContext,
) => Promise<{ readonly tools: readonly { readonly name: string }[] }>;

/** Over stdio all requests have one context. */
const mcpRequestOf = (context: Context, { http }: RequestContext): McpRequest =>
  (http?.authInfo?.extra?.mcpRequest as McpRequest | undefined) ?? { context };

const contextOf = (context: Context, request: RequestContext): Context =>
  mcpRequestOf(context, request).context;

const ofHolders = new Set(tools.filter((tool) => tool.isListedToHolders).map(({ name }) => name));

/** To call before the first tool is registered, which sets the handler that is wrapped here. */
export function listByCaller({ server }: McpServer, context: Context): void {
  const set: (method: string, handler: ListHandler) => void = server.setRequestHandler.bind(server);
  const setFiltered = (method: string, handler: ListHandler) =>
    set(
      method,
      method === 'tools/list'
        ? async (message, request) => {
            const listed = await handler(message, request);
            const isHolder = contextOf(context, request).caller.capability !== undefined;
            return { ...listed, tools: listed.tools.filter(({ name }) => isHolder || !ofHolders.has(name)) };
          }
        : handler,
    );
  server.setRequestHandler = setFiltered as typeof server.setRequestHandler;
}

/** Problems become results with isError, never protocol errors. */
export function registerTool(server: McpServer, tool: Tool, context: Context): void {
  const { name, title, description, asked, effects, card } = tool;
  const schema = schemas.get(name);
  const config = {
    title,
    description,
    annotations: { ...effects },
    inputSchema: schema?.input,
    outputSchema: schema?.output,
    _meta: {
      ...(card && { ui: { resourceUri: card } }),
      ...(asked && { 'anthropic/searchHint': asked }),
    },
  };
  server.registerTool(name, config, async (input: unknown, request: RequestContext) => {
    const { context: ofCaller, sent } = mcpRequestOf(context, request);
    try {
      if (sent?.cached) {
        sent.members = sent.cached;
        measure('dossier_tool_calls_total', { tool: name, outcome: 'ok' });
        return standIn;
      }
      const answer: ToolAnswer = await callTool(tool, input, ofCaller);
      // Some hosts show models only one of the two.
      const json = JSON.stringify(answer);
      const text = tool.toText?.(answer) ?? json;
      const { [readPictured]: read } = answer;
      const pictures = read ? cardPictures(...(await read())).map(String) : [];
      // For the card: hosts show models the texts alone.
      const pictured = pictures.length > 0 && { _meta: { 'dossier/pictures': pictures } };
      const content = [{ type: 'text' as const, text, ...pictured }];
      if (!sent) return { content, structuredContent: JSON.parse(json) as ToolAnswer };
      sent.members = toByteString(`"content":${JSON.stringify(content)},"structuredContent":${json}`);
      return standIn;
    } catch (error) {
      return toRefusal(toProblem(error, context));
    }
  });
}

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
    // Without a prototype, because callers name the variable.
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

export interface CachedCall {
  /** A byte string, used only for tools. */
  readonly cached?: string | undefined;
  /** Only for a result without isError. */
  readonly onResult?: ((parts: ResultParts) => void) | undefined;
}

/** Never a batch. */
export interface McpMessage {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: unknown;
  readonly context: Context;
}

export interface McpPost extends McpMessage, CachedCall {
  readonly request: Request;
  readonly respond: (bytes: string) => Response;
}

export const headersOf = ({ headers }: Pick<McpMessage, 'headers'>) => ({
  protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
  mcpMethodHeader: headers.get('mcp-method') ?? undefined,
  mcpNameHeader: headers.get('mcp-name') ?? undefined,
});

export const jsonResponse = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } });
