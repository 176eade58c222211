import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isHandle } from '../core/handle.ts';
import { attempt } from '../core/json.ts';

/** The name is not checked here. */
export const sentCriterion = z.strictObject({
  criterion: z.string().max(100),
  value: z.union([z.string().max(300), z.int()]).optional(),
});

/** The first three are recorded, the others seen. */
export const pinNames = [
  'version',
  'endpoint',
  'package',
  'tools',
  'prompts',
  'resources',
  'skills',
  'pay_to',
] as const;
export type PinName = (typeof pinNames)[number];

const pinned = z.union([z.string().max(1000), z.array(z.string().max(1000)).max(50)]);

/** A person lets the listing, as it was on the day `on`, be used. */
const approval = z.strictObject({
  handle: z.string().refine(isHandle, 'a handle'),
  /** A private entry and not a listing. */
  private: z.literal(true).optional(),
  by: z.string().min(1).max(100),
  reason: z.string().min(1).max(300),
  on: z.iso.date(),
  /** The last day, in UTC. */
  until: z.iso.date().optional(),
  pins: z
    .partialRecord(
      z.enum(pinNames),
      pinned.transform((one) => [one].flat().sort()),
    )
    .default({}),
});
export type Approval = Readonly<z.output<typeof approval>>;

const readersForm = '"everyone", or a list of keys, each as sha256: and 64 hex digits';

const view = z
  .strictObject({
    title: z.string().min(1).max(100),
    description: z.string().max(1000).optional(),
    criteria: z.array(sentCriterion).max(20).default([]),
    /** Whether the answers `unknown` and `not_applicable` count as met. */
    unknown: z.enum(['exclude', 'include']).default('exclude'),
    /** Then the view has only these, while their approvals hold. */
    approvals: z
      .array(approval)
      .max(1000)
      .refine(
        (all) => new Set(all.map(({ handle }) => handle)).size === all.length,
        'a handle has two approvals',
      )
      .optional(),
    /** By default, a listing that no longer matches its pins leaves. */
    on_change: z.enum(['leave', 'mark']).optional(),
    /** For all who know the address, or send a key with one of these digests. */
    readers: z
      .union([z.literal('everyone'), z.array(z.string()).min(1).max(50)], readersForm)
      .refine(
        (one) => one === 'everyone' || one.every((text) => /^sha256:[0-9a-f]{64}$/.test(text)),
        readersForm,
      )
      .optional(),
  })
  .refine(
    ({ criteria, approvals, readers }) =>
      approvals !== undefined || readers !== undefined || criteria.length > 0,
    'name criteria, approvals or readers',
  )
  .refine(
    ({ approvals = [], readers }) => readers !== undefined || !approvals.some((one) => one.private),
    'it approves a private entry, whose name everybody could read: add readers to the view, or remove the approval',
  );

export const viewsForm = z.record(
  z.string().regex(/^[a-z0-9-]{1,40}$/, 'a name of at most 40 characters: a-z, 0-9 and -'),
  view,
);

export type Selection = Readonly<z.output<typeof view>> & { readonly name: string; readonly file: string };

/** Changes with what the stored members depend on. */
export const keyOf = ({ name, criteria, unknown, approvals }: Selection): string =>
  `view ${name} ${hash('sha256', JSON.stringify([criteria, unknown, ...(approvals ? ['approvals'] : [])])).slice(0, 16)}`;

export const textFile = z.string().transform((file, issues) => {
  if (file === '') return undefined;
  const text = attempt(() => readFileSync(file, 'utf8'));
  if (text !== undefined) return { file, text };
  issues.addIssue({ code: 'custom', message: `${file}: cannot be read` });
  return z.NEVER;
});

/** Names of criteria are left to `findCriterionFaults`. */
export const viewsFile = textFile.transform((read, issues): readonly Selection[] => {
  if (read === undefined) return [];
  const { file, text } = read;
  const json = attempt(() => JSON.parse(text) as unknown);
  const { data, error } = viewsForm.safeParse(json);
  if (data) return Object.entries(data).map(([name, one]) => ({ name, file, ...one }));
  const wrong = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  issues.addIssue({ code: 'custom', message: `${file}: ${json === undefined ? 'not JSON' : wrong}` });
  return z.NEVER;
});
