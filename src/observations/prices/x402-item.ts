import { asMembers, type JsonObject } from '../../core/json.ts';

/** The longest name of a tool, as `tools.surface` has it. */
const longestTool = 200;

/** A name of a tool as it is kept: at most 200 characters; undefined for anything else than a text. */
export const toToolName = (name: unknown): string | undefined =>
  typeof name === 'string' && name.trim() !== '' ? name.slice(0, longestTool) : undefined;

/**
 * The tool of MCP that an item of x402 is about; undefined for any other. The specification of the Bazaar has
 * it as `input.tool` of the extension, the packages as `input.toolName`; some write it beside the address.
 */
export function toolOf(item: JsonObject): string | undefined {
  const { info } = asMembers(asMembers(item.extensions).bazaar);
  const inputs = [item, asMembers(info).input, asMembers(item.discoveryInfo).input].map(asMembers);
  const named = inputs.map(({ toolName, tool }) => toToolName(toolName) ?? toToolName(tool));
  return named.find((name) => name !== undefined);
}
