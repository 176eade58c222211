import { z } from 'zod';
import type { Context } from '../context.ts';
import { wrongField } from '../core/problem.ts';
import { findPass } from '../selections/members.ts';
import { type ChangeSubject, requireSubject } from '../tools/find/changes.ts';
import { handleInput } from '../tools/input/fields.ts';

/** At most one; without any, every change. */
export const webhookFilterFields = {
  handle: handleInput.optional(),
  publisher: z.string().min(1).max(200).optional(),
  tag: z.string().min(1).max(100).optional(),
  view: z.string().min(1).max(40).optional(),
};

const kinds = ['handle', 'publisher', 'tag', 'view'] as const;

/** Throws invalid_input for several fields, or a problem if the subject does not exist. */
export async function toFilter(
  fields: z.output<z.ZodObject<typeof webhookFilterFields>>,
  context: Context,
): Promise<ChangeSubject> {
  const [named, another] = kinds.flatMap((kind) => {
    const value = fields[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
  if (another)
    throw wrongField(
      another.kind,
      `cannot be combined with ${named?.kind}: a webhook is about one of the two, or about every change`,
    );
  const filter = named ?? { kind: 'all', value: '' };
  await requireSubject(filter, context);
  return filter;
}

/** Listings of a view are unknown until all were judged by its criteria. */
export async function isKnownSubject({ kind, value }: ChangeSubject, context: Context): Promise<boolean> {
  const view = kind === 'view' ? context.config.views.find(({ name }) => name === value) : undefined;
  return view === undefined || (await findPass(view, context)) !== undefined;
}
