import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../config/exit.ts';
import type { Feedback } from '../evidence/feedback.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';

const listed = 200;

async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const firstLine = ({ message }: Feedback) => message.split('\n')[0]?.slice(0, 80) ?? '';

/** Prints one line a feedback, newest first. */
export const listFeedback = (config: Config, all: boolean): Promise<void> =>
  withStore(config, async (store) => {
    const rows = await store.feedback.list(all ? 'all' : 'open', listed);
    for (const row of rows) {
      process.stdout.write(
        `${row.id}  ${row.received_at}  ${row.state}  ${row.category ?? '-'}  ${row.handle ?? '-'}  ${firstLine(row)}\n`,
      );
    }
    if (rows.length === 0) process.stdout.write('No feedback.\n');
  });

const notFound = (id: string) =>
  new ExitError(exitCodes.usage, `no feedback has the id ${id}; see dossier feedback list --all`);

/** Prints one feedback whole. */
export const showFeedback = (config: Config, id: string): Promise<void> =>
  withStore(config, async (store) => {
    const feedback = await store.feedback.byId(id);
    if (!feedback) throw notFound(id);
    for (const [name, value] of Object.entries(feedback)) process.stdout.write(`${name}: ${value}\n`);
  });

/** Closes one feedback. */
export const closeFeedback = (config: Config, id: string): Promise<void> =>
  withStore(config, async (store) => {
    if (!(await store.write((tx) => tx.feedback.close(id)))) throw notFound(id);
    process.stdout.write(`closed ${id}\n`);
  });
