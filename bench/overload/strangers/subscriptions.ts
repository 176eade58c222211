import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { runScript } from '../../command.ts';
import { toModern } from '../../mcp-requests.ts';
import type { Target } from './calls.ts';
import { toPlainHandle } from './listings.ts';

const streams = 1000;
const perNetwork = 8;
const uris = 100;

/** Watches a hundred addresses: listings that an import changes, or addresses that nobody else watches. */
async function open(url: string, stream: number): Promise<boolean> {
  const watched = Array.from({ length: uris }, (_, at) =>
    stream % 2 === 0 ? `agent://${toPlainHandle(at)}` : `agent://a.b/${stream}-${at}`,
  );
  const {
    path = '',
    headers = {},
    body,
  } = toModern('subscriptions/listen', {
    notifications: { resourceSubscriptions: watched },
  });
  const network = Math.floor(stream / perNetwork);
  const subnet = ((network % 16) * 0x100 + Math.floor(network / 16)).toString(16);
  const sent = request(new URL(path, url), {
    method: 'POST',
    agent: false,
    headers: { ...(headers as Record<string, string>), 'x-forwarded-for': `2001:db8:0:${subnet}::1` },
  });
  // Those of a service that ended are not opened again.
  sent.on('error', () => undefined).end(body);
  const answered = once(sent, 'response').then(
    ([response]) => {
      (response as NodeJS.ReadableStream).on('error', () => undefined).resume();
      return (response as { statusCode: number }).statusCode === 200;
    },
    () => false,
  );
  return answered;
}

/**
 * Fills all subscriptions from one /48, then an import of another process changes what half of them watch.
 */
export async function watchAll({ url, databaseUrl }: Target): Promise<string> {
  let opened = 0;
  for (let stream = 0; stream < streams; stream += 20) {
    const some = Array.from({ length: 20 }, (_, at) => open(url, stream + at));
    opened += (await Promise.all(some)).filter(Boolean).length;
  }
  const copy = join(databaseUrl.slice('file:'.length), '..', 'changed.json');
  await runScript(['src/main.js', 'import', '--from', copy], { DATABASE_URL: databaseUrl });
  return `${opened} streams of 100 addresses, and an import of 100 changed listings`;
}
