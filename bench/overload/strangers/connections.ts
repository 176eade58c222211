import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { toModern } from '../../mcp-requests.ts';
import type { Target } from './calls.ts';

/** A connection that sends this, and does nothing else until the service closes it. */
function hold(url: string, text: string, isRead: boolean): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  socket.on('error', () => undefined);
  return isRead ? socket.resume() : socket.pause();
}

const lines = (method: string, path: string, headers: Readonly<Record<string, string>>, network: number) =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    `x-forwarded-for: 198.51.100.${network}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

const countOpen = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length;

/** Asks for what is large, sixty times on each connection, and reads none of it. */
export async function readNothing({ url, seconds }: Target): Promise<string> {
  const paths = ['/agents?shown=200', '/v0.1/servers?limit=100', '/sitemap.xml'];
  const sockets = Array.from({ length: 60 }, (_, at) => {
    const one = lines('GET', paths[at % paths.length] ?? '/', {}, at);
    return hold(url, one.repeat(60), false);
  });
  await wait(seconds * 1000);
  return `${countOpen(sockets)} of ${sockets.length} connections are still open`;
}

/** Connections that have sent a part of a request, or wait for an answer, when the service is told to end. */
export async function sendHalves({ url, seconds }: Target): Promise<string> {
  const {
    path = '',
    headers = {},
    body = '',
  } = toModern('subscriptions/listen', {
    notifications: { resourceSubscriptions: ['agent://a.b/c'] },
  });
  const length = { 'content-length': String(Buffer.byteLength(String(body))) };
  const whole = lines('POST', path, { ...(headers as Record<string, string>), ...length }, 1) + String(body);
  const halves = [
    'GET /healthz HTTP/1.1\r\nhost: x\r\n',
    'P',
    '',
    lines('POST', '/api/tools/get_agent', { 'content-length': '1000' }, 2),
    lines('POST', '/api/mcp', { 'transfer-encoding': 'chunked' }, 3).concat('1\r\n{\r\n'),
    `${lines('GET', '/healthz', {}, 4)}GET /heal`,
    whole,
  ];
  const sockets = halves.flatMap((half) => Array.from({ length: 20 }, () => hold(url, half, half === whole)));
  // One byte of the next header or piece each second.
  const drip = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write('1');
  }, 1000);
  drip.unref();
  await wait(seconds * 1000);
  return `${countOpen(sockets)} of ${sockets.length} connections are open when it is told to end`;
}
