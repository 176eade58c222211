import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { findSecret } from '../core/keys/capability.ts';
import { Problem, toProblem } from '../core/problem.ts';
import { nextTurn } from '../core/turns.ts';
import { type Limit, takeNetworkLimits, toWidestNetwork } from '../limits/limit.ts';
import type { ChangedHandles } from '../store/store.ts';
import { measure } from '../telemetry/metrics.ts';
import { toOwnNames } from './input/fields.ts';
import { invalidInput, plainMessage } from './input/refusals.ts';

export const readsOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const cardAddress = 'ui://dossier/card';

/** All but the depth are checked before parsing. */
export interface BodyBounds {
  readonly bytes: number;
  /** The cost of a body depends more on JSON values than on bytes. */
  readonly values: number;
  readonly depth: number;
}

export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Name extends string = string,
> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  /** In the words of who looks for it: some hosts show models no description before a search. */
  readonly asked?: string;
  /** ToolAnnotations of MCP. */
  readonly effects: Readonly<Record<keyof typeof readsOnly, boolean>>;
  readonly input: Input;
  readonly output: Output;
  readonly example: z.input<Input>;
  /** Set if `run` authenticates the caller. */
  readonly needsCapability?: true;
  /** tools/list shows it to callers with a capability alone; any caller may call it. */
  readonly isListedToHolders?: true;
  /** Of JSON or a form over HTTP (docs/contract.md), if less than 64 KiB. */
  readonly bodyLimit_bytes?: 2048 | 4096 | 8192;
  /** The limit is per network; a call takes `bodyCost` units. */
  readonly largeBody?: BodyBounds & { readonly limit: Limit };
  /** Per network on well-formed calls, besides the adapter's own limit. */
  readonly networkLimits?: readonly Limit[];
  /** Applied by `run`; LIMIT_OVERRIDES can change them by name. */
  readonly ownLimits?: readonly Limit[];
  readonly card?: typeof cardAddress;
  /** Whose change makes a cached answer stale. Only for answers that are the same for all callers. */
  cacheTags?(input: z.input<Input>): ChangedHandles;
  /** For hosts that show models only texts; by default JSON. */
  toText?(answer: z.output<Output>): string;
  run(input: z.output<Input>, context: Context): Promise<z.output<Output>>;
}

export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject, const Name extends string>(
  tool: Tool<Input, Output, Name>,
): Tool<Input, Output, Name> => tool;

export type Bounded = Pick<Tool, 'bodyLimit_bytes' | 'largeBody'>;

export const defaultBody: BodyBounds = { bytes: 65_536, values: 1000, depth: 16 };

export const bodyBoundsOf = ({ bodyLimit_bytes, largeBody }: Bounded): BodyBounds =>
  largeBody ?? { ...defaultBody, bytes: bodyLimit_bytes ?? defaultBody.bytes };

/** One for each 8 KiB or 1,000 values, whichever is more. */
export const bodyCost = (bytes: number, values: number): number =>
  Math.ceil(Math.max(bytes / 8192, values / 1000));

/** Throws secret_in_body before parsing, or invalid_input. */
export function parseInput<Input extends z.ZodObject>(tool: { readonly input: Input }, sent: unknown) {
  if (findSecret(sent)) throw new Problem('secret_in_body');
  const parsed = tool.input.safeParse(toOwnNames(tool, sent ?? {}), { error: plainMessage });
  if (!parsed.success) throw invalidInput(parsed.error, Object.keys(tool.input.shape));
  return parsed.data;
}

/** Its spans are empty without an OpenTelemetry SDK. */
const tracer = trace.getTracer('dossier');

/** Spans are by OpenTelemetry's conventions for MCP, with nothing of the input. Throws as callTool does. */
export function callToolAs<Input extends z.ZodObject, Output extends z.ZodObject, Answer>(
  { name: tool, ...its }: Tool<Input, Output>,
  input: unknown,
  context: Context,
  run: (parsed: z.output<Input>, context: Context) => Promise<Answer>,
): Promise<Answer> {
  const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool };
  return tracer.startActiveSpan(`tools/call ${tool}`, { kind: SpanKind.SERVER, attributes }, async (span) => {
    let outcome = 'ok';
    try {
      // Calls that arrive together would be one piece of work.
      await nextTurn(toWidestNetwork(context.caller.network));
      const parsed = parseInput(its, input);
      if (its.networkLimits) await takeNetworkLimits(context, its.networkLimits);
      return await run(parsed, context);
    } catch (error) {
      const problem = toProblem(error, context);
      outcome = problem.code;
      span.setAttribute('error.type', outcome).setStatus({ code: SpanStatusCode.ERROR });
      throw problem;
    } finally {
      measure('dossier_tool_calls_total', { tool, outcome });
      span.end();
    }
  });
}

/** Throws only Problem; logs an unexpected exception. */
export const callTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
  input: unknown,
  context: Context,
): Promise<z.output<Output>> =>
  callToolAs(tool, input, context, async (parsed, caller) =>
    withWarningFirst(await tool.run(parsed, caller)),
  );

/** Some hosts show a model only the beginning of the JSON. */
const withWarningFirst = <Answer extends object>(answer: Answer): Answer =>
  'untrusted_fields' in answer
    ? Object.assign({ untrusted_fields: answer.untrusted_fields }, answer)
    : answer;

type JsonSchema = Record<string, unknown>;

function toJsonSchema(schema: z.ZodType, change: (part: JsonSchema) => void): JsonSchema {
  const override = ({ jsonSchema }: { jsonSchema: JsonSchema }) => change(jsonSchema);
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override,
    unrepresentable: 'any',
  });
  return json;
}

function withoutWidest(part: JsonSchema): void {
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
}

export const toInputSchema = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, withoutWidest);

/** Callers learn these bounds from errors in plain words, and from openapi.json. */
const unlisted = ['pattern', 'minLength', 'maxLength', 'minItems', 'propertyNames', 'additionalProperties'];

/** `^(commit|url):` serves as an enum. */
const isChoice = (value: unknown) => /^\^\(\w+(?:\|\w+)+\):/.test(String(value));

/** Only the first of several forms: every client pays for reading the list. */
export const toListedInput = (schema: z.ZodType): JsonSchema =>
  toJsonSchema(schema, (part) => {
    withoutWidest(part);
    const [first] = Array.isArray(part.anyOf) ? (part.anyOf as object[]) : [];
    if (first) delete part.anyOf;
    Object.assign(part, first);
    for (const name of unlisted) if (!isChoice(part[name])) delete part[name];
    // An amount, of which one knows where it begins.
    if (part.minimum === 0) for (const name of ['minimum', 'maximum']) delete part[name];
  });

const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern', 'propertyNames'];

/** Without bounds, so that a later version may differ. */
export const toOutputSchema = (schema: z.ZodType): JsonSchema =>
  toJsonSchema(schema, (part) => {
    for (const name of bounds) delete part[name];
    // Words are texts in JSON.
    if (part.type === 'string') delete part.anyOf;
  });
