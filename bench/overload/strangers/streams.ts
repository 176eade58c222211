import { gzipSync } from 'node:zlib';
import { type HostilePublisher, type HostilePublishers, notFound, type Reply } from './hostile.ts';

const most_bytes = 2 * 2 ** 20 - 64;
const type = { 'content-type': 'text/event-stream' };
const repeated = (text: string) => text.repeat(Math.floor(most_bytes / text.length));

/** A publisher whose endpoint answers every message with this event stream, compressed to some kilobytes. */
function streaming(text: string): HostilePublisher {
  const reply: Reply = { headers: { ...type, 'content-encoding': 'gzip' }, body: gzipSync(text) };
  return { answer: ({ path }) => (path.startsWith('/mcp') ? reply : notFound) };
}

/** Event streams whose lines, fields, events or pieces take more to read than to send. */
export const streams: HostilePublishers = {
  'both-line-ends': streaming(`${'\n'.repeat(most_bytes)}\r`),
  'carriage-returns': streaming('\r'.repeat(most_bytes)),
  'a-line-that-never-ends': streaming(`data: ${'x'.repeat(most_bytes)}`),
  'fields-without-an-end': streaming(repeated('data\n')),
  'events-of-one-letter': streaming(repeated('data:1\n\n')),
  'a-thousand-large-events': streaming(`data:[${'[],'.repeat(690)}[]]\n\n`.repeat(990)),
  'ids-and-retries': streaming(repeated('id:\0\nretry:99999999999\n')),
  'one-byte-at-a-time': {
    answer: ({ path }) => {
      if (!path.startsWith('/mcp')) return notFound;
      return (response) => {
        response.writeHead(200, type);
        const drip = setInterval(() => response.write('\r'), 2);
        response.once('close', () => clearInterval(drip)).on('error', () => undefined);
      };
    },
  },
  'asks-to-wait-and-again': {
    answer: ({ path }) =>
      path.startsWith('/mcp')
        ? { status: 503, headers: { ...type, 'retry-after': '1' }, body: 'retry: 1\n\n' }
        : notFound,
  },
};
