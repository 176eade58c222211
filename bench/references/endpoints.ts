import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Tools of one endpoint; those of the paths that were changed have one more. */
const tools = Array.from({ length: 8 }, (_, at) => ({
  name: `tool_${at}`,
  description: 'When to use it, when not, and what the answer is not. '.repeat(4),
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}));
const extra = { ...tools[0], name: 'tool_new' };
const changed = new Set<string>();

const send = (response: ServerResponse, status: number, body = '') =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);

function answer(body: string, path: string): string {
  const { id, method } = JSON.parse(body) as { id: number; method: string };
  const listed = changed.has(path) ? [...tools, extra] : tools;
  const result = method === 'tools/list' ? { tools: listed } : { capabilities: { tools: {} } };
  return JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
}

// Usage: node bench/references/endpoints.ts. One server of 2026-07-28 at every path under /mcp; PUT of a path
// adds a tool there. It answers as fast as it can, so that the observer is what is measured.
const server = createServer(async (request, response) => {
  const path = request.url ?? '/';
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method === 'PUT') {
    changed.add(path);
    return void send(response, 204);
  }
  if (request.method !== 'POST' || !path.startsWith('/mcp')) return void send(response, 404);
  send(response, 200, answer(Buffer.concat(chunks).toString('utf8'), path));
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
