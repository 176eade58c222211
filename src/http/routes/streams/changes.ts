import { setTimeout as wait } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { countOpenStreams, type OpenStreams } from '../../../limits/open-streams.ts';
import { Problem, toProblem } from '../../../problem.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { answerWithETag } from '../../response/answers.ts';

const page = 1000;
/** A stream ends after ten minutes; the client continues where it was (Last-Event-ID). */
const longestStream_ms = 600_000;
const pause_ms = 1000;

const position = z.coerce.number().int().min(0).catch(-1);

/** The position after which to begin. Throws invalid_input. */
function readSince(text: string | undefined): number {
  const since = position.parse(text ?? '0');
  if (since >= 0) return since;
  const message = 'a position of this stream: 0, or the seq of the last change you have';
  throw new Problem('invalid_input', { fields: [{ field: 'since', message }], detail: `since: ${message}.` });
}

/** One page of changes as JSON lines; the next one begins after the last seq, which a header repeats. */
async function answerLines(c: Request): Promise<Response> {
  const since = readSince(c.req.query('since'));
  const changes = await c.get('context').store.changes.after(since, page);
  c.header('Access-Control-Allow-Origin', '*');
  c.header('Dossier-Next-Since', String(changes.at(-1)?.seq ?? since));
  const body = changes.map((change) => `${JSON.stringify(change)}\n`).join('');
  return answerWithETag(c, { type: 'application/jsonl; charset=utf-8', body });
}

/** Changes as they come, as server-sent events whose id is the position. Each stream costs one query a second. */
function stream(c: Request, streams: OpenStreams): Response {
  let since = readSince(c.req.header('last-event-id') ?? c.req.query('since'));
  c.header('Access-Control-Allow-Origin', '*');
  // Nobody reads the body of an answer to HEAD, so nothing would ever end its stream early.
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
  const context = c.get('context');
  const { store, caller } = context;
  const end_ms = Date.now() + longestStream_ms;
  const close = streams.open(caller.network);
  return streamSSE(c, async (sse) => {
    try {
      while (!sse.aborted && Date.now() < end_ms) {
        const changes = await store.changes.after(since, page);
        for (const change of changes)
          await sse.writeSSE({ id: String(change.seq), event: change.type, data: JSON.stringify(change) });
        since = changes.at(-1)?.seq ?? since;
        if (changes.length < page) await wait(pause_ms, undefined, { ref: false });
      }
    } catch (error) {
      // Logged as every other failure: the library would write it to the console.
      toProblem(error, context);
    } finally {
      close();
    }
  });
}

/** The stream of changes, as JSON lines or as server-sent events (docs/changes.md). */
export function createChangeRoutes({ context }: Face) {
  const streams = countOpenStreams(context.config);
  return new Hono<HttpEnvironment>().get('/changes', (c) =>
    /\btext\/event-stream\b/.test(c.req.header('accept') ?? '') ? stream(c, streams) : answerLines(c),
  );
}
