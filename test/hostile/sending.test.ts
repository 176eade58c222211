import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openDirectory } from '../support/directory.ts';
import { openedDirectory } from '../support/opened.ts';

async function open(url: string, text: string): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

it('closes a connection that asks and does not read', async () => {
  const directory = await openedDirectory({
    listening: true,
    environment: { LIMITS: 'off' },
    timeouts: { silence_ms: 300 },
  });
  const socket = await open(directory.url, get('/openapi.json').repeat(400));
  socket.pause();
  let isClosed = false;
  socket.on('error', () => {
    isClosed = true;
  });
  // Empty lines before a request mean nothing, and are answered with a reset once the other side has closed
  // the connection.
  const send = () => {
    if (!isClosed) socket.write('\r\n');
    return isClosed;
  };
  await expect.poll(send, { interval: 500 }).toBe(true);
  socket.destroy();
});

it('a stop waits for no connection that has not sent a whole request', async () => {
  const directory = await openDirectory({ listening: true, timeouts: { drain_ms: 600_000 } });
  const sockets = await Promise.all(
    [
      '',
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n',
      'POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
      `${get('/healthz')}GET / HTTP/1.1\r\nHost`,
    ].map((text) => open(directory.url, text)),
  );
  const ended = sockets.map((socket) => once(socket.on('error', () => {}).resume(), 'close'));
  await once(sockets[3] as Socket, 'data');
  await directory.close();
  await Promise.all(ended);
});
