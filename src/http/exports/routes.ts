import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { Problem } from '../../problem.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { isCurrent } from '../response/answers.ts';
import { type Dump, writeDump } from './dump.ts';

/** Then a dump is written anew. */
const longestAge_ms = 3_600_000;
/** One that is older is not sent while the new one is written. */
const longestSent_ms = 12 * longestAge_ms;
/** How often the service itself asks for its dump, so that hardly anybody waits for one. */
const asksEvery_ms = 600_000;

/** The dumps of this process: callers wait for the first one, and get the old one while a new one is written. */
function createDumps(context: Context) {
  const { clock, config, log } = context;
  const stopping = new AbortController();
  /** The newest, and the one before it: who has its manifest may still read its files. */
  let kept: readonly Dump[] = [];
  let writing: Promise<Dump> | undefined;
  const ageOf_ms = ({ manifest }: Dump) => clock().getTime() - Date.parse(manifest.created_at);
  const renew = async () => {
    const dump = await writeDump(context, stopping.signal);
    const [last, ...older] = kept;
    kept = last ? [dump, last] : [dump];
    await Promise.all(older.map(({ remove }) => remove()));
    return dump;
  };
  const begin = () => {
    writing ??= renew().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const warn = (error: unknown) =>
    stopping.signal.aborted || log.warn({ err: error }, 'a new dump could not be written');
  const read = async (): Promise<Dump> => {
    const [newest] = kept;
    if (!newest || ageOf_ms(newest) >= longestSent_ms) return begin();
    if (ageOf_ms(newest) >= longestAge_ms) begin().catch(warn);
    return newest;
  };
  // In memory all other reads would wait for it.
  const timer = setInterval(() => config.databaseUrl === ':memory:' || read().catch(warn), asksEvery_ms);
  timer.unref();
  return {
    read,
    /** The dump that has a file of this path. */
    find: (path: string) =>
      kept.find(
        (one) => ageOf_ms(one) < longestSent_ms && one.manifest.files.some((file) => file.path === path),
      ),
    async close() {
      clearInterval(timer);
      stopping.abort(new Problem('unavailable', { retry_after_s: 2 }));
      await writing?.catch(() => undefined);
      await Promise.all(kept.map(({ remove }) => remove()));
    },
  };
}

async function sendFile(c: Request, dumps: ReturnType<typeof createDumps>): Promise<Response> {
  const name = c.req.param('file') ?? '';
  const dump = dumps.find(`/export/${name}`);
  const file = dump?.manifest.files.find(({ path }) => path === `/export/${name}`);
  if (!dump || !file)
    throw new Problem('not_found', {
      detail: 'No file of the export has this name any more; /export/manifest.json lists them.',
    });
  const etag = `"${file.sha256.slice(0, 32)}"`;
  const headers = { 'Cache-Control': 'public, max-age=600', 'Access-Control-Allow-Origin': '*', ETag: etag };
  if (isCurrent(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  const described = { ...headers, 'Content-Type': 'application/gzip', 'Content-Length': String(file.bytes) };
  // Nobody reads the body of an answer to HEAD, so a file opened for it would stay open.
  if (c.req.method === 'HEAD') return c.body(null, 200, described);
  return c.body(Readable.toWeb(createReadStream(join(dump.folder, name))) as ReadableStream, 200, described);
}

/** Open data: all listings and their evidence as compressed JSON lines, with a signed manifest. */
export function createExportRoutes({ context }: Face) {
  const dumps = createDumps(context);
  const routes = new Hono<HttpEnvironment>()
    .get('/export/manifest.json', async (c) =>
      c.json((await dumps.read()).manifest, 200, { 'Access-Control-Allow-Origin': '*' }),
    )
    .get('/export/:file', (c) => sendFile(c, dumps));
  return Object.assign(routes, { close: dumps.close });
}
