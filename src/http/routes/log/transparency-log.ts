import { Hono } from 'hono';
import type { Context } from '../../../context.ts';
import { consistencyProof } from '../../../evidence/log/merkle.ts';
import { toVerifierText, verifierOf } from '../../../evidence/log/signed-note.ts';
import { parseTilePath, type TileRange, tileWidth, toEntryBundle } from '../../../evidence/log/tiles.ts';
import { Problem } from '../../../problem.ts';
import type { LogHead } from '../../../store/contract/transparency-log.ts';
import { getProof } from '../../../tools/get-proof.ts';
import { proveEntry } from '../../../transparency-log/entry-proof.ts';
import { currentCheckpoint, withCosignatures } from '../../../transparency-log/issue-checkpoint.ts';
import { logPath, openLogKey } from '../../../transparency-log/keys.ts';
import { type NewEntry, toLogEntryPage, toLogPage } from '../../../views/history/log-entry-page.ts';
import { call } from '../../call.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { answerJson } from '../../response/answers.ts';
import { wantsPage } from '../../response/problems.ts';

const text = { 'Content-Type': 'text/plain; charset=utf-8' };
const tile = {
  'Content-Type': 'application/octet-stream',
  'Cache-Control': 'public, max-age=31536000, immutable',
};
const wholeNumber = /^(0|[1-9]\d{0,14})$/;
async function findHead(c: Request): Promise<LogHead> {
  const log = Number(c.req.param('log') ?? 1);
  const head = (await c.get('context').store.log.heads()).find(({ id }) => id === log);
  if (!head) throw new Problem('not_found', { detail: 'There is no such log.' });
  return head;
}

const keyText = async (c: Request, log: number) =>
  toVerifierText(verifierOf(await openLogKey(c.get('context'), log)));

async function answerCheckpoint(c: Request): Promise<Response> {
  const { closed_with } = await findHead(c);
  const context = c.get('context');
  const checkpoint = closed_with ?? withCosignatures(context.checkpoints, await currentCheckpoint(context));
  return c.body(checkpoint, 200, { ...text, 'Cache-Control': 'public, max-age=1' });
}

/** The range of a tile; throws not_found if the tree has no such tile. */
function readTile(path: string, complete: number): TileRange {
  const range = parseTilePath(path, complete);
  if (!range) throw new Problem('not_found', { detail: 'The tree has no such tile.' });
  return range;
}

async function answerTile(c: Request, level: string, path: string): Promise<Response> {
  const head = await findHead(c);
  const { log } = c.get('context').store;
  if (level === 'entries') {
    const { from, width } = readTile(path, head.size);
    return c.body(toEntryBundle(await log.leaves(head.base + from, width)), 200, tile);
  }
  if (!/^([0-9]|[1-5]\d|6[0-3])$/.test(level)) throw new Problem('not_found');
  const { from, width } = readTile(path, Math.floor(head.size / tileWidth ** Number(level)));
  return c.body(Buffer.concat(await log.nodes(head.id, Number(level) * 8, from, width)), 200, tile);
}

async function answerConsistency(c: Request): Promise<Response> {
  const head = await findHead(c);
  const [from, to] = [c.req.param('from') ?? '', c.req.param('to') ?? ''];
  if (
    ![from, to].every((size) => wholeNumber.test(size)) ||
    Number(from) > Number(to) ||
    Number(to) > head.size
  )
    throw new Problem('not_found', {
      detail: `Sizes are whole numbers up to ${head.size}, the smaller one first.`,
    });
  const path = await consistencyProof(c.get('context').store.log.tree(head.id), Number(from), Number(to));
  return c.body(path.map((node) => `${node.toString('base64')}\n`).join(''), 200, text);
}

async function answerProof(c: Request): Promise<Response> {
  const index = c.req.param('index') ?? '';
  if (!wholeNumber.test(index))
    throw new Problem('not_found', { detail: 'An entry’s index is a whole number.' });
  const { base } = await findHead(c);
  return c.body((await proveEntry(c.get('context'), base + Number(index))).proof, 200, text);
}

const statement =
  'An append-only log of claims, ratings, observed changes and moderation (RFC 6962 hashing, C2SP tiles and signed checkpoints). Anyone with an earlier checkpoint can prove a rewrite. An entry shows that something was recorded, not that it is right.';

const entriesShown = 20;

/** The newest entries of all logs, newest first. */
async function readNewest({ log }: Context['store']): Promise<NewEntry[]> {
  const from = Math.max(0, (await log.size()) - entriesShown);
  const leaves = await log.leaves(from, entriesShown);
  return leaves.map((leaf, at) => ({ log_index: from + at, leaf })).reverse();
}

async function answerLogs(c: Request, { site }: Face): Promise<Response> {
  const { store, config } = c.get('context');
  const heads = await store.log.heads();
  const logs = await Promise.all(
    heads.map(async (head) => ({
      log: `${config.publicUrl}${logPath(head.id)}`,
      first_log_index: head.base,
      entries: head.size,
      opened_at: head.opened_at,
      key: await keyText(c, head.id),
      ...(head.closed_with && {
        closed:
          'The database was older than this checkpoint, as after restoring a backup; later entries are lost.',
        closed_with: head.closed_with,
      }),
    })),
  );
  c.header('Vary', 'Accept');
  return wantsPage(c)
    ? c.html(String(toLogPage(site, { statement, logs, newest: await readNewest(store) })), 200, {
        'Cache-Control': 'no-cache',
      })
    : answerJson(c, { statement, logs });
}

async function answerEntry(c: Request, { site }: Face): Promise<Response> {
  const index = c.req.param('index') ?? '';
  if (!wholeNumber.test(index))
    throw new Problem('not_found', { detail: 'An entry’s index is a whole number.' });
  const entry = await call(c, getProof, { log_index: Number(index) });
  return c.html(String(toLogEntryPage(site, entry)), 200, { 'Cache-Control': 'no-cache' });
}

function createOneLogRoutes() {
  return new Hono<HttpEnvironment>()
    .get('/checkpoint', answerCheckpoint)
    .get('/key', async (c) => c.body(`${await keyText(c, (await findHead(c)).id)}\n`, 200, text))
    .get('/proof/:index', answerProof)
    .get('/consistency/:from/:to', answerConsistency)
    .get('/tile/:level/*', (c) => {
      const level = c.req.param('level');
      return answerTile(c, level, c.req.path.slice(c.req.path.indexOf(`/tile/${level}/`) + level.length + 7));
    });
}

/** The transparency log: checkpoints, tiles, entries, proofs and keys of every log (docs/trust.md section 4). */
export const createLogRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/log', (c) => answerLogs(c, face))
    .get('/log/entry/:index', (c) => answerEntry(c, face))
    .route('/log', createOneLogRoutes())
    .route('/log/:log{[1-9][0-9]*}', createOneLogRoutes());
