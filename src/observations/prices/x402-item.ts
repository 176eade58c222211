import { asMembers, type JsonObject } from '../../core/json.ts';

/** The most characters of a name, as in `tools.surface`. */
const longestTool = 200;

export const toToolName = (name: unknown): string | undefined =>
  typeof name === 'string' && name.trim() !== '' ? name.slice(0, longestTool) : undefined;

/** `input.tool` in the Bazaar, `input.toolName` in the packages of x402, or the name beside the address. */
export function toolOf(item: JsonObject): string | undefined {
  const { info } = asMembers(asMembers(item.extensions).bazaar);
  const inputs = [item, asMembers(info).input, asMembers(item.discoveryInfo).input].map(asMembers);
  const named = inputs.map(({ toolName, tool }) => toToolName(toolName) ?? toToolName(tool));
  return named.find((name) => name !== undefined);
}
