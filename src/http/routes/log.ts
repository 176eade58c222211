import { Hono } from 'hono';
import { proveEntry } from '../../audit/entry-proof.ts';
import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { currentCheckpoint, logPath, openLogKey, withCosignatures } from '../../log/checkpoints.ts';
import type { LogHead } from '../../log/entries.ts';
import {
  consistencyProof,
  parseTilePath,
  type TileRange,
  tileWidth,
  toEntryBundle,
} from '../../log/merkle.ts';
import { toVerifierText, verifierOf } from '../../log/notes.ts';
import { actions } from '../../moderation/actions.ts';
import { type ModerationCount, moderationReasons, toAppeal } from '../../moderation/moderation.ts';
import { getProof } from '../../tools/get-proof.ts';
import { type NewEntry, toLogEntryPage, toLogPage } from '../../views/history-page.ts';
import { call, type Face, type HttpEnvironment, type Request } from '../call.ts';
import { wantsPage } from '../problems.ts';
import { answerJson } from '../response.ts';

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

/** The transparency log: checkpoints, tiles, entries, proofs and keys of every log (docs/log.md). */
export const createLogRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/log', (c) => answerLogs(c, face))
    .get('/log/entry/:index', (c) => answerEntry(c, face))
    .route('/log', createOneLogRoutes())
    .route('/log/:log{[1-9][0-9]*}', createOneLogRoutes());

const moderationStatement =
  'Every action of the operator on what is listed, rated or written here, counted by month, action, kind of target and reason. Each is also an entry "moderation.applied" of the log. What the registry deletes and what publishers opt out of is not counted here.';

const sumOf = (counts: readonly ModerationCount[], field: 'applied' | 'undone') =>
  counts.reduce((sum, count) => sum + count[field], 0);

async function readTransparency({ store, config }: Context) {
  const counts = await store.moderation.counts();
  return {
    statement: moderationStatement,
    appeal: toAppeal(config),
    actions: Object.fromEntries(
      actions.map(({ name }) => {
        const own = counts.filter(({ action }) => action === name);
        return [name, { applied: sumOf(own, 'applied'), undone: sumOf(own, 'undone') }];
      }),
    ),
    months: counts,
    reasons: moderationReasons,
  };
}

/** What the operator did, in counts: /transparency.json. */
export const createTransparencyRoutes = () =>
  new Hono<HttpEnvironment>().get('/transparency.json', async (c) =>
    answerJson(c, await readTransparency(c.get('context')), { cacheTags: 'all' }),
  );
