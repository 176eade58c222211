import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { Problem } from '../core/problem.ts';
import { toWidestNetwork } from '../limits/limit.ts';

const mostPerNetwork = 8;
/** Below the SDK's 1,024, at which it refuses without a code. */
const mostOfAll = 1000;
const refusal_s = 60;
const mostUris = 100;
const longestUri = 300;

/** `ending` aborts to make room, or at the end of its lifetime. */
interface Stream {
  readonly network: string;
  readonly widest: string;
  readonly uris: readonly string[];
  readonly ending: AbortController;
}

type EventListener = (event: ServerEvent) => void;

/** Then the event loop serves other requests. */
const atOnce = 500;

/** Indexed by URI, so that an event costs only the streams that watch it. */
function createIndexedBus(log: Pick<Logger, 'warn'>) {
  const opening = new AsyncLocalStorage<Stream>();
  const listeners = new Set<EventListener>();
  const byUri = new Map<string, Set<EventListener>>();
  const waiting = new Set<string>();
  let isSending = false;
  const deliver = (listener: EventListener, event: ServerEvent) => {
    try {
      listener(event);
    } catch (err) {
      log.warn({ err }, 'a subscription was not notified');
    }
  };
  const sendWaiting = async () => {
    isSending = true;
    // Events of one turn of the event loop are sent together.
    await setImmediate();
    let sent = 0;
    for (const uri of waiting) {
      waiting.delete(uri);
      for (const listener of byUri.get(uri) ?? []) {
        deliver(listener, { kind: 'resource_updated', uri });
        sent += 1;
        if (sent % atOnce === 0) await setImmediate();
      }
    }
    isSending = false;
  };
  const bus: ServerEventBus = {
    publish(event) {
      if (event.kind !== 'resource_updated') {
        for (const listener of listeners) deliver(listener, event);
      } else if (byUri.has(event.uri)) {
        waiting.add(event.uri);
        if (!isSending) void sendWaiting();
      }
    },
    subscribe(listener) {
      const uris = new Set(opening.getStore()?.uris);
      listeners.add(listener);
      for (const uri of uris) byUri.set(uri, (byUri.get(uri) ?? new Set()).add(listener));
      return () => {
        listeners.delete(listener);
        for (const uri of uris) {
          const watching = byUri.get(uri);
          if (watching?.delete(listener) && watching.size === 0) byUri.delete(uri);
        }
      };
    },
  };
  const watched = () => [...byUri.keys()];
  return { bus, watched, openFor: <T>(stream: Stream, work: () => T): T => opening.run(stream, work) };
}

interface OpenStream {
  readonly ended: AbortSignal;
  readonly end: () => void;
  readonly run: <T>(work: () => T) => T;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

function readUris(uris: unknown): string[] {
  const list = Array.isArray(uris) ? (uris as unknown[]) : [];
  if (list.length > mostUris || !list.every((uri) => typeof uri === 'string' && uri.length <= longestUri))
    throw new Problem(
      'invalid_request',
      `A subscription names at most ${mostUris} addresses of at most ${longestUri} characters.`,
    );
  return list as string[];
}

/** The oldest of the network (`Stream.widest`) with the most, if it has more than `own`. */
function toMakeRoom(streams: ReadonlySet<Stream>, own: string): Stream | undefined {
  const counts = new Map<string, number>();
  for (const { widest } of streams) counts.set(widest, (counts.get(widest) ?? 0) + 1);
  const [biggest, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  return most > (counts.get(own) ?? 0) ? [...streams].find(({ widest }) => widest === biggest) : undefined;
}

/** At the limit, the network with the most makes room. */
export function createSubscriptions(lifetime_ms: number, log: Pick<Logger, 'warn'>) {
  const streams = new Set<Stream>();
  const { bus, watched, openFor } = createIndexedBus(log);
  let isRefusing = false;
  const refuse = () => {
    if (!isRefusing)
      log.warn(
        `all ${mostOfAll} subscriptions are taken; new ones of the networks with the most are refused`,
      );
    isRefusing = true;
    return new Problem('unavailable', { retry_after_s: refusal_s, detail: 'All subscriptions are taken.' });
  };
  const remove = (stream: Stream) => {
    streams.delete(stream);
    // Otherwise each stream that ends at the limit would lead to a line in the log.
    if (streams.size < mostOfAll / 2) isRefusing = false;
  };
  const requireRoom = (network: string, widest: string) => {
    if ([...streams].filter((other) => other.network === network).length >= mostPerNetwork)
      throw new Problem('rate_limited', { retry_after_s: refusal_s, detail: 'Too many open subscriptions.' });
    if (streams.size < mostOfAll) return;
    const oldest = toMakeRoom(streams, widest);
    if (!oldest) throw refuse();
    remove(oldest);
    oldest.ending.abort();
  };
  return {
    /** A stream opened in `run` gets only events of its own URIs. */
    bus,
    watched,
    /** Call `end` also after `ended` was aborted. Throws rate_limited, unavailable or invalid_request. */
    open(network: string, uris: unknown): OpenStream {
      const widest = toWidestNetwork(network);
      const stream = { network, widest, uris: readUris(uris), ending: new AbortController() };
      requireRoom(network, widest);
      streams.add(stream);
      const lifetime = setTimeout(() => stream.ending.abort(), lifetime_ms).unref();
      const end = () => {
        clearTimeout(lifetime);
        remove(stream);
      };
      const run = <T>(work: () => T): T => openFor(stream, work);
      return { ended: stream.ending.signal, end, run };
    },
  };
}

/** Ends with the stream. `end` follows a sent, failed or cancelled body. */
export function untilEnded(response: Response, { ended, end }: OpenStream): Response {
  if (!response.body) {
    end();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  response.body
    .pipeTo(writable, { signal: ended, preventAbort: true })
    .catch((error: unknown) => (ended.aborted ? writable.close() : writable.abort(error)))
    .catch(() => undefined)
    .finally(end);
  return new Response(readable, response);
}
