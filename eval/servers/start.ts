import { behindSdk } from './bridge.ts';
import { commandOf, freePort, listenOn, versionOf } from './programs.ts';
import type { Front, Server } from './servers.ts';

/** A server that runs: where it is reached, and in which transport. */
export interface Running {
  readonly server: Server;
  readonly version: string;
  readonly url: string;
  readonly transport: 'streamable-http' | 'sse';
  /** The methods that it was asked for, where the bridge is ours. */
  readonly methods?: () => string[];
  close(): Promise<void>;
}

const fronts: Readonly<
  Partial<Record<Front, { readonly package: string; args(port: string): string[]; readonly path: string }>>
> = {
  'mcp-proxy': {
    package: 'mcp-proxy',
    args: (port) => ['--host', '127.0.0.1', '--port', port, '--server', 'stream', '--'],
    path: '/mcp',
  },
  'mcp-proxy, older era': {
    package: 'mcp-proxy',
    args: (port) => ['--host', '127.0.0.1', '--port', port, '--server', 'stream', '--no-modern', '--'],
    path: '/mcp',
  },
  'mcp-proxy, sse': {
    package: 'mcp-proxy',
    args: (port) => ['--host', '127.0.0.1', '--port', port, '--server', 'sse', '--'],
    path: '/sse',
  },
  supergateway: {
    package: 'supergateway',
    args: (port) => ['--port', port, '--outputTransport', 'streamableHttp', '--stdio'],
    path: '/mcp',
  },
  'supergateway, sessions': {
    package: 'supergateway',
    args: (port) => ['--port', port, '--outputTransport', 'streamableHttp', '--stateful', '--stdio'],
    path: '/mcp',
  },
  'supergateway, sse': {
    package: 'supergateway',
    args: (port) => ['--port', port, '--outputTransport', 'sse', '--stdio'],
    path: '/sse',
  },
};

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

/** Starts a server, or the earlier version of it, at an address of loopback. Throws if it does not start. */
export async function start(server: Server, name = server.package): Promise<Running> {
  const { args = [], environment = {}, front, path = '/mcp', ...named } = server;
  const port = await freePort();
  const command = commandOf({
    ...named,
    package: name,
    args: typeof args === 'function' ? args(port) : args,
    environment: typeof environment === 'function' ? environment(port) : environment,
  });
  const version = versionOf(name);
  const at = (reached: string) => ({
    // Some servers take requests to this name only.
    server,
    version,
    url: `http://localhost:${port}${reached}`,
    transport: reached === '/sse' ? ('sse' as const) : ('streamable-http' as const),
  });
  if (front === 'itself') return { ...at(path), close: await listenOn(port, command) };
  if (front === 'sdk 1' || front === 'sdk 2') {
    const { endpoint, close } = await behindSdk(command, front);
    const methods = () => endpoint.methods();
    return { ...at('/mcp'), url: `${endpoint.url}/mcp`, methods, close };
  }
  const bridge = fronts[front];
  if (!bridge) throw new Error(`there is no ${front}`);
  const words = [command.command, ...command.args];
  const bridged = commandOf({
    package: bridge.package,
    args: [...bridge.args(String(port)), ...(bridge.package === 'supergateway' ? [quoted(words)] : words)],
    environment: command.env,
  });
  return { ...at(bridge.path), close: await listenOn(port, bridged) };
}
