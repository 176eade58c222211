import { asMembers, type JsonObject } from '../../core/json.ts';

/** The most characters of a name, as in `tools.surface`. */
const longestTool = 200;

export const toToolName = (name: unknown): string | undefined =>
  typeof name === 'string' && name.trim() !== '' ? name.slice(0, longestTool) : undefined;

/**
 * The MCP tool that an x402 item is about. In the specification of the Bazaar, the name is `input.tool` of
 * the extension. The packages of x402 write `input.toolName`, and some items have the name beside the
 * address.
 */
export function toolOf(item: JsonObject): string | undefined {
  const { info } = asMembers(asMembers(item.extensions).bazaar);
  const inputs = [item, asMembers(info).input, asMembers(item.discoveryInfo).input].map(asMembers);
  const named = inputs.map(({ toolName, tool }) => toToolName(toolName) ?? toToolName(tool));
  return named.find((name) => name !== undefined);
}
