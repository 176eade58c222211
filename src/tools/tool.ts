import type { z } from 'zod';
import type { Context } from '../context.ts';
import { findSecret } from '../evidence/claim/capability.ts';
import type { Limit } from '../limits/limit.ts';
import { takeNetworkLimits } from '../limits/shared.ts';
import { toolCalls } from '../observability/events.ts';
import { Problem, toProblem } from '../problem.ts';
import type { ChangedHandles } from '../store/store.ts';

/** What a tool does to the world, all four said explicitly (MCP ToolAnnotations). */
export interface ToolEffects {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Reads our own store and changes nothing. */
export const readsOnly: ToolEffects = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Where the card is that hosts of MCP Apps show for an answer (resources/card.ts). */
export const cardAddress = 'ui://dossier/card';

/**
 * One operation of the service, defined once: every face (MCP, REST, llms.txt, OpenAPI, the reference page)
 * is a loop over these. The description says when to use it, when not, and what the answer is not.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effects: ToolEffects;
  readonly input: Input;
  readonly output: Output;
  /** An input that works, for the documents and the tests. */
  readonly example: z.input<Input>;
  /** What its well-formed calls count against for each network, besides the face's own limit; the same on every face. */
  readonly networkLimits?: readonly Limit[];
  /** What `run` takes itself, for whom only it knows (limits/shared.ts); named here for settings and documents. */
  readonly ownLimits?: readonly Limit[];
  /** Address of the card that hosts of MCP Apps show for its answers. */
  readonly card?: typeof cardAddress;
  /**
   * The handles whose change makes an answer to this input stale, 'all' where any listing's may. Only for tools whose
   * answer follows from the input and the stored listings alone, whoever calls; without it answers are never cached.
   */
  cacheTags?(input: z.input<Input>): ChangedHandles;
  /** The rule. Answers data or throws a Problem. */
  run(input: z.output<Input>, context: Context): Promise<z.input<Output>>;
}

/** Keeps the types of a definition together; adds nothing. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> => tool;

/** What is wrong with an input, field by field. */
export function invalidInput(error: z.ZodError): Problem {
  const fields = error.issues.slice(0, 10).map((issue) => ({
    field:
      issue.path.join('.') ||
      (issue.code === 'unrecognized_keys' ? issue.keys.join(', ').slice(0, 100) : '(input)'),
    message: issue.message,
  }));
  const detail = `${fields.map(({ field, message }) => `${field}: ${message}`).join('; ')}.`;
  return new Problem('invalid_input', { fields, detail });
}

/**
 * Runs one tool for one caller: the single door behind every face. Throws only Problem: an input that holds a
 * capability is refused before it is read, an unknown exception is logged and becomes `internal`.
 */
export async function callTool(
  tool: Tool,
  input: unknown,
  context: Context,
): Promise<Record<string, unknown>> {
  try {
    if (findSecret(input)) throw new Problem('secret_in_body');
    const parsed = tool.input.safeParse(input ?? {});
    if (!parsed.success) throw invalidInput(parsed.error);
    await takeNetworkLimits(context, tool.networkLimits ?? []);
    const answer = await tool.run(parsed.data, context);
    toolCalls.publish({ tool: tool.name, outcome: 'ok' });
    return answer;
  } catch (error) {
    const problem = toProblem(error, context);
    toolCalls.publish({ tool: tool.name, outcome: problem.code });
    throw problem;
  }
}
