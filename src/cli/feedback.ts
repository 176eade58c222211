import type { Config } from '../config/config.ts';
import { usageError } from '../core/process.ts';
import type { Feedback } from '../moderation/moderation.ts';
import type { Store } from '../store/store.ts';
import { print, withStore } from './shell.ts';

type FeedbackKind = 'report' | 'feedback';

const names = {
  feedback: { none: 'feedback', command: 'dossier feedback' },
  report: { none: 'reports', command: 'dossier reports' },
} as const;

const toFeedbackLine = (row: Feedback, kind: FeedbackKind) =>
  [
    row.id,
    row.received_at,
    row.state,
    ...(kind === 'report' ? [row.rating_id ? `rating ${row.rating_id}` : ''] : [row.category ?? '-']),
    row.handle ?? '-',
    row.message.split('\n')[0]?.slice(0, 80),
  ]
    .filter(Boolean)
    .join('  ');

export async function listFeedback(
  config: Config,
  kind: FeedbackKind,
  { all: isAll = false, limit: typed }: { readonly all?: boolean; readonly limit: string },
): Promise<void> {
  if (!/^[1-9]\d{0,5}$/.test(typed)) throw usageError(`--limit ${typed}: a number from 1 to 999999`);
  const limit = Number(typed);
  await withStore(config, async ({ feedback }) => {
    const filter = { state: isAll ? 'all' : 'open', kind } as const;
    const rows = await feedback.list(filter, limit);
    for (const row of rows) print(toFeedbackLine(row, kind));
    const { none, command } = names[kind];
    if (rows.length === 0) print(`No ${isAll ? '' : 'open '}${none}.`);
    const total = rows.length < limit ? rows.length : await feedback.count(filter);
    if (total > rows.length) {
      const all = isAll ? ' --all' : '';
      print(`The newest ${rows.length} of ${total}; ${command} list${all} --limit ${total} prints all.`);
    }
  });
}

async function find({ feedback }: Pick<Store, 'feedback'>, kind: FeedbackKind, id: string) {
  const found = await feedback.byId(id);
  if (found && (found.category === 'report') === (kind === 'report')) return found;
  throw usageError(`no ${kind} has the id ${id}; see ${names[kind].command} list --all`);
}

export const showFeedback = (config: Config, kind: FeedbackKind, id: string): Promise<void> =>
  withStore(config, async (store) => {
    for (const [name, value] of Object.entries(await find(store, kind, id))) print(`${name}: ${value}`);
  });

export const closeFeedback = (config: Config, kind: FeedbackKind, id: string): Promise<void> =>
  withStore(config, async (store) => {
    await store.write(async (tx) => {
      await find(tx, kind, id);
      await tx.feedback.close(id);
    });
    print(`closed ${id}`);
  });
