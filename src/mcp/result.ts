import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Problem } from '../problem.ts';
import type { Tool } from '../tools/tool.ts';

/** The result of a call: the whole answer as structured content and as text, since some hosts show models only one. */
export const toAnswer = (
  { toText = JSON.stringify }: Tool,
  structuredContent: Record<string, unknown>,
): CallToolResult => ({
  content: [{ type: 'text', text: toText(structuredContent) }],
  structuredContent,
});

/** A problem as a result: its sentence as text, with code and facts as structured content. */
export function toRefusal(problem: Problem): CallToolResult {
  const structuredContent = { error: problem.toJSON() };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: true,
  };
}

const hole = '"structuredContent":0';

/** The JSON text of a message. Structured content that is its own text is copied from there, and not written twice. */
export function toJsonText(message: object): string {
  const { result } = message as { result?: CallToolResult };
  const [shown] = result?.content ?? [];
  if (!result?.structuredContent || shown?.type !== 'text' || !shown.text.startsWith('{'))
    return JSON.stringify(message);
  const rest = JSON.stringify({ ...message, result: { ...result, structuredContent: 0 } });
  // This finds the member, not a text that contains the same: there the quotes are escaped.
  const at = rest.indexOf(hole) + hole.length - 1;
  return rest.slice(0, at) + shown.text + rest.slice(at + 1);
}
