import type { CallToolResult } from '@modelcontextprotocol/server';

/** A tool result with the whole answer both as text and as structured content: some hosts show models only one of them. */
export const toResult = (structuredContent: Record<string, unknown>, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
  ...(isError && { isError }),
});

const hole = '"structuredContent":0';

/** The JSON text of a message. Structured content is copied from the text that `toResult` put beside it. */
export function toJsonText(message: object): string {
  const { result } = message as { result?: CallToolResult };
  const [shown] = result?.content ?? [];
  if (!result?.structuredContent || shown?.type !== 'text') return JSON.stringify(message);
  const rest = JSON.stringify({ ...message, result: { ...result, structuredContent: 0 } });
  // This finds the member, not a text that contains the same: there the quotes are escaped.
  const at = rest.indexOf(hole) + hole.length - 1;
  return rest.slice(0, at) + shown.text + rest.slice(at + 1);
}
