import { createHash } from 'node:crypto';
import { z } from 'zod';
import { criterionNames, findValueError, type RequestedCriterion } from './criteria.ts';

const criterion = z
  .strictObject({
    criterion: z.enum(criterionNames),
    value: z.union([z.string().max(300), z.int()]).optional(),
  })
  .superRefine((sent, { addIssue }) => {
    const message = findValueError(sent);
    if (message) addIssue({ code: 'custom', path: ['value'], message, input: sent.value });
  });

const view = z.strictObject({
  title: z.string().min(1).max(100),
  description: z.string().max(1000).optional(),
  criteria: z.array(criterion).min(1).max(20),
  unknown: z.enum(['exclude', 'include']).default('exclude'),
});

/** The content of the file that VIEWS names: views by their names. */
export const viewsForm = z.record(z.string().regex(/^[a-z0-9-]{1,40}$/, 'a name of a-z, 0-9 and -'), view);

/** The operator's criteria under a name; what meets them now is listed. Not a verdict of this service. */
export interface SavedView {
  readonly name: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly criteria: readonly RequestedCriterion[];
  /** Whether a criterion whose answer is not known counts as met. */
  readonly unknown: 'exclude' | 'include';
}

/** A view with its criteria, as its members are stored: with other criteria it is another view. */
export const keyOf = ({ name, criteria, unknown }: SavedView): string =>
  `view ${name} ${createHash('sha256')
    .update(JSON.stringify([criteria, unknown]))
    .digest('hex')
    .slice(0, 16)}`;

/** The views of a parsed file, by name. */
export const toViews = (read: z.output<typeof viewsForm>): SavedView[] =>
  Object.entries(read).map(([name, one]) => ({ name, ...one }));
