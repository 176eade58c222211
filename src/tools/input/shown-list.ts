import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { wrongField } from '../../core/problem.ts';
import { type Surface, surfaceNames, surfaces } from '../../observations/asked/endpoint/surface.ts';
import { readShown, type ShownList } from '../../observations/known/changes/shown-list.ts';
import { namedInput } from './fields.ts';

export type SentList = { readonly surface: Surface } & (
  | { readonly list: readonly JsonObject[]; readonly read: ShownList }
  | { readonly digests: Readonly<Record<string, string>> }
);

const mostMembers = 2000;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 as 64 lower-case hex digits');

const members = z.array(z.record(z.string(), z.unknown())).max(mostMembers).optional();

export const shownInput = z.strictObject({
  handle: namedInput,
  tools: z
    .array(z.looseObject({ name: z.string() }))
    .max(mostMembers)
    .optional()
    .describe('Tools as your client lists them'),
  prompts: members.describe('Or one of these lists'),
  resources: members,
  skills: members,
  digests: z
    .record(z.string().max(2048), sha256)
    .refine((digests) => Object.keys(digests).length <= mostMembers, `must have at most ${mostMembers} names`)
    .optional()
    .describe('Instead: SHA-256 of the RFC 8785 JSON of each, by name or URI'),
  of: z.enum(surfaceNames).default('tools').describe('What digests are of'),
});

/** Throws invalid_input unless exactly one list was sent. */
export function toShown({ digests, of, ...lists }: z.output<typeof shownInput>): SentList {
  const sent = surfaceNames.filter((name) => lists[name]);
  const [name] = sent;
  if (digests && sent.length === 0) return { surface: surfaces[of], digests };
  const list = name && lists[name];
  if (name && list && sent.length === 1 && !digests) {
    const surface = surfaces[name];
    return { surface, list, read: readShown(surface, list) };
  }
  const message = 'one of tools, prompts, resources, skills and digests';
  throw wrongField('tools', message, `Send ${message}: the list that your own client shows.`);
}
