import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isHandle } from '../core/handle.ts';
import { attempt } from '../core/json.ts';

/** A criterion as callers and the operator write it. Its name is not checked here. */
export const sentCriterion = z.strictObject({
  criterion: z.string().max(100),
  value: z.union([z.string().max(300), z.int()]).optional(),
});

/**
 * The parts that an approval can pin: the version, the recorded endpoints and packages, or the tools,
 * prompts, resources, skills and payees that Dossier saw.
 */
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

/** A person's statement that a listing may be used in its state on a day. */
const approval = z.strictObject({
  handle: z.string().refine(isHandle, 'a handle'),
  /** If set, the approval is for the private entry of this name; otherwise for the listing of this name. */
  private: z.literal(true).optional(),
  by: z.string().min(1).max(100),
  reason: z.string().min(1).max(300),
  on: z.iso.date(),
  /** The last day on which the approval holds, in UTC. */
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
    /** Decides whether a criterion whose answer is not known counts as met. */
    unknown: z.enum(['exclude', 'include']).default('exclude'),
    /** If present, the view has only these listings, as long as their approvals hold. */
    approvals: z
      .array(approval)
      .max(1000)
      .refine(
        (all) => new Set(all.map(({ handle }) => handle)).size === all.length,
        'a handle has two approvals',
      )
      .optional(),
    /**
     * Decides whether a listing that no longer matches its pins leaves, which is the default, or is marked.
     */
    on_change: z.enum(['leave', 'mark']).optional(),
    /**
     * Makes the view private: it can be read by everyone who knows its address, or by everyone who sends a
     * key with one of these digests.
     */
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
    'it approves a private entry, whose name everybody would read; give the view readers, or take the approval out',
  );

export const viewsForm = z.record(
  z.string().regex(/^[a-z0-9-]{1,40}$/, 'a name of at most 40 characters: a-z, 0-9 and -'),
  view,
);

/**
 * Criteria and approvals that the operator named in a file. The view lists what meets them now, which is no
 * verdict of this service.
 */
export type Selection = Readonly<z.output<typeof view>> & { readonly name: string; readonly file: string };

/**
 * The key under which the members of a view are stored. It changes with the view's criteria and with whether
 * it has approvals.
 */
export const keyOf = ({ name, criteria, unknown, approvals }: Selection): string =>
  `view ${name} ${hash('sha256', JSON.stringify([criteria, unknown, ...(approvals ? ['approvals'] : [])])).slice(0, 16)}`;

/** The content of a file, read at the start; undefined if the setting is empty. */
export const textFile = z.string().transform((file, issues) => {
  if (file === '') return undefined;
  const text = attempt(() => readFileSync(file, 'utf8'));
  if (text !== undefined) return { file, text };
  issues.addIssue({ code: 'custom', message: `${file}: cannot be read` });
  return z.NEVER;
});

/**
 * The views of a file; none if the setting is empty. `findCriterionFaults` checks the names of their
 * criteria.
 */
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
