import { Hono } from 'hono';
import type { Context } from '../../../context.ts';
import type { ModerationCount } from '../../../evidence/moderation/moderation.ts';
import { toAppeal } from '../../../evidence/moderation/moderation.ts';
import { moderationReasons } from '../../../evidence/moderation/reasons.ts';
import { actions } from '../../../moderation/actions/index.ts';
import type { HttpEnvironment } from '../../environment.ts';
import { answerJson } from '../../response/answers.ts';

const statement =
  'Every action of the operator on what is listed, rated or written here, counted by month, action, kind of target and reason. Each is also an entry "moderation.applied" of the log. What the registry deletes and what publishers opt out of is not counted here.';

const sumOf = (counts: readonly ModerationCount[], field: 'applied' | 'undone') =>
  counts.reduce((sum, count) => sum + count[field], 0);

/** Totals of each action, those that were never taken included. */
const toTotals = (counts: readonly ModerationCount[]) =>
  Object.fromEntries(
    actions.map(({ name }) => {
      const own = counts.filter(({ action }) => action === name);
      return [name, { applied: sumOf(own, 'applied'), undone: sumOf(own, 'undone') }];
    }),
  );

async function readTransparency({ store, config }: Context) {
  const counts = await store.moderation.counts();
  return {
    statement,
    appeal: toAppeal(config),
    actions: toTotals(counts),
    months: counts,
    reasons: moderationReasons,
  };
}

/** What the operator did, in counts: /transparency.json. */
export const createTransparencyRoutes = () =>
  new Hono<HttpEnvironment>().get('/transparency.json', async (c) =>
    answerJson(c, await readTransparency(c.get('context')), { cacheTags: 'all' }),
  );
