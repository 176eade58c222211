import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Endpoint, startEndpoint } from '../../test/support/endpoints/mcp-endpoint.ts';

/** A request that came to the proxy, with its body and what `pass` needs. */
export interface Exchange {
  readonly body: string;
  /** The method of its message; empty for other requests. */
  readonly method: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a proxy does with a request: `pass` sends it on; `change` gets the whole body of the answer. */
export type Conduct = (exchange: Exchange, pass: (change?: (text: string) => string) => void) => void;

export interface FaultyProxy extends Pick<Endpoint, 'url' | 'close'> {
  /** Whom it stands in front of, as `http://localhost:1234`. */
  target: string;
  conduct: Conduct;
}

const methodOf = (body: string): string => {
  try {
    return String((JSON.parse(body) as { method?: unknown }).method ?? '');
  } catch {
    return '';
  }
};

function send({ body, request, response }: Exchange, target: string, change?: (text: string) => string) {
  const { hostname, port } = new URL(target);
  const headers = { ...request.headers, host: `${hostname}:${port}` };
  const sent = forward({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
    const { statusCode = 502 } = answer;
    if (!change) {
      response.writeHead(statusCode, answer.headers);
      return void answer.pipe(response);
    }
    const pieces: Buffer[] = [];
    answer.on('data', (piece: Buffer) => pieces.push(piece));
    answer.on('end', () => {
      const text = change(Buffer.concat(pieces).toString('utf8'));
      const { 'content-length': _, 'transfer-encoding': __, ...others } = answer.headers;
      response.writeHead(statusCode, others).end(text);
    });
  });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  sent.end(body);
}

/** Starts a reverse proxy on loopback, which sends everything on until it is told otherwise. */
export async function startProxy(target: string): Promise<FaultyProxy> {
  const endpoint = await startEndpoint((body, request, response) => {
    const exchange = { body, method: methodOf(body), request, response };
    proxy.conduct(exchange, (change) => send(exchange, proxy.target, change));
  });
  const proxy: FaultyProxy = {
    url: endpoint.url,
    close: endpoint.close,
    target,
    conduct: (_, pass) => pass(),
  };
  return proxy;
}

const isRobots = ({ request }: Exchange) => request.url === '/robots.txt';

/** Answers everything but robots.txt in this way. */
const always =
  (status: number, headers: Record<string, string> = {}, body = ''): Conduct =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body);

const onlyFor =
  (isMeant: (exchange: Exchange) => boolean, conduct: Conduct): Conduct =>
  (exchange, pass) =>
    isMeant(exchange) ? conduct(exchange, pass) : pass();

const beside = (conduct: Conduct) => onlyFor((exchange) => !isRobots(exchange), conduct);

const html = { 'content-type': 'text/html; charset=utf-8' };
const challengePage =
  '<!doctype html><title>Just a moment...</title>Enable JavaScript and cookies to continue';
const json = { 'content-type': 'application/json' };

const drop: Conduct = ({ response }) => void response.destroy();

/** Sends half of the answer. */
const half: Conduct = ({ response }) => {
  response
    .writeHead(200, { ...json, 'content-length': '4000' })
    .write('{"jsonrpc":"2.0","id":1,"result":{"to');
  setTimeout(() => response.destroy(), 20);
};

const idOf = (body: string) => (JSON.parse(body) as { id?: unknown }).id;

/** Sends the first two tools of the list, and fails at the next page. */
const cutList: Conduct = ({ body, response }, pass) => {
  const { params } = JSON.parse(body) as { params?: { cursor?: string } };
  if (params?.cursor !== undefined) return void response.writeHead(502).end();
  pass((text) => {
    const begun = text.indexOf('{"');
    const message = JSON.parse(text.slice(begun).split('\n')[0] ?? '') as {
      result: { tools: unknown[]; nextCursor?: string };
    };
    message.result = { ...message.result, tools: message.result.tools.slice(0, 2), nextCursor: 'two' };
    return `${text.slice(0, begun)}${JSON.stringify(message)}\n\n`;
  });
};

const sessionLost: Conduct = ({ body, response }) =>
  void response.writeHead(404, json).end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: idOf(body),
      error: { code: -32001, message: 'Session not found' },
    }),
  );

const unknownMethod: Conduct = ({ body, response }) =>
  void response.writeHead(200, json).end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: idOf(body),
      error: { code: -32601, message: 'Method not found' },
    }),
  );

const sessionTaken: Conduct = ({ body, response }) =>
  void response.writeHead(400, json).end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: idOf(body),
      error: { code: -32600, message: 'Invalid Request: Server already initialized' },
    }),
  );

/** The faults that a proxy plays, by name. */
export const conducts = {
  passes: (_, pass) => pass(),
  '429': beside(always(429)),
  '429 for a day': beside(always(429, { 'retry-after': '86400' })),
  '503': beside(always(503)),
  '502 as a page': beside(always(502, html, '<!doctype html><h1>502 Bad Gateway</h1>')),
  '404': beside(always(404)),
  resets: beside(drop),
  'resets in the body': beside(half),
  'accepts and is silent': beside(() => undefined),
  'challenge to bots': beside(always(403, { ...html, 'cf-mitigated': 'challenge' }, challengePage)),
  'web page': beside(always(200, html, '<!doctype html><title>Parked</title>Buy this domain')),
  'empty answer': beside(always(200)),
  'redirect to another host': beside(always(302, { location: 'https://elsewhere.example.org/welcome' })),
  'asks to sign in': beside(always(401, { 'www-authenticate': 'Bearer realm="mcp"' })),
  'redirect to a sign-in page': beside(always(302, { location: '/login?next=%2Fmcp' })),
  'robots.txt 503': onlyFor(isRobots, always(503)),
  'robots.txt silent': onlyFor(isRobots, () => undefined),
  'robots.txt refuses': onlyFor(isRobots, always(200, {}, 'User-agent: *\nDisallow: /\n')),
  'discovery 502': onlyFor(({ method }) => method === 'server/discover', always(502)),
  'initialize 503': onlyFor(({ method }) => method === 'initialize', always(503)),
  'list 500': onlyFor(({ method }) => method === 'tools/list', always(500)),
  'list asks to sign in': onlyFor(({ method }) => method === 'tools/list', always(401)),
  'list is cut': onlyFor(({ method }) => method === 'tools/list', cutList),
  'list is unknown': onlyFor(({ method }) => method === 'tools/list', unknownMethod),
  'sessions are lost': onlyFor(({ method }) => method === 'tools/list', sessionLost),
  'session is taken': onlyFor(({ method }) => method === 'initialize', sessionTaken),
} as const satisfies Readonly<Record<string, Conduct>>;
