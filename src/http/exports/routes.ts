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

/** The dump of this process; callers that come while it is written wait for the same one. */
function createDumps(context: Context) {
  let current: { readonly at_ms: number; readonly dump: Promise<Dump> } | undefined;
  const isFresh = () => current !== undefined && context.clock().getTime() - current.at_ms < longestAge_ms;
  return {
    async read(): Promise<Dump> {
      if (current && isFresh()) return current.dump;
      const old = current;
      const dump = writeDump(context);
      current = { at_ms: context.clock().getTime(), dump };
      dump.catch(() => {
        current = undefined;
      });
      const written = await dump;
      await old?.dump.then(({ remove }) => remove()).catch(() => undefined);
      return written;
    },
    async close() {
      await current?.dump.then(({ remove }) => remove()).catch(() => undefined);
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
