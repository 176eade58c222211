import { json, messageOf, reply, rpcError } from './faults.ts';
import { type Endpoint, startEndpoint } from './mcp-endpoint.ts';

/**
 * What an endpoint says to a message of MCP, by its method: a result, an HTTP status alone, or offers with
 * HTTP 402. A test may change it between two checks.
 */
export type Says = Record<string, object | number>;

/** How a server of 2026-07-28 introduces itself. */
export const introduction = { supportedVersions: ['2026-07-28'], capabilities: {} };

/**
 * A server of 2025-11-25 without a session that says this to POST, at any path. It declares tools, and the
 * capabilities given.
 */
export const startSaying = (
  says: Says,
  capabilities: () => object = () => ({}),
  instructions: () => string | undefined = () => undefined,
): Promise<Endpoint> =>
  startEndpoint((body, { method: verb, url = '' }, response) => {
    const file = says[url];
    if (file) return json(response, file);
    if (verb !== 'POST') return void response.writeHead(404).end();
    const { id, method = '' } = messageOf(body);
    if (id === undefined) return void response.writeHead(202).end();
    const serverInfo = { name: 'said', version: '1.0.0' };
    const introduced = { protocolVersion: '2025-11-25', serverInfo, instructions: instructions() };
    const said =
      method === 'initialize'
        ? { ...introduced, capabilities: { tools: {}, ...capabilities() } }
        : says[method];
    if (typeof said === 'number') return void response.writeHead(said).end();
    if (said && 'accepts' in said)
      return json(response, { x402Version: 2, error: 'pay', resource: { url: 'x' }, ...said }, 402);
    json(response, said ? reply(body, said) : rpcError(body, -32601, 'Method not found'));
  });
