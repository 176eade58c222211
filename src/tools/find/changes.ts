import { keyOf } from '../../config/files.ts';
import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { requireNamespace } from '../../listings/publishers.ts';
import type { Change, ChangeFilter } from '../../log/change.ts';
import { changesOf, requireJudged, requireSelection } from '../../selections/members.ts';
import { findListing } from './listing.ts';
import { refuseUnknownTag } from './near-misses.ts';

export interface ChangeSubject {
  readonly kind: 'all' | 'handle' | 'publisher' | 'tag' | 'view';
  readonly value: string;
}

export function toChangeFilter({ kind, value }: ChangeSubject): ChangeFilter {
  if (kind === 'handle') return { handle: value };
  return kind === 'publisher' ? { namespace: value } : {};
}

async function withTag(tag: string, changes: readonly Change[], { store }: Context): Promise<Change[]> {
  const found = await store.listings.byHandles([...new Set(changes.map(({ handle }) => handle))]);
  const tagged = found.filter(({ tags }) => tags.some((one) => one.tag === tag));
  const names = new Set(tagged.map(({ handle }) => handle));
  return changes.filter(
    ({ handle, data: { left_tags: left } }) =>
      names.has(handle) || (Array.isArray(left) && left.includes(tag)),
  );
}

async function pickChanges(
  { kind, value }: ChangeSubject,
  changes: readonly Change[],
  context: Context,
): Promise<readonly Change[]> {
  if (kind === 'tag') return withTag(value, changes, context);
  if (kind !== 'view') return changes;
  const view = context.config.views.find(({ name }) => name === value);
  return view ? changesOf(view, changes, context) : [];
}

/** Only for a change that the subject's ChangeFilter finds. */
export const isAbout = async (subject: ChangeSubject, change: Change, context: Context): Promise<boolean> =>
  (await pickChanges(subject, [change], context)).length > 0;

/** A withdrawn listing exists, because a change says that it was withdrawn. */
export async function requireSubject({ kind, value }: ChangeSubject, context: Context): Promise<void> {
  if (kind === 'handle')
    await findListing(value, context).catch((error: unknown) => {
      if (!(error instanceof Problem && error.code === 'listing_withdrawn')) throw error;
    });
  if (kind === 'publisher') requireNamespace(value);
  if (kind === 'tag') await refuseUnknownTag(value, context);
  if (kind === 'view') requireSelection(value, context);
}

const newest = 50;
/** Changes that the store cannot filter are picked from this many. */
const newestOfAll = 500;

/** Newest first. Throws a problem without such a subject, and unavailable until a view has been judged. */
export async function readNewest(subject: ChangeSubject, context: Context): Promise<readonly Change[]> {
  await requireSubject(subject, context);
  if (subject.kind === 'view') await requireJudged(requireSelection(subject.value, context), context);
  const { store } = context;
  const isPicked = subject.kind === 'tag' || subject.kind === 'view';
  const read = await store.changes.newest(isPicked ? newestOfAll : newest, toChangeFilter(subject));
  const picked = await pickChanges(subject, read, context);
  if (subject.kind !== 'view') return picked.slice(0, newest);
  const moves = await store.selections.moves(keyOf(requireSelection(subject.value, context)), newest);
  const all = new Map([...moves, ...picked].map((change) => [change.seq, change]));
  return [...all.values()].toSorted((a, b) => b.seq - a.seq).slice(0, newest);
}
