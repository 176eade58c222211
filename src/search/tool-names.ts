/** As Claude Code names a tool: `mcp__SERVER__TOOL`, or `mcp__plugin_PLUGIN_SERVER__TOOL`. */
const clientForm = /(?<![\w-])mcp__(?:plugin_)?(?<server>[\w-]+?)__(?<tool>[\w-]+)/g;

/** Other words are of names and descriptions. */
const toolForm = /^[A-Za-z](?=.{2,99}$)[\w.-]*(?:_|[a-z](?=[A-Z]))[\w.-]*$/;
const mostNames = 5;

/** As clients may change it; lists of names are compared in this form. */
export const foldToolName = (name: string): string => name.toLowerCase();

/** `text` has the name of the server in place of a client's form; `tools` are folded. */
export function readToolNames(asked: string): { readonly text: string; readonly tools: readonly string[] } {
  const ofClient = [...asked.matchAll(clientForm)].map(({ groups }) => groups?.tool ?? '');
  const text = asked.replace(clientForm, (_, server: string) => server.replaceAll('_', ' '));
  const words = text.split(/[\s"“”`'(),:;]+/).filter((word) => toolForm.test(word));
  const tools = new Set([...ofClient, ...words].map(foldToolName));
  return { text, tools: [...tools].slice(0, mostNames) };
}

const oneTool = /^(?:mcp__(?:plugin_)?[\w-]+?__)?(?<tool>[a-z](?=\w*[-_]|\w*[a-z](?=[A-Z]))[\w-]{2,98})$/;

/** What a tool can be called; `isSure` if packages seldom are. */
export function readOneTool(asked: string): { readonly name: string; readonly isSure: boolean } | undefined {
  const { tool } = oneTool.exec(asked)?.groups ?? {};
  return tool === undefined ? undefined : { name: tool, isSure: asked !== tool || toolForm.test(tool) };
}
