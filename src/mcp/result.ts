import type { CallToolResult } from '@modelcontextprotocol/server';

const texts = new WeakMap<object, string>();

/** The JSON of an answer, made once where it is frozen: such a one is kept by whoever made it and given again. */
function toText(answer: Record<string, unknown>): string {
  if (!Object.isFrozen(answer)) return JSON.stringify(answer);
  const text = texts.get(answer) ?? JSON.stringify(answer);
  texts.set(answer, text);
  return text;
}

/** A result where the full answer stands in both places: some hosts show the model only one of them. */
export const toResult = (structuredContent: Record<string, unknown>, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text: toText(structuredContent) }],
  structuredContent,
  ...(isError && { isError }),
});

const hole = '"structuredContent":0';

/** The JSON of an answer whose result, where it has structured content, is one of `toResult`: its text is not made twice. */
export function toJsonText(message: object): string {
  const { result } = message as { result?: CallToolResult };
  const [shown] = result?.content ?? [];
  if (!result?.structuredContent || shown?.type !== 'text') return JSON.stringify(message);
  const rest = JSON.stringify({ ...message, result: { ...result, structuredContent: 0 } });
  // Inside a text its quotes would be escaped.
  const at = rest.indexOf(hole) + hole.length - 1;
  return rest.slice(0, at) + shown.text + rest.slice(at + 1);
}
