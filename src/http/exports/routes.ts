import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { Problem } from '../../problem.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { isCurrent } from '../response/answers.ts';
import { type Dump, writeDump } from './dump.ts';

/** A dump is written when it is asked for, and again after an hour. */
const longestAge_ms = 3_600_000;

/** One that is older is not sent while the new one is written. */
const longestSent_ms = 12 * longestAge_ms;

/** The dump of this process: callers wait for the first one, and get the old one while a new one is written. */
function createDumps(context: Context) {
  let current: Promise<Dump> | undefined;
  let writing: Promise<Dump> | undefined;
  let written_ms = 0;
  const renew = async () => {
    const began_ms = context.clock().getTime();
    const dump = await writeDump(context);
    const old = current;
    [current, written_ms] = [Promise.resolve(dump), began_ms];
    await old?.then(({ remove }) => remove());
    return dump;
  };
  const begin = () => {
    writing ??= renew().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  return {
    async read(): Promise<Dump> {
      const age_ms = context.clock().getTime() - written_ms;
      if (!current || age_ms >= longestSent_ms) return begin();
      if (age_ms >= longestAge_ms)
        begin().catch((error: unknown) =>
          context.log.warn({ err: error }, 'a new dump could not be written'),
        );
      return current;
    },
    async close() {
      await writing?.catch(() => undefined);
      await current?.then(({ remove }) => remove());
    },
  };
}

async function sendFile(c: Request, dump: Dump): Promise<Response> {
  const name = c.req.param('file') ?? '';
  const path = dump.fileOf(name);
  const file = dump.manifest.files.find((one) => one.path === `/export/${name}`);
  if (!path || !file)
    throw new Problem('not_found', {
      detail: 'No file of the export has this name; /export/manifest.json lists them.',
    });
  const etag = `"${file.sha256.slice(0, 32)}"`;
  const headers = { 'Cache-Control': 'public, max-age=600', 'Access-Control-Allow-Origin': '*', ETag: etag };
  if (isCurrent(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  const described = { ...headers, 'Content-Type': 'application/gzip', 'Content-Length': String(file.bytes) };
  // Nobody reads the body of an answer to HEAD, so a file opened for it would stay open.
  if (c.req.method === 'HEAD') return c.body(null, 200, described);
  return c.body(Readable.toWeb(createReadStream(path)) as ReadableStream, 200, described);
}

/** Open data: all listings and their evidence as compressed JSON lines, with a signed manifest. */
export function createExportRoutes({ context }: Face) {
  const dumps = createDumps(context);
  const routes = new Hono<HttpEnvironment>()
    .get('/export/manifest.json', async (c) =>
      c.json((await dumps.read()).manifest, 200, { 'Access-Control-Allow-Origin': '*' }),
    )
    .get('/export/:file', async (c) => sendFile(c, await dumps.read()));
  return Object.assign(routes, { close: dumps.close });
}
