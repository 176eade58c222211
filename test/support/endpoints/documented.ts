import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Endpoint } from './mcp-endpoint.ts';
import { startFetchServer } from './paid-endpoint.ts';

/** What a host has beside its MCP server: JSON by its path, which may change between two looks. */
export type Documents = Record<string, unknown>;

/**
 * A real MCP server at /mcp, version 1.0.0, with these tools, whose host has documents; a text is sent as a
 * page.
 */
export function startDocumented(tools: readonly string[], documents: () => Documents): Promise<Endpoint> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'documented', version: '1.0.0' });
      for (const name of tools)
        server.registerTool(name, { description: name, inputSchema: z.object({}) }, () => ({ content: [] }));
      return server;
    },
    { legacy: 'reject' },
  );
  return startFetchServer((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/mcp') return handler.fetch(request);
    const found = Object.entries(documents()).find(([path]) => path === pathname)?.[1];
    if (typeof found === 'string') return new Response(found, { headers: { 'content-type': 'text/html' } });
    return found === undefined ? new Response('', { status: 404 }) : Response.json(found);
  });
}

/**
 * Puts a server in front of another one. It answers by itself if `answer` returns a response for a path, and
 * passes all other requests on.
 */
export async function startInFront(
  inner: Endpoint,
  answer: (path: string) => Response | undefined,
): Promise<Endpoint> {
  const outer = await startFetchServer(async ({ url, method, headers, body }) => {
    const { pathname } = new URL(url);
    const own = answer(pathname);
    if (own) return own;
    return fetch(`${inner.url}${pathname}`, { method, headers, body, duplex: 'half' } as RequestInit);
  });
  return {
    ...outer,
    async close() {
      await outer.close();
      await inner.close();
    },
  };
}
