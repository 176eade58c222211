import { z } from 'zod';
import { sentCriterion } from '../../config/files.ts';
import { countEdits } from '../../core/difference/edits.ts';
import { isJsonObject, ownMember, parseForeignJson } from '../../core/json.ts';
import { tokenize } from '../../core/text.ts';
import {
  criteria,
  criterionNames,
  defaultCriteria,
  findValueError,
  isCriterionName,
  type RequestedCriterion,
} from '../../document/criteria/criteria.ts';
import { isOnlyHandle } from '../../listings/references/name.ts';
import { readPriceLimit } from '../../observations/known/prices/assets.ts';
import type { ChangedHandles } from '../../store/store.ts';
import aliases from './aliases.json' with { type: 'json' };

/** Read if the tool has no such member itself. */
const otherNames: Readonly<Record<string, readonly string[]>> = aliases.members;

const otherValues: Readonly<Record<string, Readonly<Record<string, string>>>> = aliases.values;

const ofFilters: Readonly<Record<string, string>> = aliases.filters;

const unwrap = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
const isList = (schema: unknown): boolean => unwrap(schema) instanceof z.ZodArray;

/** A JSON array, or entries with commas between them. */
function toList(text: string): unknown {
  const parsed = /^\s*\[/.test(text) ? parseForeignJson(text) : undefined;
  const entries = text.split(',').map((entry) => entry.trim());
  return parsed ?? entries.filter((entry) => entry !== '');
}

/** No tool takes more, and many faults take long. */
const mostEntries = 2000;

function cutEntries(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value) && isList(schema)) return value.slice(0, mostEntries + 1);
  if (!isJsonObject(value) || !(unwrap(schema) instanceof z.ZodRecord)) return value;
  return Object.fromEntries(Object.entries(value).slice(0, mostEntries + 1));
}

export function toOwnNames({ input }: { readonly input: z.ZodObject }, sent: unknown): unknown {
  if (!isJsonObject(sent)) return sent;
  const own: Record<string, unknown> = { ...sent };
  const { shape } = input;
  for (const name of Object.keys(shape)) {
    const other = ownMember(otherNames, name)?.find(
      (one) => Object.hasOwn(own, one) && !Object.hasOwn(shape, one),
    );
    if (other !== undefined && !Object.hasOwn(own, name)) {
      own[name] = own[other];
      delete own[other];
    }
    const value = own[name];
    if (typeof value === 'string') own[name] = ownMember(ownMember(otherValues, name) ?? {}, value) ?? value;
    if (isList(shape[name]) && typeof own[name] === 'string') own[name] = toList(own[name]);
    if (Object.hasOwn(own, name)) own[name] = cutEntries(shape[name], own[name]);
  }
  return own;
}

/** The tool checks the form, so that a malformed handle is invalid_handle. */
export const handleInput = z.string().describe('<namespace>/<name>');

export const namedInput = z.string().describe('Handle, domain, endpoint, package or command');

/** Any change may decide what another name than a handle stands for. */
export const tagsOfNamed = ({ handle }: { readonly handle: string }): ChangedHandles =>
  isOnlyHandle(handle) ? [handle] : 'all';

export const cursorInput = z.string().max(400).optional();

function findNearest(sent: string, values: readonly string[]): string | undefined {
  const text = sent.trim().toLowerCase().slice(0, 40);
  const meant = ownMember(ofFilters, text) ?? '';
  if (values.includes(meant)) return meant;
  const similar = values
    .map((value) => ({
      value,
      edits: value.includes(text) || text.includes(value) ? 0 : countEdits(text, value),
    }))
    .filter(({ value, edits }) => text.length > 1 && edits <= Math.floor(value.length / 2))
    .sort((a, b) => a.edits - b.edits);
  return similar[0]?.value;
}

export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, {
    error: ({ input }) => {
      const nearest = typeof input === 'string' ? findNearest(input, values) : undefined;
      return `must be one of ${values.join(', ')}${nearest ? `; the nearest is ${nearest}` : ''}`;
    },
  });

export const tagInput = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,39}$/, {
  error: ({ input }) => {
    const tag = typeof input === 'string' ? tokenize(input.slice(0, 200)).join('-').slice(0, 40) : '';
    const nearest = /^[a-z0-9][a-z0-9.-]*$/.test(tag) ? `; the nearest is ${tag}` : '';
    return `must be at most 40 lower-case letters, digits, hyphens and dots, the first a letter or digit${nearest}`;
  },
});

const maxCriteria = 20;

const criterionInput = z.union([z.string().max(400), sentCriterion]);
type Sent = z.output<typeof criterionInput>;

export const isUnique = (values: readonly unknown[]): boolean =>
  new Set(values.map((value) => JSON.stringify(value))).size === values.length;

/** `updated_within_days:180` */
function toParts(sent: Sent): { readonly name: string; readonly value?: string | number | undefined } {
  const [name = '', text] = typeof sent === 'string' ? sent.split(/:(.*)/s) : [sent.criterion, sent.value];
  const takes = isCriterionName(name) ? criteria[name].takes : undefined;
  if (takes?.kind === 'price') {
    const limit = readPriceLimit(String(text));
    return { name, value: limit ? `${limit.amount} ${limit.asset}` : text };
  }
  if (takes?.kind !== 'number') return { name, value: text };
  const isNumber = typeof sent === 'string' && /^\d{1,9}$/.test(String(text));
  return { name, value: isNumber ? Number(text) : (text ?? takes.usual) };
}

function toCriterion(sent: Sent): RequestedCriterion | undefined {
  const { name, value } = toParts(sent);
  return isCriterionName(name) ? { criterion: name, ...(value !== undefined && { value }) } : undefined;
}

/** Only the first error lists all names. */
function findError(sent: Sent, isFirst: boolean): string | undefined {
  const known = toCriterion(sent);
  if (known) return findValueError(known);
  const nearest = findNearest(toParts(sent).name, criterionNames);
  const names = isFirst ? `must be one of ${criterionNames.join(', ')}` : 'must be one of these names too';
  return `${names}${nearest ? `; the nearest is ${nearest}` : ''}`;
}

export const criteriaInput = z
  .array(criterionInput)
  .min(1)
  .max(maxCriteria, { abort: true })
  .superRefine((sent, { addIssue }) => {
    const first = sent.findIndex((one) => toCriterion(one) === undefined);
    for (const [at, one] of sent.entries()) {
      const message = findError(one, at === first);
      const member = toCriterion(one) ? 'value' : 'criterion';
      if (message) addIssue({ code: 'custom', path: typeof one === 'string' ? [at] : [at, member], message });
    }
  })
  .refine((sent) => isUnique(sent.flatMap((one) => toCriterion(one) ?? [])), 'must name each criterion once')
  .optional()
  .describe(`name[:value] (choice, tag, 1 USDC, number): ${criterionNames.join(', ')}`);

export function toRequested(sent: z.output<typeof criteriaInput>): readonly RequestedCriterion[] {
  return sent?.flatMap((one) => toCriterion(one) ?? []) ?? defaultCriteria;
}
