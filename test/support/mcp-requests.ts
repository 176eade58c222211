/** Headers and body of one message, as a client of an era sends them. */
export interface Message {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A request of the era that begins with initialize. */
export const legacy = (method: string, params: object = {}, id: unknown = 1): Message => ({
  headers: json,
  body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
});

/** A request of 2026-07-28, with its envelope and the headers that repeat it. */
export function modern(method: string, params: object = {}): Message {
  const { name, uri, _meta } = params as { name?: string; uri?: string; _meta?: object };
  const named = name ?? uri;
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    headers: {
      ...json,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(named !== undefined && { 'mcp-name': named }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: { ...envelope, ..._meta } },
    }),
  };
}

/** A call of get_agent. */
export const getAgent = { name: 'get_agent', arguments: { handle: 'co.webhook/webhook' } };
