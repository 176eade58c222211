import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Running } from './start.ts';

/** A tool as clients get it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  readonly inputSchema?: object;
}

/** What clients of the SDK see of a server. */
export interface Truth {
  readonly protocol: string | undefined;
  readonly tools: readonly ListedTool[];
  readonly instructions: string | undefined;
}

const identity = { name: 'truth', version: '1.0.0' };
const newest = '2026-07-28';

/**
 * What a client of the current line sees that asks for the newest revision first; undefined if the server
 * does not offer that.
 */
async function seenAtNewest(url: URL): Promise<Truth | undefined> {
  const client = new Client(identity, { versionNegotiation: { mode: { pin: newest } } });
  try {
    await client.connect(new StreamableHTTPClientTransport(url));
    const { tools } = await client.listTools();
    return {
      protocol: newest,
      tools: tools as readonly ListedTool[],
      instructions: client.getInstructions(),
    };
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

/** What a client of the older line sees. */
async function seenFirst(url: URL, transport: Running['transport']): Promise<Truth> {
  const client = new ClientV1(identity);
  const spoken = transport === 'sse' ? new SSEClientTransport(url) : new TransportV1(url);
  await client.connect(spoken);
  const tools: ListedTool[] = [];
  for (let cursor: unknown, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await client.request(
      { method: 'tools/list', ...(cursor !== undefined && { params: { cursor } }) },
      ResultSchema,
    );
    tools.push(...(page.tools as ListedTool[]));
    cursor = page.nextCursor;
  }
  const protocol = 'protocolVersion' in spoken ? spoken.protocolVersion : undefined;
  const instructions = client.getInstructions();
  if (spoken instanceof TransportV1) await spoken.terminateSession();
  await client.close();
  return { protocol, tools, instructions };
}

/** What clients see of a server: that of the newest revision where the server speaks it. */
export const readTruth = async ({ url, transport }: Pick<Running, 'url' | 'transport'>): Promise<Truth> =>
  (transport === 'sse' ? undefined : await seenAtNewest(new URL(url))) ?? seenFirst(new URL(url), transport);
