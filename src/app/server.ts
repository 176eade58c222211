import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Config, toUrlHost } from '../config/config.ts';
import { defaultTimeouts, type Timeouts } from '../config/timeouts.ts';
import type { Context } from '../context.ts';
import { ownMember } from '../core/json.ts';
import { createSearches } from '../limits/searches.ts';
import { compareWithCheckpointFile, openLogSeed } from '../log/checkpoints.ts';
import { createDomainReader } from '../net/domains.ts';
import { createCheckTurns, createRepositoryReader } from '../net/git.ts';
import type { Store } from '../store/store.ts';
import { createLog } from '../telemetry/logger.ts';
import { openStore, type SchemaOpening } from './open.ts';
import { requireUsableSettings } from './usable-settings.ts';

/** Writes nothing, and compares no checkpoint. */
export async function toContext(config: Config, store: Store): Promise<Context> {
  return {
    config,
    store,
    repositories: createRepositoryReader(config.repositoryHosts, undefined, config.dnsServers),
    domains: createDomainReader(config),
    runningChecks: new Map(),
    askedChecks: {},
    checkTurns: createCheckTurns(),
    searches: createSearches(config),
    checkpoints: {},
    log: await createLog(config),
    clock: () => new Date(),
    timeouts: defaultTimeouts,
    caller: { network: 'local' },
    reading: {},
  };
}

/** `store.close()` closes it. Throws ExitError. */
export async function openContext(config: Config, opening?: SchemaOpening): Promise<Context> {
  await requireUsableSettings(config);
  const context = await toContext(config, await openStore(config, opening));
  await compareWithCheckpointFile(context);
  // Otherwise the log would have a new key after a restore from a backup that lacks it.
  if (opening === 'make')
    await openLogSeed(context).catch((err: unknown) => context.log.warn({ err }, 'the log has no key yet'));
  return context;
}

export type Running = Awaited<ReturnType<typeof listen>>;

function createHttpServer({ requestHeaders_ms, request_ms, silence_ms }: Timeouts): Server {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: requestHeaders_ms,
    requestTimeout: request_ms,
    connectionsCheckingInterval: requestHeaders_ms / 10,
    // A stream that has ended costs less for requests without a body.
    optimizeEmptyRequests: true,
  });
  server.maxHeadersCount = 64;
  // Against clients that send a request and never read.
  server.timeout = silence_ms;
  return server;
}

const faults: Readonly<Record<string, readonly [line: string, why: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time. Send it again.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large. Send less.'],
};

/** What Node refuses before there is a request; by itself it sends no body. */
function refuse(socket: Duplex, code: string, answer: ServerResponse | undefined): void {
  const [line, detail] = ownMember(faults, code) ?? [
    '400 Bad Request',
    'This is no well-formed request of HTTP/1.1.',
  ];
  const body = JSON.stringify({ title: line.slice(4), status: Number(line.slice(0, 3)), detail });
  const head = `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n`;
  if (socket.writable && !answer?.headersSent)
    socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  socket.destroy();
}

/** The result closes connections without a complete request that waits for its answer. */
function trackConnections(server: Server): () => void {
  const answers = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket: Socket) => {
    answers.set(socket, undefined);
    socket.once('close', () => answers.delete(socket));
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    answers.set(incoming.socket, outgoing);
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) =>
    refuse(socket, code, answers.get(socket as Socket)),
  );
  return () => {
    for (const [socket, outgoing] of answers)
      if (!outgoing?.req.complete || outgoing.writableFinished) socket.destroy();
  };
}

async function drain(server: Server, closeUnasked: () => void, drain_ms: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  closeUnasked();
  const force = setTimeout(() => server.closeAllConnections(), drain_ms).unref();
  await closed;
  clearTimeout(force);
}

export async function listen(context: Context) {
  // Commands that only open the context do not wait for it.
  const { createApp } = await import('../http/app.ts');
  const { host, port, publicUrl } = context.config;
  const server = createHttpServer(context.timeouts);
  const closeUnasked = trackConnections(server);
  server.listen(port, host);
  await once(server, 'listening');
  const { port: listeningPort } = server.address() as AddressInfo;
  const config = {
    ...context.config,
    port: listeningPort,
    publicUrl: publicUrl.replace(/:0$/, `:${listeningPort}`),
  };
  const served: Context = { ...context, config };
  const app = createApp(served);
  server.on('request', app.toListener());
  const stop = async () => {
    const drained = drain(server, closeUnasked, context.timeouts.drain_ms);
    await app.close();
    await drained;
  };
  const url = `http://${toUrlHost(host)}:${listeningPort}`;
  return { url, context: served, stop };
}
