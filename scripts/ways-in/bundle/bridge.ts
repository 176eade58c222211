import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

// What the bundle starts: passes messages between the client that started it and the Dossier of its argument.
const near = new StdioServerTransport();
const far = new StreamableHTTPClientTransport(new URL('/api/mcp', process.argv[2]));

near.onmessage = (message) => {
  far.send(message).catch((error: unknown) => {
    const answer = { code: -32000, message: `The Dossier gives no answer: ${String(error)}` };
    if ('id' in message && 'method' in message && message.id !== undefined)
      void near.send({ jsonrpc: '2.0', id: message.id, error: answer });
  });
};
far.onmessage = (message) => {
  // From then on each request names the revision that was agreed on.
  if ('result' in message && typeof message.result.protocolVersion === 'string')
    far.setProtocolVersion(message.result.protocolVersion);
  void near.send(message);
};
near.onclose = () => void far.close();
await far.start();
await near.start();
