import { isIP } from 'node:net';
import { isHandle } from '../core/handle.ts';
import type { ModerationReason, ModerationTarget, ModerationTargetKind } from '../moderation/moderation.ts';
import { readBlockable } from '../moderation/require-may-write.ts';
import type { RatingTransaction } from '../ratings/schema.ts';

/** The message tells the operator why nothing was done. */
export class NotModerated extends Error {}

export interface FoundTarget extends ModerationTarget {
  /** The listing that shows the action. */
  readonly handle?: string | undefined;
  /** Whose listings get a change: for a rating, the rated one and then its source. */
  readonly reportedTo: readonly string[];
  /** A rating's own first. */
  readonly record_indexes: readonly number[];
  /** Without erased ones; none if it is erased itself. */
  readonly older?: readonly { readonly id: string; readonly record_indexes: readonly number[] }[];
}

/** `apply` or `undo` runs after the row and the log entry are written. */
export interface Action {
  /** As in `dossier moderate` and in published records. */
  readonly name: string;
  readonly summary: string;
  readonly targets: readonly ModerationTargetKind[];
  readonly reasons: readonly ModerationReason[];
  /** For a rating: only its record, or also those of its withdrawal, its response and its older versions. */
  readonly reach?: 'own_record' | 'older_versions';
  /** As the operator writes a target. */
  readonly example: string;
  /** Completes "The operator of this directory ...". */
  did(target: ModerationTarget): string;
  consequence(target: ModerationTarget): string;
  apply?(
    tx: RatingTransaction,
    target: FoundTarget,
    application: { readonly at: string; readonly reason: ModerationReason },
  ): Promise<void>;
  /** Absent if the action is final, or only its row changes. */
  undo?(tx: RatingTransaction, target: FoundTarget): Promise<void>;
  readonly isFinal?: true;
}

const namespace = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,198}[A-Za-z0-9])?$/;
/** `host/owner` of a forge, or a domain. */
const account = /^[a-z0-9-]+(\.[a-z0-9-]+)+(\/[^/\s]+)?$/;

const named = {
  response: (text: string) => text !== '',
  namespace: (text: string) => namespace.test(text),
  account: (text: string) => account.test(text),
  network: (text: string) => readBlockable(text) !== undefined,
} as const;

/** The forms of docs/moderation.md. */
export function readTarget(text: string): ModerationTarget | undefined {
  const [, kind, rest = ''] = /^(response|namespace|account|network):(.*)$/.exec(text) ?? [];
  if (kind !== undefined) {
    const target_kind = kind as keyof typeof named;
    const target = target_kind === 'response' ? rest : rest.toLowerCase();
    return named[target_kind](target) ? { target_kind, target } : undefined;
  }
  if (/^[0-9a-f]{16}$/.test(text)) return { target_kind: 'capability', target: text };
  if (/^[0-9a-f-]{36}$/.test(text)) return { target_kind: 'rating', target: text };
  return isHandle(text) && isIP(text) === 0 ? { target_kind: 'listing', target: text } : undefined;
}

type ModeratedRating = NonNullable<Awaited<ReturnType<RatingTransaction['ratings']['byId']>>>;

const nothing = (what: string) => new NotModerated(`there is no ${what}`);

async function recordsOf(tx: RatingTransaction, rating: ModeratedRating): Promise<number[]> {
  const { id, log_index, withdrawn_by, superseded_by, erased_at } = rating;
  const response = await tx.ratings.response(id);
  const answered = response && !response.erased_at ? [response.log_index] : [];
  // The log entry of a withdrawal names only the newest version, although the older ones are withdrawn too.
  const isOwnEnd = withdrawn_by !== undefined && superseded_by === undefined && erased_at === undefined;
  return [log_index, ...(isOwnEnd ? [withdrawn_by] : []), ...answered];
}

async function findOlder(tx: RatingTransaction, rating: ModeratedRating) {
  if (rating.erased_at) return [];
  const { source_handle, subject_handle, interaction_id } = rating;
  const versions = await tx.ratings.versions(source_handle, subject_handle, interaction_id);
  const older = versions.slice(
    0,
    versions.findIndex(({ id }) => id === rating.id),
  );
  return Promise.all(older.map(async (one) => ({ id: one.id, record_indexes: await recordsOf(tx, one) })));
}

async function findRating(tx: RatingTransaction, target: ModerationTarget): Promise<FoundTarget> {
  const rating = await tx.ratings.byId(target.target);
  if (!rating) throw nothing(`rating ${target.target}`);
  const { subject_handle: handle, source_handle } = rating;
  if (target.target_kind === 'rating') {
    const record_indexes = await recordsOf(tx, rating);
    return {
      ...target,
      handle,
      reportedTo: [handle, source_handle],
      record_indexes,
      older: await findOlder(tx, rating),
    };
  }
  const response = await tx.ratings.response(target.target);
  if (!response) throw nothing(`response to rating ${target.target}`);
  return { ...target, handle, reportedTo: [handle], record_indexes: [response.log_index] };
}

export async function findTarget(tx: RatingTransaction, target: ModerationTarget): Promise<FoundTarget> {
  if (target.target_kind === 'rating' || target.target_kind === 'response') return findRating(tx, target);
  if (target.target_kind === 'listing') {
    if (!(await tx.listings.byHandle(target.target))) throw nothing(`listing ${target.target}`);
    return { ...target, handle: target.target, reportedTo: [target.target], record_indexes: [] };
  }
  if (target.target_kind !== 'capability') return { ...target, reportedTo: [], record_indexes: [] };
  const capability = await tx.claims.capabilityById(target.target);
  if (!capability) throw nothing(`capability with the id ${target.target}`);
  return { ...target, handle: capability.handle, reportedTo: [capability.handle], record_indexes: [] };
}
