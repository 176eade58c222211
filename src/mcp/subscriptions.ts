import { Problem } from '../problem.ts';

const mostPerNetwork = 8;
const mostUris = 100;
const longestUri = 300;

/** Open subscription streams and the URIs of each. */
export interface Subscriptions {
  /** Counts a stream until `end` is called. Throws rate_limited or invalid_request. */
  open(network: string, uris: unknown): { end(): void };
  /** All URIs with a subscriber. */
  watched(): ReadonlySet<string>;
}

function readUris(uris: unknown): string[] {
  const list = Array.isArray(uris) ? (uris as unknown[]) : [];
  if (list.length > mostUris || !list.every((uri) => typeof uri === 'string' && uri.length <= longestUri))
    throw new Problem('invalid_request', {
      detail: `A subscription names at most ${mostUris} addresses of at most ${longestUri} characters.`,
    });
  return list as string[];
}

/** Tracks subscriptions while their streams are open: at most 8 streams for each network, each with 100 URIs. */
export function createSubscriptions(): Subscriptions {
  const streams = new Set<{ network: string; uris: readonly string[] }>();
  return {
    open(network, uris) {
      const stream = { network, uris: readUris(uris) };
      if ([...streams].filter((other) => other.network === network).length >= mostPerNetwork)
        throw new Problem('rate_limited', { retry_after_s: 60, detail: 'Too many open subscriptions.' });
      streams.add(stream);
      return { end: () => streams.delete(stream) };
    },
    watched: () => new Set([...streams].flatMap(({ uris }) => uris)),
  };
}

/** The same response; calls `onEnd` once its body was sent, failed or was cancelled by the reader. */
export function untilEnded(response: Response, onEnd: () => void): Response {
  if (!response.body) {
    onEnd();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  response.body
    .pipeTo(writable)
    .catch(() => undefined)
    .finally(onEnd);
  return new Response(readable, response);
}
