import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { createDumps } from '../../document/dump/dump.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { isCurrent } from '../response.ts';

const replaced = /^(listings|evidence)-[0-9a-f]{16}\.jsonl\.gz$/;

async function toNewest(c: Request, name: string, dumps: ReturnType<typeof createDumps>): Promise<Response> {
  const [, kind] = replaced.exec(name) ?? [];
  const newest = kind !== undefined && (await dumps.read()).files.find((file) => file.kind === kind);
  if (!newest || newest.named.path === `/export/${name}`)
    throw new Problem('not_found', 'No file of the export has this name; /export/manifest.json lists them.');
  c.header('Cache-Control', 'no-store');
  return c.redirect(newest.named.path, 307);
}

async function sendFile(c: Request, dumps: ReturnType<typeof createDumps>): Promise<Response> {
  const name = c.req.param('file') ?? '';
  const dump = await dumps.find(`/export/${name}`);
  const file = dump?.manifest.files.find(({ path }) => path === `/export/${name}`);
  if (!dump || !file) return toNewest(c, name, dumps);
  const etag = `"${file.sha256.slice(0, 32)}"`;
  const described = { 'Content-Type': 'application/gzip', 'Content-Length': String(file.bytes) };
  const headers = { 'Cache-Control': 'public, max-age=600', ETag: etag, ...described };
  if (isCurrent(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  // Nobody reads the body of a HEAD, so a file would stay open.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  // The dump may be replaced, and its folder removed, before anything is sent.
  const stream = createReadStream(join(dump.folder, name));
  const isOpen = await once(stream, 'open').then(
    () => true,
    () => false,
  );
  if (!isOpen) return toNewest(c, name, dumps);
  return c.body(Readable.toWeb(stream) as ReadableStream, 200, headers);
}

export function createExportRoutes(context: Context) {
  const dumps = createDumps(context);
  const routes = new Hono<HttpEnvironment>()
    .get('/export/manifest.json', async (c) => c.json((await dumps.read()).manifest))
    .get('/export/:file', (c) => sendFile(c, dumps));
  return Object.assign(routes, { close: dumps.close });
}
