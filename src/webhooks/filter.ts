import { z } from 'zod';
import type { Context } from '../context.ts';
import { type Change, takesTag } from '../evidence/change.ts';
import type { WebhookFilter } from '../evidence/webhook.ts';
import { Problem } from '../problem.ts';
import type { ChangeFilter } from '../store/contract/changes.ts';
import { findListing } from '../tools/support/find-listing.ts';
import { handleInput } from '../tools/support/inputs.ts';
import { changesOf, findPass } from '../tools/support/view-members.ts';

/** The fields of a registration that say what it is about: one of them, or none for every change. */
export const webhookFilterFields = {
  handle: handleInput.optional(),
  publisher: z.string().min(1).max(200).optional(),
  tag: z.string().min(1).max(100).optional(),
  view: z.string().min(1).max(40).optional(),
};

type FilterFields = z.output<z.ZodObject<typeof webhookFilterFields>>;

const kinds = ['handle', 'publisher', 'tag', 'view'] as const;

async function requireKnown({ kind, value }: WebhookFilter, context: Context): Promise<void> {
  if (kind === 'handle') await findListing(value, context);
  if (kind === 'publisher') {
    const [known] = await context.store.listings.completions('namespace', value, 1);
    if (known !== value) throw new Problem('not_found', { detail: 'No listing has this namespace.' });
  }
  if (kind === 'view' && !context.config.views.some(({ name }) => name === value))
    throw new Problem('not_found', { detail: 'No view has this name; /views lists them all.' });
}

/** What the fields ask for. Throws invalid_input if they name more than one thing, or the problem of an unknown one. */
export async function toFilter(fields: FilterFields, context: Context): Promise<WebhookFilter> {
  const [named, another] = kinds.flatMap((kind) => {
    const value = fields[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
  if (another) {
    const message = `cannot stand beside ${named?.kind}: a webhook is about one of them, or about every change`;
    throw new Problem('invalid_input', {
      fields: [{ field: another.kind, message }],
      detail: `${another.kind} ${message}.`,
    });
  }
  const filter = named ?? { kind: 'all', value: '' };
  await requireKnown(filter, context);
  return filter;
}

/** What of a filter the store itself can answer. */
export function toChangeFilter({ kind, value }: WebhookFilter): ChangeFilter {
  if (kind === 'handle') return { handle: value };
  return kind === 'publisher' ? { namespace: value } : {};
}

const viewOf = (name: string, { config }: Context) => config.views.find((view) => view.name === name);

/** Whether it is known what a filter asks for: the listings of a view are, once all were judged by its criteria. */
export async function isKnown({ kind, value }: WebhookFilter, context: Context): Promise<boolean> {
  const view = kind === 'view' ? viewOf(value, context) : undefined;
  return view === undefined || (await findPass(view, context)) !== undefined;
}

/**
 * Whether a change of the filter's ChangeFilter is one that the filter asks for. A tag is that of the listing now, or one
 * that the change took from it.
 */
export async function matchesFilter(
  { kind, value }: WebhookFilter,
  change: Change,
  context: Context,
): Promise<boolean> {
  if (kind === 'tag') {
    const listing = await context.store.listings.byHandle(change.handle);
    return takesTag(change, value) || (listing?.tags.some(({ tag }) => tag === value) ?? false);
  }
  if (kind !== 'view') return true;
  const view = viewOf(value, context);
  return view !== undefined && (await changesOf(view, [change], context)).length > 0;
}
