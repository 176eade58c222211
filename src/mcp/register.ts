import {
  type AuthInfo,
  completable,
  type GetPromptResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Caller, type Context, withCaller } from '../context.ts';
import type { Problem } from '../problem.ts';
import { toProblem } from '../problem.ts';
import { completeHandle } from '../resources/completions.ts';
import type { Prompt } from '../resources/prompts.ts';
import type { Resource, Variables } from '../resources/resource.ts';
import { tools } from '../tools/index.ts';
import { toInputSchema, toOutputSchema } from '../tools/support/json-schema.ts';
import { callTool, type Tool } from '../tools/tool.ts';
import { toAnswer, toRefusal } from './result.ts';
import { frozenSchema, toListedInput, toListedOutput } from './schema.ts';

const schemas = new Map(
  tools.map((tool) => [
    tool.name,
    {
      input: frozenSchema(toListedInput(toInputSchema(tool.input)) as Record<string, unknown>),
      output: frozenSchema(toListedOutput(toOutputSchema(tool.output))),
    },
  ]),
);

/** The caller of a request in the form that the SDK passes to handlers; nothing else of AuthInfo is used. */
export const toAuthInfo = (caller: Caller): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { caller },
});

interface RequestContext {
  readonly http?: { readonly authInfo?: AuthInfo };
}

/** The context with the caller of this request; over stdio there is only one caller. */
function contextOf(context: Context, { http }: RequestContext): Context {
  const caller = http?.authInfo?.extra?.caller as Caller | undefined;
  return caller ? withCaller(context, caller) : context;
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
    try {
      return toAnswer(tool, await callTool(tool, input, contextOf(context, request)));
    } catch (error) {
      return toRefusal(toProblem(error, context));
    }
  });
}

/** A problem as a protocol error, for methods without error results: its message, with code and facts as data. */
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

/** Registers a prompt, with completion for its handle. */
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
