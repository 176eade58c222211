import { z } from 'zod';
import type { Context } from '../context.ts';
import { findSecret } from '../core/keys/capability.ts';
import { Problem, toProblem } from '../core/problem.ts';
import type { Limit } from '../limits/limit.ts';
import { takeNetworkLimits } from '../limits/shared.ts';
import type { ChangedHandles } from '../store/store.ts';
import { measure } from '../telemetry/events.ts';
import { traceToolCall } from '../telemetry/traces.ts';
import { toOwnNames } from './input/aliases.ts';
import { invalidInput, plainMessage } from './input/refusals.ts';

/** Effects of a tool that only reads our own store. */
export const readsOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** URI of the card that hosts of MCP Apps show beside an answer (resources/listing.ts). */
export const cardAddress = 'ui://dossier/card';

/** Bounds of a body, all checked before it is parsed but for the depth. */
export interface BodyBounds {
  readonly bytes: number;
  /** Values of JSON: what a body costs depends on them more than on its bytes. */
  readonly values: number;
  /** How deep JSON may be nested. */
  readonly depth: number;
}

/**
 * Larger bounds, of calls that each network may make in a limit of their own: a call costs as many as
 * `bodyCost` says.
 */
interface LargeBody extends BodyBounds {
  readonly limit: Limit;
}

/**
 * One operation of the service, defined once: every face (MCP, REST, llms.txt, OpenAPI, the reference page)
 * loops over the list in tools/index.ts. `Tool` without type arguments is any tool.
 */
export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Name extends string = string,
> {
  readonly name: Name;
  readonly title: string;
  /** When to use it, when not to, and what the answer is not. */
  readonly description: string;
  /** What it does to the world (MCP ToolAnnotations); all four hints are always given. */
  readonly effects: Readonly<Record<keyof typeof readsOnly, boolean>>;
  readonly input: Input;
  readonly output: Output;
  readonly example: z.input<Input>;
  /** Set where `run` authenticates the caller: documents then name the capability header. */
  readonly needsCapability?: true;
  /** Whom tools/list shows the tool, where that is not every caller; anyone may call it. */
  readonly listedTo?: 'holders of a capability' | 'nobody';
  /** The largest JSON or form body over HTTP (docs/contract.md) where that is less than 64 KiB. */
  readonly bodyLimit_bytes?: 2048 | 4096 | 8192;
  /** What a body over HTTP may be where that is more than for other tools. */
  readonly largeBody?: LargeBody;
  /** Limits per network on well-formed calls, on every face, in addition to the face's own limit. */
  readonly networkLimits?: readonly Limit[];
  /**
   * Limits that `run` itself takes (limits/shared.ts), for keys only it knows; listed here for settings and
   * documents.
   */
  readonly ownLimits?: readonly Limit[];
  /** Set where hosts of MCP Apps show a card for the answer. */
  readonly card?: typeof cardAddress;
  /**
   * The handles whose change makes a cached answer stale, 'all' if any listing's may. Only for tools whose
   * answer follows from the input and the stored listings alone, the same for all callers; if absent, answers
   * are never cached.
   */
  cacheTags?(input: z.input<Input>): ChangedHandles;
  /**
   * The answer as Markdown with the same facts, for hosts that show models only texts; its JSON if absent.
   */
  toText?(answer: z.output<Output>): string;
  run(input: z.output<Input>, context: Context): Promise<z.output<Output>>;
}

/** Infers the types of a definition; returns it unchanged. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject, const Name extends string>(
  tool: Tool<Input, Output, Name>,
): Tool<Input, Output, Name> => tool;

/** A tool, or anything else with a body, as far as its body is concerned. */
export type Bounded = Pick<Tool, 'bodyLimit_bytes' | 'largeBody'>;

/** The bounds of every body for which no tool says otherwise. */
export const defaultBody: BodyBounds = { bytes: 65_536, values: 1000, depth: 16 };

export const bodyBoundsOf = ({ bodyLimit_bytes, largeBody }: Bounded): BodyBounds =>
  largeBody ?? { ...defaultBody, bytes: bodyLimit_bytes ?? defaultBody.bytes };

/** How many calls a body counts for in the limit of large bodies: one for each 8 KiB or 1,000 values. */
export const bodyCost = (bytes: number, values: number): number =>
  Math.ceil(Math.max(bytes / 8192, values / 1000));

/** What a caller sent, as the schema of a tool reads it. Throws invalid_input, or secret_in_body unread. */
export function parseInput<Input extends z.ZodObject>(
  tool: { readonly input: Input },
  sent: unknown,
): z.output<Input> {
  if (findSecret(sent)) throw new Problem('secret_in_body');
  const parsed = tool.input.safeParse(toOwnNames(tool, sent ?? {}), { error: plainMessage });
  if (!parsed.success) throw invalidInput(parsed.error, Object.keys(tool.input.shape));
  return parsed.data;
}

/**
 * Does for a call of a tool what callTool does, and answers with what `run` makes of its input: more than the
 * tool's answer has.
 */
export async function callToolAs<Input extends z.ZodObject, Output extends z.ZodObject, Answer>(
  tool: Tool<Input, Output>,
  input: unknown,
  context: Context,
  run: (parsed: z.output<Input>, context: Context) => Promise<Answer>,
): Promise<Answer> {
  const runChecked = async () => {
    const parsed = parseInput(tool, input);
    await takeNetworkLimits(context, tool.networkLimits ?? []);
    return run(parsed, context);
  };
  const toPublished = (error: unknown) => {
    throw toProblem(error, context);
  };
  try {
    const answer = await traceToolCall(
      tool.name,
      () => runChecked().catch(toPublished),
      (error) => (error as Problem).code,
    );
    measure('dossier_tool_calls_total', { tool: tool.name, outcome: 'ok' });
    return answer;
  } catch (error) {
    measure('dossier_tool_calls_total', { tool: tool.name, outcome: (error as Problem).code });
    throw error;
  }
}

/**
 * Runs a tool for the caller in the context; every face calls tools through this. Throws only Problem: an
 * input that contains a capability is refused unread, an unexpected exception is logged and becomes
 * `internal`.
 */
export const callTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
  input: unknown,
  context: Context,
): Promise<z.output<Output>> =>
  callToolAs(tool, input, context, async (parsed, caller) =>
    withWarningFirst(await tool.run(parsed, caller)),
  );

/**
 * An answer with the names of what others wrote before that: some hosts show a model the beginning of the
 * JSON alone.
 */
const withWarningFirst = <Answer extends object>(answer: Answer): Answer =>
  'untrusted_fields' in answer
    ? Object.assign({ untrusted_fields: answer.untrusted_fields }, answer)
    : answer;

type JsonSchema = Record<string, unknown>;

/** JSON Schema without its dialect, each of its parts changed in place. */
function toJsonSchema(schema: z.ZodType, change: (part: JsonSchema) => void): JsonSchema {
  const override = ({ jsonSchema }: { jsonSchema: JsonSchema }) => change(jsonSchema);
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override,
    unrepresentable: 'any',
  });
  return json;
}

/**
 * JSON Schema of a tool's input, without bounds that only mean "a safe integer": 56 bytes each in every
 * tools/list.
 */
export const toInputSchema = (schema: z.ZodType): JsonSchema =>
  toJsonSchema(schema, (part) => {
    if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
    if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
  });

const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern', 'propertyNames'];

/** JSON Schema of a tool's answer, without bounds and patterns, and open to members added later. */
export const toOutputSchema = (schema: z.ZodType): JsonSchema =>
  toJsonSchema(schema, (part) => {
    for (const name of bounds) delete part[name];
    // Of words (core/words.ts), JSON has the text.
    if (part.type === 'string') delete part.anyOf;
  });
