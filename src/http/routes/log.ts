import { Hono } from 'hono';
import { readTransparency } from '../../actions/actions.ts';
import { proveEntry, readNewestEntries } from '../../audit/entry-proof.ts';
import { Problem, wrongField } from '../../core/problem.ts';
import { currentCheckpoint, withCosignatures } from '../../log/checkpoints.ts';
import { countEntries, findLog, readConsistency, readKeyText, readLogs, readTile } from '../../log/logs.ts';
import { getProof } from '../../tools/get-proof.ts';
import { toLogEntryPage, toLogPage } from '../../views/log-page.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { wantsPage } from '../problems.ts';
import { call } from '../request.ts';
import { answerJson } from '../response.ts';

const text = { 'Content-Type': 'text/plain; charset=utf-8' };
const tile = {
  'Content-Type': 'application/octet-stream',
  'Cache-Control': 'public, max-age=31536000, immutable',
};
const wholeNumber = /^(0|[1-9]\d{0,14})$/;
const findHead = (c: Request) => findLog(Number(c.req.param('log') ?? 1), c.get('context'));

async function answerCheckpoint(c: Request): Promise<Response> {
  const context = c.get('context');
  const { closed_with: before } = await findHead(c);
  const current = before ?? withCosignatures(context.checkpoints, await currentCheckpoint(context));
  // Issuing it may have closed this log.
  const { closed_with = current } = await findHead(c);
  return c.body(closed_with, 200, {
    ...text,
    'Cache-Control': 'public, max-age=1',
  });
}

async function answerTile(c: Request, level: string, path: string): Promise<Response> {
  return c.body(await readTile(await findHead(c), level, path, c.get('context')), 200, tile);
}

const toSize = (written = '') => (wholeNumber.test(written) ? Number(written) : Number.NaN);

async function answerConsistency(c: Request): Promise<Response> {
  const sizes = [toSize(c.req.param('from')), toSize(c.req.param('to'))] as const;
  const path = await readConsistency(await findHead(c), sizes, c.get('context'));
  return c.body(path.map((node) => `${node.toString('base64')}\n`).join(''), 200, text);
}

function indexOf(c: Request): number {
  const index = toSize(c.req.param('index'));
  if (Number.isNaN(index)) throw new Problem('not_found', 'An entry’s index is a whole number.');
  return index;
}

async function answerProof(c: Request): Promise<Response> {
  const index = indexOf(c);
  const { base } = await findHead(c);
  return c.body((await proveEntry(c.get('context'), base + index)).proof, 200, text);
}

async function answerLogs(c: Request): Promise<Response> {
  const context = c.get('context');
  const listed = await readLogs(context);
  c.header('Vary', 'Accept');
  if (!wantsPage(c)) return answerJson(c, listed);
  const before = c.req.query('before');
  if (before !== undefined && !wholeNumber.test(before))
    throw wrongField('before', 'must be the index of an entry, such as 120');
  const entries = await readNewestEntries(context, before === undefined ? undefined : Number(before));
  const page = toLogPage(context, listed, { entries, isNewest: before === undefined });
  return c.html(String(page), 200, { 'Cache-Control': 'no-cache' });
}

async function answerEntry(c: Request): Promise<Response> {
  const context = c.get('context');
  const entry = await call(c, getProof, { log_index: indexOf(c) });
  const page = toLogEntryPage(context, entry, await countEntries(context));
  return c.html(String(page), 200, { 'Cache-Control': 'no-cache' });
}

const oneLogRoutes = new Hono<HttpEnvironment>()
  .get('/checkpoint', answerCheckpoint)
  .get('/key', async (c) =>
    c.body(`${await readKeyText((await findHead(c)).id, c.get('context'))}\n`, 200, text),
  )
  .get('/proof/:index', answerProof)
  .get('/consistency/:from/:to', answerConsistency)
  .get('/tile/:level/*', (c) => {
    const level = c.req.param('level');
    return answerTile(c, level, c.req.path.slice(c.req.path.indexOf(`/tile/${level}/`) + level.length + 7));
  });

/** docs/log.md */
export const logRoutes = new Hono<HttpEnvironment>()
  .get('/log', answerLogs)
  .get('/log/entry/:index', answerEntry)
  .route('/log', oneLogRoutes)
  .route('/log/:log{[1-9][0-9]*}', oneLogRoutes)
  .get('/transparency.json', async (c) =>
    answerJson(c, await readTransparency(c.get('context')), { cacheTags: 'all' }),
  );
