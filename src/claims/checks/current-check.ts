import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { CheckReads, SharedCheck } from '../../store/contract/checks.ts';

/** A place is checked at most once for a listing in this time. */
export const window_ms = 30_000;
/** A check that takes this much longer than its time-out is superseded. */
const grace_ms = 1000;
const pollEvery_ms = 100;

/** What a node needs to share checks. */
export type Node = Pick<Context, 'store' | 'clock' | 'timeouts' | 'runningChecks' | 'checkTurns' | 'caller'>;

/** What is checked: a listing, at the kind and key of a place. */
export interface CheckSubject {
  readonly handle: string;
  readonly place: string;
}

/** A finished check; `isRepeatable`: a first look that came before the commit, so that the next call looks at once. */
export interface RepeatableOutcome {
  readonly isRepeatable?: boolean;
}

/** What stands when a check is to begin: another one that counts, or that it began. */
export type Begun = { readonly current: SharedCheck } | { readonly isFirst: boolean };

/** A caller that would run the check. */
export interface Attempt {
  readonly owner: string;
  /** Owner of a check that ran too long: it counts only if it has finished after all. */
  readonly late: string | undefined;
}

/** The newest check of this place, if it began less than 30 seconds ago. */
async function findRecent(
  checks: CheckReads,
  { subject, node }: { subject: CheckSubject; node: Node },
): Promise<SharedCheck | undefined> {
  const newest = await checks.newest(subject.handle, subject.place);
  if (!newest) return undefined;
  const age_ms = Math.abs(node.clock().getTime() - Date.parse(newest.begun_at));
  return age_ms < window_ms ? newest : undefined;
}

/** The recent check if it counts: finished and not to be repeated, or still running. */
export async function findCurrent(
  checks: CheckReads,
  asked: { subject: CheckSubject; node: Node; late: string | undefined },
): Promise<SharedCheck | undefined> {
  const recent = await findRecent(checks, asked);
  if (!recent) return undefined;
  if (recent.outcome !== undefined)
    return (recent.outcome as RepeatableOutcome).isRepeatable ? undefined : recent;
  return recent.owner === asked.late ? undefined : recent;
}

/**
 * Records that a check begins, unless there is a current one, which is returned. `isFirst`: none of this place
 * began in the 30 seconds before.
 */
export const begin = (subject: CheckSubject, node: Node, { owner, late }: Attempt): Promise<Begun> =>
  node.store.write<Begun>(async (tx) => {
    const current = await findCurrent(tx.checks, { subject, node, late });
    if (current) return { current };
    const isFirst = (await findRecent(tx.checks, { subject, node })) === undefined;
    const begun_at = node.clock().toISOString();
    await tx.checks.put({
      ...subject,
      begun_at,
      owner,
      outcome: undefined,
    });
    return { isFirst };
  });

/** Waits until a running check has finished, or has run too long: its node died. Returns it if it has finished. */
export async function untilDone(
  { handle, place, owner, begun_at }: SharedCheck,
  { store, clock, timeouts }: Node,
): Promise<SharedCheck | undefined> {
  const longest_ms = timeouts.repositoryCheck_ms + grace_ms;
  const age_ms = clock().getTime() - Date.parse(begun_at);
  const end_ms = performance.now() + Math.max(0, longest_ms - Math.max(0, age_ms));
  while (performance.now() < end_ms) {
    await wait(pollEvery_ms);
    const newest = await store.checks.newest(handle, place);
    if (newest?.owner !== owner) return undefined;
    if (newest.outcome !== undefined) return newest;
  }
  return undefined;
}
