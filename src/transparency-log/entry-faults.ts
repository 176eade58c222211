import { differingRatingFields } from '../evidence/log/compare-record.ts';
import { type CommittedRecord, isCommittedTo } from '../evidence/log/leaf.ts';
import type { TreeHead } from '../evidence/log/merkle.ts';
import { isIncluded, leafHash } from '../evidence/log/merkle.ts';
import type { Rating } from '../evidence/rating/rating.ts';
import { logMismatches } from '../observability/events.ts';
import { Problem } from '../problem.ts';
import type { LogContext } from './keys.ts';

/** One entry as it is stored, and its place under a checkpoint. */
export interface StoredEntry {
  readonly leaf: string;
  readonly committed: CommittedRecord | undefined;
  /** Index within its log. */
  readonly index: number;
  readonly path: readonly Buffer[];
  readonly tree: TreeHead;
}

const isSubmission = (leaf: string) => /"t":"rating\.(submitted|amended)"/.test(leaf);

function ratingFault({ leaf, committed }: StoredEntry, rating: Rating): string | undefined {
  if (!isSubmission(leaf)) return 'the log entry is of another type';
  if (!committed) return undefined;
  const fields = differingRatingFields(JSON.parse(committed.record) as Record<string, unknown>, rating);
  return fields.length === 0 ? undefined : `the stored rating differs in ${fields.join(', ')}`;
}

/** What is wrong with a stored entry, or with the rating whose entry it should be; undefined if nothing is. */
export function findFault(entry: StoredEntry, rating: Rating | undefined): string | undefined {
  const { leaf, committed, index, path, tree } = entry;
  if (!isIncluded(leafHash(leaf), { index, ...tree }, path)) return 'the leaf is not in the tree';
  if (committed && !isCommittedTo(leaf, committed)) return 'the leaf does not commit to the stored record';
  return rating && ratingFault(entry, rating);
}

/** Logs and counts that the database disagrees with the log, and returns the problem to throw. */
export function reportFault({ log }: Pick<LogContext, 'log'>, log_index: number, fault: string): Problem {
  logMismatches.publish({ log_index });
  log.error({ log_index, fault }, 'the database disagrees with the transparency log');
  return new Problem('internal', {
    detail: 'What is stored for this entry disagrees with the log, so no proof is given.',
  });
}
