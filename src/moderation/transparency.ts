import type { Context } from '../context.ts';
import { actions } from './actions.ts';
import { moderationReasons, toAppeal } from './moderation.ts';

const statement =
  'Every action of the operator on what is listed, rated or written here, counted by month, action, kind of target and reason. Each is also an entry "moderation.applied" of the log. What the registry deletes and what publishers opt out of is not counted here.';

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** What the operator did, in counts. */
export async function readTransparency({ store, config }: Pick<Context, 'store' | 'config'>) {
  const counts = await store.moderation.counts();
  return {
    statement,
    appeal: toAppeal(config),
    actions: Object.fromEntries(
      actions.map(({ name }) => {
        const own = counts.filter(({ action }) => action === name);
        const [applied, undone] = [own.map((one) => one.applied), own.map((one) => one.undone)];
        return [name, { applied: sumOf(applied), undone: sumOf(undone) }];
      }),
    ),
    months: counts,
    reasons: moderationReasons,
  };
}
