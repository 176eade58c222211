import { z } from 'zod';
import {
  code,
  eachCode,
  isEmpty,
  join,
  ours,
  quote,
  say,
  sentence,
  type Words,
  wordsSchema,
} from '../core/words.ts';
import type { StoredObservation } from '../observations/known/observation.ts';
import { unknownWords } from './answers/notice-uses.ts';

export const hit = z.object({
  handle: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  facts: z.array(wordsSchema),
});

/** Of a fact: when it changed, and how the checks that it counts ended. */
export type ChangedInTime = Pick<
  StoredObservation,
  'kind' | 'subject' | 'value' | 'observed_at' | 'changed_from' | 'tally'
>;

/** Pages show these texts apart from the facts of a hit. JSON omits members whose key is a symbol. */
export const shownApart = Symbol('shown apart');
export type Hit = z.infer<typeof hit> & {
  readonly [shownApart]?: {
    readonly isSample?: boolean;
    /** Not all words of a search were found. */
    readonly matched?: Words | undefined;
    readonly alike?: Words | undefined;
    /** The recorded version of a package is reported as malicious code. */
    readonly malware?: readonly Words[];
    /** For the small picture. */
    readonly overTime?: readonly ChangedInTime[];
  };
};

/** Of names. Searching similar handles costs more than the rest of an answer. */
export const mostSearched = 10;

export const partAskedMember = wordsSchema
  .optional()
  .describe('Present if the answer is about one of several endpoints or packages of the record');

const resolved = z.object({
  asked: z.string().describe('Of a command or configuration what it starts or reaches, without values'),
  configured_as: z.string().optional().describe('The name of the server in the configuration'),
  outcome: z
    .enum(['listed', 'withdrawn', 'several_listings', 'not_listed', 'not_known'])
    .describe('not_known: this copy of the registry does not record it, or no name was read'),
  ...hit.partial().shape,
  version_asked: wordsSchema
    .optional()
    .describe('Present if the facts are not about all that was asked for: another version, registry or code'),
  part_asked: partAskedMember,
  found_by: wordsSchema.optional(),
  version: z.string().optional().describe('The version of the record'),
  package_version: z.string().optional().describe('The recorded version of the package asked for'),
  asks_payment: z.literal(true).optional(),
  notes: z.array(wordsSchema).optional(),
  stands_out: z
    .array(
      z.object({
        key: z.string(),
        text: wordsSchema,
        version: z.string().optional().describe('If it is in `version_asked` too'),
      }),
    )
    .optional(),
  unknown: z
    .array(z.string())
    .optional()
    .describe('Of what `dossier inventory --fail-on` finds, what is not known; of no listing, nothing is'),
  reason: wordsSchema.optional().describe('Why the listing is withdrawn or not known, or where to ask'),
  candidates: z.array(z.object({ handle: z.string(), differs: wordsSchema })).optional(),
  near: z
    .array(z.string())
    .optional()
    .describe(
      `Listings at the same host or, if there are none, similar handles (for at most ${mostSearched} names)`,
    ),
});
/** Of a listing or a name without facts. */
export const reasonWords = (text: string): Words => ours(text);

export type Resolved = z.infer<typeof resolved>;

export const resolvedNames = z.object({
  results: z.array(resolved).describe('Results in the order asked; one for each name of a configuration'),
  evidence_snapshot_date: z.string(),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});
export type ResolvedNames = z.infer<typeof resolvedNames>;

export function toResolvedLines(one: Resolved): Words[] {
  const { outcome, handle, found_by, version, package_version: recorded, near = [], facts = [] } = one;
  const { version_asked = say``, part_asked = say`` } = one;
  const { title, description, candidates = [], reason, notes = [], stands_out = [], unknown = [] } = one;
  const unsaid = stands_out.filter((one) => one.version === undefined);
  const told = (label: Words, isOther: boolean) => {
    const some = unsaid.filter(({ key }) => (key === 'other_version') === isOther).map(({ text }) => text);
    return some.length > 0 ? say`${label}: ${join(some, ' ')}` : say``;
  };
  const written = [title, description].map((text) => (text ? quote(text) : say``));
  const is = outcome === 'listed' ? say`` : say`it is ${ours(outcome.replaceAll('_', ' '))}`;
  const which = join([is, handle ? code(handle) : say``], ': ');
  const ofPackage = recorded ? say`, of the package ${code(recorded)}` : say``;
  const said = [
    version_asked,
    part_asked,
    sentence(found_by ? say`${which}, found as ${found_by}` : which),
    join(written, ': '),
    join(
      candidates.map((other) => say`${code(other.handle)} (${other.differs})`),
      '; ',
    ),
    reason ?? say``,
    ...notes,
    told(say`Stands out`, false),
    told(say`About the recorded version`, true),
    unknown.length > 0
      ? say`Not known whether it is: ${join(
          unknown.map((name) => ours(`${unknownWords(name)} (${name})`)),
          '; ',
        )}.`
      : say``,
    join(facts, ' | '),
    version ? sentence(say`Version ${code(version)}${ofPackage}`) : say``,
    near.length > 0 ? sentence(say`Near: ${join(eachCode(near), ', ')}`) : say``,
  ];
  return said.filter((words) => !isEmpty(words));
}
