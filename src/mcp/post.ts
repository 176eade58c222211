import type { Caller } from '../context.ts';

/** One POST with its parsed body, never a batch. */
export interface McpPost {
  readonly request: Request;
  readonly body: unknown;
  readonly caller: Caller;
  /** Gets the JSON text of the answer, if that is a result without isError. */
  readonly onResult?: ((text: string) => void) | undefined;
  /** Makes the response of an answer that is not a stream. */
  readonly respond: (text: string) => Response;
}

/** The protocol's headers as the SDK's classifier takes them. */
export const headersOf = ({ headers }: Request) => ({
  protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
  mcpMethodHeader: headers.get('mcp-method') ?? undefined,
  mcpNameHeader: headers.get('mcp-name') ?? undefined,
});

/** A JSON response. */
export const toJson = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } });
