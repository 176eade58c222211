import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { App } from '../../src/http/app.ts';

/** A result of a tool as every client gives it. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

/** What tests need of a client of either SDK line. */
export interface AnyClient {
  tools(): Promise<{ name: string; description?: string; inputSchema: object; annotations?: object }[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  read(uri: string): Promise<{ uri: string; mimeType?: string; text?: string }[]>;
  resources(): Promise<string[]>;
  templates(): Promise<string[]>;
  prompts(): Promise<string[]>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  complete(
    ref: object,
    argument: { name: string; value: string },
    filled?: Record<string, string>,
  ): Promise<string[]>;
  capabilities(): object | undefined;
  instructions(): string | undefined;
  close(): Promise<void>;
}

/** Where a client goes: through the app's fetch in this process, or over a socket. */
export type Door = { readonly app: App } | { readonly url: string };

const identity = { name: 'dossier-test', version: '1.0.0' };

function transportOptions(door: Door, headers: Record<string, string>) {
  const fetch = async (input: string | URL | Request, init?: RequestInit) =>
    'app' in door ? door.app.request(new Request(input, init)) : globalThis.fetch(input, init);
  return { fetch, requestInit: { headers } };
}

const address = (door: Door) => new URL('/api/mcp', 'url' in door ? door.url : 'http://127.0.0.1:3000');

// The two generations share the methods below and their shapes, though not their types.
function toAny(client: Client): AnyClient {
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as ToolResult,
    read: async (uri) => (await client.readResource({ uri })).contents as { uri: string; text?: string }[],
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) =>
      JSON.stringify((await client.getPrompt({ name, arguments: args })).messages),
    complete: async (ref, argument, filled) =>
      (
        await client.complete({
          ref: ref as { type: 'ref/prompt'; name: string },
          argument,
          ...(filled && { context: { arguments: filled } }),
        })
      ).completion.values,
    capabilities: () => client.getServerCapabilities(),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/**
 * The kinds of client that hosts carry: the maintenance line, the current one, and that at its newest
 * revision.
 */
export const clientKinds = ['v1', 'v2', 'v2 at 2026-07-28'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** A connected client of a kind. */
export async function connect(
  kind: ClientKind,
  door: Door,
  headers: Record<string, string> = {},
): Promise<AnyClient> {
  const options = transportOptions(door, headers);
  if (kind === 'v1') {
    const client = new ClientV1(identity);
    await client.connect(new TransportV1(address(door), options));
    return toAny(client as unknown as Client);
  }
  const mode = kind === 'v2' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client(identity, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(address(door), options));
  return toAny(client);
}
