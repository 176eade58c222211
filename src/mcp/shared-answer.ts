import {
  type InboundModernRoute,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { headersOf, type McpPost, toJson } from './post.ts';
import { toAuthInfo } from './register.ts';
import { toJsonText } from './result.ts';
import { modernRevision, type SharedSession } from './shared-session.ts';

const isGood = (message: object): boolean =>
  'result' in message && (message.result as { isError?: boolean }).isError !== true;

/** The answer of a shared session to one request. */
export async function answerShared(
  session: SharedSession,
  request: JSONRPCRequest,
  { caller, onResult, respond }: McpPost,
): Promise<Response> {
  const message = await session.request(request, toAuthInfo(caller));
  const text = toJsonText(message);
  if (isGood(message)) onResult?.(text);
  return respond(text);
}

const servedRevisions = SUPPORTED_PROTOCOL_VERSIONS.join(', ');

/** The answer to a message of the legacy era, which the SDK would only serve with a session for each client. */
export async function answerLegacy(session: SharedSession, post: McpPost): Promise<Response> {
  const { request, body } = post;
  const message = body as JSONRPCRequest;
  // Without sessions there is no receiver for a notification or a response.
  if (message.method === undefined || message.id === undefined) return new Response(null, { status: 202 });
  const revision = request.headers.get('mcp-protocol-version');
  if (revision && message.method !== 'initialize' && !SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) {
    const error = { code: -32000, message: `Unsupported protocol version; served are ${servedRevisions}` };
    return toJson({ jsonrpc: '2.0', id: message.id, error }, 400);
  }
  return answerShared(session, message, post);
}

/** The modern methods of the shared session, each with the parameter that Mcp-Name repeats. */
const sharedMethods: ReadonlyMap<string, 'name' | 'uri' | undefined> = new Map([
  ['tools/list', undefined],
  ['tools/call', 'name'],
  ['resources/list', undefined],
  ['resources/templates/list', undefined],
  ['resources/read', 'uri'],
  ['prompts/list', undefined],
  ['prompts/get', 'name'],
  ['completion/complete', undefined],
  ['server/discover', undefined],
]);

/** Whether a modern message is a request with nothing to refuse before its method runs. */
export function isSharable(
  { messageKind, message, classification }: InboundModernRoute,
  request: Request,
): boolean {
  const { protocolVersionHeader, mcpMethodHeader, mcpNameHeader } = headersOf(request);
  // The classifier compared these two with the body, but allows them to be absent.
  if (!protocolVersionHeader || !mcpMethodHeader || messageKind !== 'request') return false;
  if (classification.revision !== modernRevision || !sharedMethods.has(message.method)) return false;
  const source = sharedMethods.get(message.method);
  return !source || (mcpNameHeader !== undefined && message.params?.[source] === mcpNameHeader);
}
