import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpEnvironment } from '../environment.ts';

/** A good answer of the endpoint without its id, its UTF-8 bytes a character each, with the headers it was sent with. */
export interface Finished {
  readonly before: string;
  readonly after: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer to be kept; undefined where its id is not its last member or a header is for one request only. */
export function toFinished(text: string, id: number | string, { headers }: Response): Finished | undefined {
  const after = '}';
  const end = JSON.stringify(id) + after;
  if (!text.endsWith(`"id":${end}`) || headers.has('x-request-id')) return undefined;
  const before = Buffer.from(text.slice(0, -end.length)).toString('latin1');
  return { before, after, headers: Object.fromEntries(headers) };
}

/** Sends it under an id of ASCII characters: to Node in one piece, for which nothing is encoded again. */
export function sendFinished(
  { before, after, headers }: Finished,
  id: number | string,
  outgoing?: HttpEnvironment['Bindings']['outgoing'],
): Response {
  const bytes = before + JSON.stringify(id) + after;
  if (!outgoing) return new Response(Buffer.from(bytes, 'latin1'), { headers });
  outgoing.writeHead(200, { ...headers, 'content-length': bytes.length });
  outgoing.end(bytes, 'latin1');
  return RESPONSE_ALREADY_SENT;
}
