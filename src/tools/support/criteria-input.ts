import { z } from 'zod';
import {
  type CriterionName,
  criteria,
  criterionNames,
  findValueError,
  type RequestedCriterion,
} from '../../evidence/comparison/criteria.ts';
import { defaultCriteria } from '../../evidence/comparison/default-criteria.ts';
import { findNearest } from './filter-inputs.ts';

const maxCriteria = 20;

const criterionInput = z.union([
  z.string().max(400),
  z.strictObject({
    criterion: z.string().max(100),
    value: z.union([z.string().max(300), z.int()]).optional(),
  }),
]);
type Sent = z.output<typeof criterionInput>;

/** Whether no two values are equal. */
export const isUnique = (values: readonly unknown[]): boolean =>
  new Set(values.map((value) => JSON.stringify(value))).size === values.length;

const isName = (name: string): name is CriterionName => Object.hasOwn(criteria, name);

/** `updated_within_days:180` as its two parts; a number is one where the criterion takes one. */
function toParts(sent: Sent): { readonly name: string; readonly value?: string | number | undefined } {
  if (typeof sent !== 'string') return { name: sent.criterion, value: sent.value };
  const [name = '', text] = sent.split(/:(.*)/s);
  const isNumber = isName(name) && criteria[name].takes.kind === 'number' && /^\d{1,9}$/.test(text ?? '');
  return { name, value: isNumber ? Number(text) : text };
}

function toCriterion(sent: Sent): RequestedCriterion | undefined {
  const { name, value } = toParts(sent);
  return isName(name) ? { criterion: name, ...(value !== undefined && { value }) } : undefined;
}

/** Why a criterion is not one of the vocabulary, or its value not allowed. */
function findError(sent: Sent): string | undefined {
  const known = toCriterion(sent);
  if (known) return findValueError(known);
  const nearest = findNearest(toParts(sent).name, criterionNames);
  return `must be one of ${criterionNames.join(', ')}${nearest ? `; the nearest is ${nearest}` : ''}`;
}

/** The criteria of a comparison as callers send them: `name`, `name:value`, or an object of both. */
export const criteriaInput = z
  .array(criterionInput)
  .min(1)
  .max(maxCriteria)
  .superRefine((sent, { addIssue }) => {
    for (const [at, one] of sent.entries()) {
      const message = findError(one);
      const member = toCriterion(one) ? 'value' : 'criterion';
      if (message) addIssue({ code: 'custom', path: typeof one === 'string' ? [at] : [at, member], message });
    }
  })
  .refine((sent) => isUnique(sent.map(toCriterion)), 'must name each criterion once')
  .optional()
  .describe(
    `Each as name, name:value or {criterion, value}; a value is a choice, a tag, a price ("0.01 USDC") or a whole number. Names: ${criterionNames.join(', ')}. Without it, those that /compare begins with`,
  );

/** The criteria of the vocabulary; the usual ones where none was sent. */
export function toRequested(sent: z.output<typeof criteriaInput>): readonly RequestedCriterion[] {
  return sent?.flatMap((one) => toCriterion(one) ?? []) ?? defaultCriteria;
}
