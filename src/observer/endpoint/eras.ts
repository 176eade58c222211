/** The newest revision of the era without initialize. */
export const modernRevision = '2026-07-28';
/** The newest revision of the era that begins with initialize. */
export const legacyRevision = '2025-11-25';

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A JSON-RPC request with its headers. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Who asks, as MCP clients introduce themselves. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

const toBody = (message: object) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));

/** A request of revision 2026-07-28: no session, an envelope in `_meta`, headers that repeat it. */
export const modernMessage = (id: number, method: string, params: object, client: ClientInfo): Message => ({
  headers: { ...json, 'mcp-protocol-version': modernRevision, 'mcp-method': method },
  body: toBody({
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernRevision,
        'io.modelcontextprotocol/clientInfo': client,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
});

/** The first request of the era with initialize. */
export const initializeMessage = (id: number, client: ClientInfo): Message => ({
  headers: json,
  body: toBody({
    id,
    method: 'initialize',
    params: { protocolVersion: legacyRevision, capabilities: {}, clientInfo: client },
  }),
});

/** What a session of the legacy era is told by. */
export interface LegacySession {
  readonly revision: string;
  readonly id: string | undefined;
}

const sessionHeaders = ({ revision, id }: LegacySession) => ({
  ...json,
  'mcp-protocol-version': revision,
  ...(id !== undefined && { 'mcp-session-id': id }),
});

/** A later request of a session, or a notification (no id). */
export const legacyMessage = (
  session: LegacySession,
  message: { readonly id?: number; readonly method: string; readonly params?: object },
): Message => ({ headers: sessionHeaders(session), body: toBody(message) });
