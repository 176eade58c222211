interface Message {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

/** What a server with one tool answers to a JSON-RPC message; undefined to a notification. */
export function answer(text: string): string | undefined {
  const { id, method, params } = JSON.parse(text) as Message;
  if (id === undefined) return undefined;
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'stub', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }] },
  };
  return JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} });
}
