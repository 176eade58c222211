import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { type DumpFolder, rewriteDump, takenFrom, writeDump } from './files.ts';

const longestAge_ms = 3_600_000;
/** Then callers wait for a new one. */
const longestSent_ms = 12 * longestAge_ms;
/** Times the length of the rewriting before, so that withdrawals do not keep a node busy. */
const pauseShare = 10;
/** Callers wait for the pause. */
const longestPause_ms = 3000;
/** The service itself asks, so that callers seldom wait. */
const asksEvery_ms = 600_000;

const hasFile = ({ manifest }: DumpFolder, path: string) => manifest.files.some((file) => file.path === path);

/**
 * Callers get the present dump while a new one is written, unless it is too old. It takes into account every
 * withdrawal and action of the operator before the request.
 */
export function createDumps(context: Context) {
  const { clock, config, log, store } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Callers with the manifest of the older one still read its files. */
  let written: readonly DumpFolder[] = [];
  let writing: Promise<DumpFolder> | undefined;
  /** `next` has not begun, so all callers share it. */
  let rewriting: Promise<unknown> | undefined;
  let next: Promise<DumpFolder> | undefined;
  let pause_ms = 0;
  const ageOf_ms = ({ manifest }: DumpFolder) => clock().getTime() - Date.parse(manifest.created_at);
  const isSendable = async (dump: DumpFolder) => (await takenFrom(dump, store)).size === 0;
  const keep = async (dumps: readonly DumpFolder[]) => {
    const gone = written.filter((dump) => !dumps.includes(dump));
    written = dumps;
    await Promise.all(gone.map(({ remove }) => remove()));
  };
  const begin = () => {
    writing ??= writeDump(context, signal)
      .then(async (dump) => {
        await keep([dump, ...written.slice(0, 1)]);
        return dump;
      })
      .finally(() => {
        writing = undefined;
      });
    return writing;
  };
  const rewriteNewest = async (): Promise<DumpFolder> => {
    const [dump, ...older] = written;
    if (!dump) return begin();
    if (await isSendable(dump)) return dump;
    const began_ms = performance.now();
    const rewritten = await rewriteDump(dump, context, signal);
    pause_ms = Math.min(longestPause_ms, pauseShare * (performance.now() - began_ms));
    if (written[0] === dump) await keep([rewritten, ...older]);
    else await rewritten.remove();
    return written[0] === rewritten ? rewritten : rewriteNewest();
  };
  const afterRewriting = async () => {
    try {
      await rewriting?.catch(() => undefined);
      await wait(pause_ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    } finally {
      next = undefined;
    }
    const begun = rewriteNewest();
    rewriting = begun;
    return begun;
  };
  const rewrite = () => {
    next ??= afterRewriting();
    return next;
  };
  const warn = (error: unknown) =>
    signal.aborted || log.warn({ err: error }, 'a new dump could not be written');
  const read = async (): Promise<DumpFolder> => {
    const [newest] = written;
    const isTooOld = !newest || ageOf_ms(newest) >= longestSent_ms;
    if (!isTooOld && ageOf_ms(newest) >= longestAge_ms) begin().catch(warn);
    const dump = isTooOld ? await begin() : newest;
    return (await isSendable(dump)) ? dump : rewrite();
  };
  // In memory, all other reads would wait for the dump.
  const timer = setInterval(() => config.databaseUrl === ':memory:' || read().catch(warn), asksEvery_ms);
  timer.unref();
  return {
    read,
    async find(path: string) {
      const found = written.find((dump) => hasFile(dump, path));
      return found && ageOf_ms(found) < longestSent_ms && (await isSendable(found)) ? found : undefined;
    },
    async close() {
      clearInterval(timer);
      stopping.abort(new Problem('unavailable', { retry_after_s: 2 }));
      await Promise.all([writing, rewriting, next].map((one) => one?.catch(() => undefined)));
      await keep([]);
    },
  };
}
