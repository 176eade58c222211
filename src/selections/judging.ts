import { setTimeout as wait } from 'node:timers/promises';
import { keyOf } from '../config/files.ts';
import type { Context } from '../context.ts';
import { every } from '../core/every.ts';
import { readPages } from '../core/paging/pages.ts';
import { day_ms } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import { sampleSource } from '../listings/listing.ts';
import type { Reads } from '../store/store.ts';
import { handlesOf, judgeFacts } from './members.ts';
import type { SelectionTransaction } from './schema.ts';

const pause_ms = 1000;
/** Some criteria depend on the time alone. */
const betweenPasses_ms = 600_000;
/** If no node judges a selection for so long, it is forgotten. */
const longestUnused_ms = day_ms;
/** Without a pause. */
const batch = 20;
/** The judge rests so many times as long as a batch took, so that requests go first. */
const restPerWork = 3;
const changesAtOnce = 500;
/** The most in a view (config/files.ts). */
const mostApproved = 1000;

type JudgeContext = Pick<Context, 'config' | 'store' | 'clock'>;

async function findMoves(reads: Reads, handles: readonly string[], context: JudgeContext) {
  const { views: selections } = context.config;
  const now = context.clock().toISOString();
  const spans = await Promise.all(
    selections.map((selection) => reads.selections.spans(keyOf(selection), handles)),
  );
  const facts = await reads.documents.factsOfAll(handles, now);
  const found = new Map(facts.map((one) => [one.listing.handle, one]));
  const moves = await inTurns(handles, (handle) => {
    const judged = judgeFacts(found.get(handle), selections, context);
    return selections.flatMap((selection, at) => {
      const span = spans[at]?.find((one) => one.handle === handle && one.left_seq === null);
      const failed = judged ? (judged.memberships[at]?.failed ?? []) : [];
      const isIn = judged !== undefined && failed.length === 0;
      if (isIn !== (span === undefined)) return [];
      return [{ selection, handle, joined_seq: span?.joined_seq, failed: isIn ? undefined : failed }];
    });
  });
  return moves.flat();
}
/** `failed`: undefined for one that joins. */
type SelectionMove = Awaited<ReturnType<typeof findMoves>>[number];

async function apply(
  tx: SelectionTransaction,
  { selection, handle, joined_seq = 0, failed }: SelectionMove,
  at: string,
) {
  const key = keyOf(selection);
  const type = failed ? 'view.left' : 'view.joined';
  await tx.changes.add([{ type, handle, at, data: { view: selection.name, ...(failed && { failed }) } }]);
  const seq = (await tx.changes.newest(1))[0]?.seq ?? 0;
  const span = failed ? { joined_seq, left_seq: seq } : { joined_seq: seq, left_seq: null };
  await tx.selections.putSpan({ view: key, handle, ...span });
}

/** Nothing joins a selection that is judged for the first time. */
async function judgeBatch(handles: readonly string[], context: JudgeContext): Promise<void> {
  const found = await findMoves(context.store, handles, context);
  const moving = [...new Set(found.map(({ handle }) => handle))];
  if (moving.length === 0) return;
  await context.store.write(async (tx) => {
    const judged = new Set((await tx.selections.passes()).map(({ view }) => view));
    // Under the write lock, because another node may have seen a later state.
    for (const move of await findMoves(tx, moving, context)) {
      const key = keyOf(move.selection);
      if (judged.has(key)) await apply(tx, move, context.clock().toISOString());
      else if (!move.failed)
        await tx.selections.putSpan({ view: key, handle: move.handle, joined_seq: 0, left_seq: null });
    }
  });
}

/** Rejects after the signal. */
export function createSelectionJudge(context: JudgeContext, signal?: AbortSignal) {
  const { store, config, clock } = context;
  let position: number | undefined;
  const newest = async () => (await store.changes.newest(1))[0]?.seq ?? 0;
  const judge = async (handles: readonly string[]) => {
    for (let at = 0; at < handles.length; at += batch) {
      const began_ms = performance.now();
      await judgeBatch(handles.slice(at, at + batch), context);
      await wait((performance.now() - began_ms) * restPerWork, undefined, { signal, ref: false });
    }
  };
  /** In any process, since the last call. */
  const follow = async () => {
    // The earliest of the last passes, or else the newest change, because the first pass judges all.
    position ??= Math.min(await newest(), ...(await store.selections.passes()).map(({ seq }) => seq));
    for (;;) {
      const changes = await store.changes.after(position, changesAtOnce);
      const others = changes.filter(({ type }) => !type.startsWith('view.'));
      await judge([...new Set(others.map(({ handle }) => handle))]);
      position = changes.at(-1)?.seq ?? position;
      if (changes.length < changesAtOnce) return;
    }
  };
  /** The file may have changed. */
  const approved = async () => {
    const withApprovals = config.views.filter(({ approvals }) => approvals);
    const stored = withApprovals.map((selection) =>
      store.selections.members(keyOf(selection), '', mostApproved),
    );
    await judge([...new Set([...withApprovals.flatMap(handlesOf), ...(await Promise.all(stored)).flat()])]);
  };
  const pass = async () => {
    if (config.views.length === 0) return;
    const seq = await newest();
    await judge(await store.selections.unlisted());
    const read = (last?: { readonly handle: string }) => store.listings.page(last?.handle ?? '', batch);
    for await (const page of readPages(batch, read)) {
      await judge(page.map(({ handle }) => handle));
      await follow();
    }
    const now = clock();
    const before = new Date(now.getTime() - longestUnused_ms).toISOString();
    await store.write(async (tx) => {
      for (const selection of config.views)
        await tx.selections.putPass({ view: keyOf(selection), seq, passed_at: now.toISOString() }, before);
    });
  };
  return { approved, follow, pass };
}

/**
 * Not before an import from a registry has ended: it writes no changes, so its listings would seem to join.
 */
async function isPassDue({ config, store, clock }: JudgeContext): Promise<boolean> {
  const { done } = await store.imports.last();
  if (!done || done.source === sampleSource) return false;
  const passes = new Map((await store.selections.passes()).map(({ view, passed_at }) => [view, passed_at]));
  const oldest = new Date(clock().getTime() - betweenPasses_ms).toISOString();
  return config.views.some((selection) => (passes.get(keyOf(selection)) ?? '') <= oldest);
}

/** Never throws. */
export async function startJudgingSelections(context: Context, signal: AbortSignal): Promise<void> {
  const judge = createSelectionJudge(context, signal);
  let known: Context['config']['views'] | undefined;
  await every({
    signal,
    pause_ms,
    async run() {
      const { views } = context.config;
      if (views.length === 0) return;
      if (known !== views) await judge.approved();
      known = views;
      await judge.follow();
      if (await isPassDue(context)) await judge.pass();
    },
    onError: (err) =>
      context.log.warn({ err }, 'the listings of views could not be judged; this is tried again'),
  });
}
