import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { allPublishers } from './attacks.ts';
import { notFound, publisherOf, type Reply } from './hostile.ts';

const toReply = (url: string, body: string): Reply => {
  const [, host = '', path = ''] = /^\/([^/]+)(\/.*)$/s.exec(url) ?? [];
  return allPublishers[publisherOf(host)]?.answer?.({ path, body, host }) ?? notFound;
};

// Usage: node bench/overload/strangers/hosts.ts. The hosts of all hostile publishers on loopback, each below
// a path with its name. Its root says how many requests they had.
let asked = 0;
const server = createServer(async (request, response) => {
  if (request.url === '/') return void response.end(String(asked));
  asked += 1;
  response.on('error', () => undefined);
  const reply = toReply(request.url ?? '/', await text(request).catch(() => ''));
  if (typeof reply === 'function') return reply(response);
  response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
