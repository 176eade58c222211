import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Context } from '../../../src/context.ts';
import type { Readable } from '../facts.ts';

/**
 * Answers the request of one case; `body` is that of the request, `path` begins after the prefix of the case.
 */
export type Answer = (
  sent: { body: string; path: string; origin: string },
  response: ServerResponse,
  request: IncomingMessage,
) => void;

export const json = (response: ServerResponse, value: unknown, status = 200, headers = {}) =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(value));
export const html = (response: ServerResponse, status: number, text: string) =>
  void response.writeHead(status, { 'content-type': 'text/html' }).end(`<!doctype html><p>${text}</p>`);
export const messageOf = (body: string) => JSON.parse(body || '{}') as { id?: number; method?: string };
export const reply = (body: string, result: unknown) => ({ jsonrpc: '2.0', id: messageOf(body).id, result });
export const rpcError = (body: string, code: number, message: string) => ({
  jsonrpc: '2.0',
  id: messageOf(body).id ?? null,
  error: { code, message },
});

export const status =
  (code: number, headers = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end('try again later');
export const challenge =
  '<title>Just a moment...</title><noscript>Enable JavaScript and cookies to continue</noscript>';

/** Faults that pass by themselves: what everything but robots.txt answers meanwhile. */
export const passing: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    [400, 405, 408, 425, 429, 451, 500, 502, 503, 504, 520, 522, 525].map((code) => [
      `s${code}`,
      status(code),
    ]),
  ),
  'retry-429': status(429, { 'retry-after': '30' }),
  'retry-503': status(503, { 'retry-after': '30' }),
  'cdn-403': (_, response) => html(response, 403, challenge),
  'cdn-503': (_, response) => html(response, 503, challenge),
  'plain-403': status(403),
  'page-200': (_, response) => html(response, 200, challenge),
  maintenance: (_, response) => html(response, 200, 'We are back in a minute.'),
  captive: (_, response) => json(response, { status: 'captive', error: 'no network' }),
  'json-200': (_, response) => json(response, { ok: true }),
  empty: (_, response) => void response.writeHead(200).end(),
  'rpc-200': ({ body }, response) => json(response, rpcError(body, -32603, 'Internal error')),
  'rpc-500': ({ body }, response) => json(response, rpcError(body, -32603, 'Internal error'), 500),
  'rpc-429': ({ body }, response) => json(response, rpcError(body, -32000, 'Too many requests'), 429),
  away: (_, response) => void response.writeHead(302, { location: 'https://elsewhere.example.org/' }).end(),
  reset: (_, response) => void response.destroy(),
  cut: (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
      .write('{"jsonrpc"');
    setTimeout(() => response.destroy(), 5);
  },
  hang: () => undefined,
  undecodable: (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync('{}').subarray(0, 12)),
};

/**
 * Shortens the time-outs of the observer only while an endpoint hangs, so that no answer is late because the
 * machine is slow.
 */
export function setPatience({ timeouts }: Pick<Context, 'timeouts'>, hangs: boolean, short_ms: number): void {
  const ms = hangs ? short_ms : 600_000;
  const names = ['observerFirstTry_ms', 'observerSecondTry_ms', 'observerExchange_ms'];
  Object.assign(timeouts, Object.fromEntries(names.map((name) => [name, ms])));
}

export type Facts = ReadonlyMap<string, Readable>;

export const reachKind = 'endpoint.answers';
/** Since when an endpoint answers begins again after a published outage. */
const essence = ({ kind, value, outcome, details, first_seen_at, changed_from }: Readable) => ({
  value,
  outcome,
  details,
  changed_from,
  ...(kind !== reachKind && { first_seen_at }),
});

/** Counts every check, so that each changes it. */
const counting = 'endpoint.availability';

/** What was gone for certain and came back is dated from the check that saw it again. */
export const undated = (facts: Facts): Facts =>
  new Map([...facts].map(([key, fact]) => [key, { ...fact, first_seen_at: '' }]));

/** The facts that are not as they were before a fault, each with what is wrong. */
export function wrongCells(before: Facts, now: Facts, mayBeUnreachable: boolean): string[] {
  const born = [...now.keys()]
    .filter((key) => !before.has(key) && !key.startsWith(counting))
    .map((key) => `born: ${key}`);
  const changed = [...before].flatMap(([key, was]) => {
    const is = now.get(key);
    if (!is) return [`dropped: ${key}`];
    if (is.kind === counting) return [];
    if (mayBeUnreachable && is.kind === reachKind && ['silent', 'otherwise'].includes(is.outcome)) return [];
    return JSON.stringify(essence(was)) === JSON.stringify(essence(is))
      ? []
      : [`${key}: ${JSON.stringify(essence(was))} became ${JSON.stringify(essence(is))}`];
  });
  return [...born, ...changed];
}
