import { z } from 'zod';
import { coded, quoted, toSentence } from '../core/text.ts';

/** A listing in a list: what its publisher writes, and the facts that decide whether to look closer. */
export const hit = z.object({
  handle: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  facts: z.array(z.string()),
});
export type Hit = z.infer<typeof hit>;

/** For so many names similar handles are searched: that costs more than the rest of an answer. */
export const mostSearched = 10;

const resolved = z.object({
  asked: z.string(),
  outcome: z
    .enum(['listed', 'withdrawn', 'several_listings', 'not_listed', 'not_known'])
    .describe('not_known: this copy of the registry does not record what was asked for'),
  ...hit.partial().shape,
  found_by: z.string().optional(),
  version: z.string().optional().describe('Of the record'),
  package_version: z.string().optional().describe('Of the package asked for, by the record'),
  notes: z.array(z.string()).optional(),
  stands_out: z.array(z.object({ key: z.string(), text: z.string() })).optional(),
  reason: z.string().optional().describe('Why it is withdrawn, or not known'),
  candidates: z.array(z.object({ handle: z.string(), differs: z.string() })).optional(),
  near: z
    .array(z.string())
    .optional()
    .describe(`Listings at the same host; else, for the first ${mostSearched} without, handles like it`),
});
export type Resolved = z.infer<typeof resolved>;

/** The answer about several names. */
export const resolvedNames = z.object({
  results: z.array(resolved).describe('In the order asked'),
  evidence_snapshot_date: z.string(),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});
export type ResolvedNames = z.infer<typeof resolvedNames>;

/** What is said of a name, in the order of the short answer about a listing; what others wrote is quoted. */
export function toResolvedLines(one: Resolved): string[] {
  const { outcome, handle = '', found_by, version, package_version: recorded, near = [], facts = [] } = one;
  const written = [one.title ?? '', one.description ?? ''].filter(Boolean).map(quoted);
  const standsOut = (one.stands_out ?? []).map(({ text }) => text);
  const which = [outcome !== 'listed' && `it is ${outcome.replaceAll('_', ' ')}`, handle && coded(handle)];
  const said = [
    toSentence(`${which.filter(Boolean).join(': ')}${found_by ? `, found as ${found_by}` : ''}`),
    written.join(': '),
    (one.candidates ?? []).map((other) => `${coded(other.handle)} (${other.differs})`).join('; '),
    one.reason ?? '',
    ...(one.notes ?? []),
    standsOut.length > 0 ? `Stands out: ${standsOut.join(' ')}` : '',
    facts.join(' | '),
    version ? `Version ${coded(version)}${recorded ? `, of the package ${coded(recorded)}` : ''}.` : '',
    near.length > 0 ? `Near: ${near.map(coded).join(', ')}.` : '',
  ];
  return said.filter(Boolean);
}
