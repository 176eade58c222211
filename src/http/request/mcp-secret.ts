import { findSecret } from '../../evidence/claim/capability.ts';
import { Problem } from '../../problem.ts';

/** Headers of the protocol whose values refusals repeat. */
const repeated = ['mcp-method', 'mcp-name', 'mcp-protocol-version'] as const;
/** Every message with a capability matches this: the prefix, or an escape that may be part of it. */
const suspicious = /dossier_cap_|\\u/;

/** The message without the arguments of a tool call: there the tool refuses a capability, in a result that models read. */
function outsideArguments(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: object };
  if (method !== 'tools/call') return message;
  return { ...(message as object), params: { ...params, arguments: undefined } };
}

/**
 * Refuses a message with a capability where answers and errors would repeat it: in ids, method and tool names, URIs,
 * prompt arguments or protocol headers. Throws secret_in_body.
 */
export function refuseStraySecret(headers: Pick<Headers, 'get'>, text: string, message: unknown): void {
  const isStray =
    repeated.some((name) => findSecret(headers.get(name) ?? '')) ||
    (suspicious.test(text) && findSecret(outsideArguments(message)));
  if (isStray) throw new Problem('secret_in_body');
}
