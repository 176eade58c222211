import { Hono } from 'hono';
import { type Change, isChangeId } from '../../../evidence/change.ts';
import { Problem } from '../../../problem.ts';
import type { HttpEnvironment, Request } from '../../environment.ts';
import { answerWithETag } from '../../response/answers.ts';

const page = 1000;
const beginning = '0';

/** Whether a text is what `since` may be. Throws invalid_input. */
function readSince(since: string): string {
  if (since === beginning || isChangeId(since)) return since;
  const message = 'is 0, or the id of the last change that you have';
  throw new Problem('invalid_input', { fields: [{ field: 'since', message }], detail: `since ${message}.` });
}

/** The changes after one. Throws position_gone if the stream does not have that change. */
async function readAfter(since: string, c: Request): Promise<readonly Change[]> {
  const { changes } = c.get('context').store;
  if (since === beginning) return changes.after(0, page);
  const [known, ...later] = await changes.after(Number.parseInt(since, 10) - 1, page + 1);
  if (known?.id !== since) throw new Problem('position_gone');
  return later;
}

/** One page of changes as JSON lines; a header repeats the id of the last one, after which the next page begins. */
async function answerLines(c: Request): Promise<Response> {
  const since = readSince(c.req.query('since') ?? beginning);
  const changes = await readAfter(since, c);
  c.header('Access-Control-Allow-Origin', '*');
  c.header('Dossier-Next-Since', changes.at(-1)?.id ?? since);
  const body = changes.map((change) => `${JSON.stringify(change)}\n`).join('');
  return answerWithETag(c, { type: 'application/jsonl; charset=utf-8', body });
}

/** The stream of changes as JSON lines (docs/changes.md). */
export const createChangeRoutes = () => new Hono<HttpEnvironment>().get('/changes', answerLines);
