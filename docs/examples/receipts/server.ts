/**
 * A service that gives its callers receipts: an MCP server at /mcp and a plain HTTP endpoint at /quote.
 * The claim file of its listing holds the line that this program prints at its start.
 */
import { serve } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createReceiptKey, createReceipts } from 'dossier/receipt';
import { z } from 'zod';

const handle = process.env.HANDLE ?? 'com.example/quotes';
const kid = '2026-11';
// A real service makes its key once and keeps it in its secrets.
const { key, line } = await createReceiptKey(kid);
const receipts = createReceipts({ handle, kid, key });

const quoteOf = (symbol: string) => ({ symbol, price: `${symbol.length}.00` });

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: 'quotes', version: '1.0.0' });
  server.registerTool(
    'get_quote',
    { description: 'The price of a symbol', inputSchema: z.object({ symbol: z.string() }) },
    receipts.tool(async ({ symbol }) => ({
      content: [{ type: 'text', text: JSON.stringify(quoteOf(symbol)) }],
    })),
  );
  return server;
});

const quote = receipts.fetch(async (request) =>
  Response.json(quoteOf(new URL(request.url).searchParams.get('symbol') ?? '')),
);

serve(
  {
    port: Number(process.env.PORT ?? 0),
    hostname: '127.0.0.1',
    fetch: (request) => (new URL(request.url).pathname === '/mcp' ? mcp.fetch(request) : quote(request)),
  },
  ({ port }) => console.log(`${line}\nlistening on http://127.0.0.1:${port}`),
);
