import { z } from 'zod';
import type { Context } from '../context.ts';
import { attempt, type JsonObject } from '../core/json.ts';
import { wrongField } from '../core/problem.ts';
import { code, counted, day, escapeMarks, list, named, paragraphs, toQuote } from '../core/text.ts';
import { toComparisonBudget } from '../core/word-difference.ts';
import { own, toText, Words } from '../core/words.ts';
import type { Limit } from '../limits/limit.ts';
import {
  compareDigests,
  compareTools,
  readShownTools,
  type ShownTools,
  type SurfaceComparison,
  type ToolDifference,
  textsOfPairs,
} from '../observations/compare-surface.ts';
import { toolDigest } from '../observations/endpoint/surface.ts';
import { toShownName } from '../observations/gate.ts';
import { type FactOf, factsOf } from '../observations/kind.ts';
import type { ToolChange } from '../observations/kinds/tool-changes.ts';
import { toolsSurface } from '../observations/kinds/tools.ts';
import type { StoredObservation } from '../observations/observation.ts';
import { createSetReader, mostReadText, type StoredSet } from '../observations/stored-sets.ts';
import { findListingFacts } from './find/listing.ts';
import { whyNone } from './find/why-none.ts';
import { namedInput } from './input/fields.ts';
import { closingText, untrustedOf } from './texts.ts';
import { defineTool, readsOnly } from './tool.ts';

/** A set of tools that was seen at an endpoint. */
type SeenSet = FactOf<typeof toolsSurface, StoredObservation> & { readonly value: string };

/** What a caller was shown: tools, or their digests by name. */
type Shown =
  | { readonly tools: readonly JsonObject[]; readonly read: ShownTools }
  | { readonly digests: Readonly<Record<string, string>> };

const toDigests = (tools: readonly JsonObject[]) =>
  tools.map((tool) => ({ name: String(tool.name ?? ''), sha256: toolDigest(tool) }));

const compare = (seen: readonly JsonObject[], shown: Shown): SurfaceComparison =>
  'tools' in shown ? compareTools(seen, shown.read) : compareDigests(toDigests(seen), shown.digests);

function compareUnstored(seen: SeenSet, shown: Shown): SurfaceComparison {
  const own = (seen.details?.tools ?? []) as ReturnType<typeof toDigests>;
  if ('digests' in shown) return compareDigests(own, shown.digests);
  // A number beyond the range of a double has no digest, and no endpoint that was seen has sent one.
  const sent = shown.tools.map((tool) => [String(tool.name ?? ''), attempt(() => toolDigest(tool)) ?? '']);
  return compareDigests(own, Object.fromEntries(sent) as Record<string, string>);
}

const mostChanges = 100;

/** Changes of the tools of one endpoint among the newest 100 of its listing, newest first. */
async function readChanges(handle: string, { subject }: SeenSet, store: Context['store']) {
  const runs = await store.observations.history(handle, { limit: mostChanges });
  return runs.flatMap(({ at, changes }) =>
    changes.flatMap(({ kind, before, items = [], ...change }) =>
      kind === toolsSurface.kind && change.subject === subject && before
        ? [{ at, before, items: items as readonly ToolChange[] }]
        : [],
    ),
  );
}

/** Until when another set was seen before the one that is seen now. */
const othersUntil = ({ changed_from, value }: SeenSet): string | undefined =>
  changed_from?.outcome === 'seen' && changed_from.value !== value ? changed_from.seen_until : undefined;

const mostReworded = 5;

/** That descriptions changed of tools that a caller sent without one. */
const rewordedOf = (changes: Awaited<ReturnType<typeof readChanges>>, sent: ReadonlySet<string>) =>
  changes.flatMap(({ at, before, items }) =>
    items
      .filter(({ tool, members = [] }) => sent.has(tool) && members.includes('description'))
      .map(({ tool }) => {
        const between = `between ${day(before.seen_until)} and ${day(at)}`;
        return `The description of ${named(tool)} changed ${between}: see get_history.`;
      }),
  );

/** When the caller's own tools were seen, if others are now; or until when others were, if its own are. */
interface Before {
  readonly earlier: { readonly first_seen_at: string; readonly seen_until?: string } | undefined;
  readonly others_until: string | undefined;
}

function beforeText({ earlier, others_until }: Before, isOfNames: boolean): string | undefined {
  if (!earlier) return others_until && `Until ${day(others_until)} it saw another list: see get_history.`;
  const until = earlier.seen_until ? ` until ${day(earlier.seen_until)}` : '';
  return `${isOfNames ? 'A set of these names was seen' : 'This is the set that Dossier saw'} from ${day(earlier.first_seen_at)}${until}; get_history says what changed.`;
}

/** What a comparison found, in sentences. */
function sentencesOf(seen: SeenSet, compared: SurfaceComparison, before: Before) {
  const { differs, repeated, not_sent, is_of_names, prefix } = compared;
  const { first_seen_at, observed_at, as_seen, vantage } = seen;
  const spoken = as_seen?.protocol ? ` in revision ${as_seen.protocol} of MCP` : '';
  const since = `since ${day(first_seen_at)}, last on ${day(observed_at)}${spoken}, from ${vantage}`;
  const same = is_of_names
    ? 'Dossier has seen tools of these names'
    : 'These are the tools that Dossier has seen';
  return [
    is_of_names && `Only names were compared: you sent no ${not_sent.join(', ')}.`,
    differs.length === 0
      ? `${same} ${since}.`
      : `${counted(differs.length, 'tool')} ${differs.length === 1 ? 'differs' : 'differ'} between these and those that Dossier has seen ${since}.`,
    beforeText(before, is_of_names),
    repeated.length > 0 && 'Some names stand for several tools: see repeated.',
    prefix && 'Your host puts the same characters before every name; they were left out.',
    not_sent.length > 0 && !is_of_names && `Not compared, because you sent none: ${not_sent.join(', ')}.`,
  ].filter(Boolean);
}

/** Compares stored sets with what a caller was shown, one after the other, as far as one answer reads them. */
function createComparer(handle: string, shown: Shown, context: Context) {
  const readSet = createSetReader(handle, context);
  return async ({ subject = '' }: SeenSet, set: StoredSet) => {
    const tools = await readSet(subject, set);
    return typeof tools === 'object' ? compare(tools, shown) : tools;
  };
}

type Comparer = ReturnType<typeof createComparer>;

const isCurrent = ({ value }: SeenSet, { digest }: StoredSet) => digest === value;

/** Compares with the set that was seen last at an endpoint; undefined if that one is left out. */
async function compareWith(
  handle: string,
  seen: SeenSet,
  shown: Shown,
  context: Context,
  compareSet: Comparer,
) {
  const stored = await context.store.observations.surfaces(handle, seen.subject ?? '');
  const current = [];
  for (const set of stored.filter((one) => isCurrent(seen, one))) current.push(await compareSet(seen, set));
  const compared = current.filter((one) => typeof one === 'object');
  if (compared.length === 0 && current.includes('left_out')) return undefined;
  const [closest = compareUnstored(seen, shown)] = compared.toSorted(byDifferences);
  return { seen, compared: closest, before: stored.filter((one) => !isCurrent(seen, one)) };
}

const byDifferences = (a: SurfaceComparison, b: SurfaceComparison) => a.differs.length - b.differs.length;

/** The newest of the sets seen before from which nothing differs; `left_out` if one is reached that has no room. */
async function findOwn(seen: SeenSet, before: readonly StoredSet[], compareSet: Comparer) {
  for (const set of before) {
    const compared = await compareSet(seen, set);
    if (compared === 'left_out') return compared;
    if (compared?.differs.length === 0) return set;
  }
  return undefined;
}

/** The comparison that is answered. `leftOut`: in sentences, what was not compared because of its size. */
interface Closest {
  readonly seen: SeenSet;
  readonly compared: SurfaceComparison;
  readonly own: StoredSet | undefined;
  readonly leftOut: readonly string[];
}

/** The names in a comparison as they are shown, which only their comparison needs as they were sent. */
const shownNames = ({ differs, repeated, prefix }: SurfaceComparison) => ({
  differs: differs.map((one) => ({ ...one, name: toShownName(one.name) })),
  repeated: repeated.map(toShownName),
  prefix: toShownName(prefix),
});

/** The answer of a comparison; texts are compared of this one only. */
async function toAnswer(
  handle: string,
  { seen, compared, own, leftOut }: Closest,
  shown: Shown,
  { store }: Context,
) {
  const { not_sent, is_of_names } = compared;
  const { differs, repeated, prefix } = shownNames(compared);
  const isSame = differs.length === 0;
  // Descriptions that were not sent cannot be compared: the answer names those that have changed.
  const lacksDescriptions = not_sent.includes('description');
  const changes = own || lacksDescriptions ? await readChanges(handle, seen, store) : [];
  const seen_until = changes.find(({ before }) => before.value === own?.digest)?.before.seen_until;
  const earlier = own && { first_seen_at: own.first_seen_at, ...(seen_until && { seen_until }) };
  const others_until = isSame ? othersUntil(seen) : undefined;
  const sent = lacksDescriptions && 'tools' in shown ? shown.tools : [];
  const names = sent.map(({ name }) => toShownName(String(name).slice(compared.prefix.length)));
  const reworded = rewordedOf(changes, new Set(names));
  const texts = textsOfPairs(compared, toComparisonBudget());
  const foreign = { differs, repeated, prefix, texts, endpoint: seen.subject };
  return {
    handle,
    result: isSame ? (is_of_names ? ('same_names' as const) : ('same' as const)) : ('other' as const),
    message: [
      ...sentencesOf(seen, compared, { earlier, others_until }),
      ...reworded.slice(0, mostReworded),
      ...leftOut,
    ].join(' '),
    ...(seen.subject !== undefined && { endpoint: seen.subject }),
    // That no name differs does not say that no tool does.
    ...(!(isSame && is_of_names) && { differs }),
    ...(repeated.length > 0 && { repeated }),
    ...(not_sent.length > 0 && { not_sent }),
    ...(prefix && { prefix }),
    ...(texts.length > 0 && { texts }),
    digest: seen.value,
    first_seen_at: seen.first_seen_at,
    observed_at: seen.observed_at,
    vantage: seen.vantage,
    ...(others_until && { others_until }),
    ...(earlier && { earlier }),
    untrusted_fields: untrustedOf(foreign, Object.keys(foreign)),
  };
}

/** Compares with every endpoint whose tools were seen, as far as they have room, and answers of the one with the fewest differences. */
async function findAnswer(handle: string, seen: readonly SeenSet[], shown: Shown, context: Context) {
  const compareSet = createComparer(handle, shown, context);
  const found = [];
  for (const one of seen) found.push(await compareWith(handle, one, shown, context, compareSet));
  const [closest] = found
    .filter((one) => one !== undefined)
    .toSorted((a, b) => byDifferences(a.compared, b.compared));
  if (!closest) return undefined;
  const { before, ...compared } = closest;
  const own =
    compared.compared.differs.length > 0 ? await findOwn(compared.seen, before, compareSet) : undefined;
  const others = found.filter((one) => one === undefined).length;
  const leftOut = [
    others > 0 &&
      `The tools of ${counted(others, 'other endpoint')} were not compared: the lists of this service have more than ${mostReadText}.`,
    own === 'left_out' &&
      `Not all lists that Dossier saw before were compared: together they have more than ${mostReadText}.`,
  ].filter((text) => text !== false);
  return toAnswer(
    handle,
    { ...compared, own: own === 'left_out' ? undefined : own, leftOut },
    shown,
    context,
  );
}

const meanings: Readonly<Record<ToolDifference['difference'], string>> = {
  only_here: 'only_here, seen by Dossier and not sent by you',
  only_there: 'only_there, sent by you and not seen by Dossier',
  other: 'other, in both and not the same',
};

function toSurfaceText(answer: z.output<typeof output>): string {
  const { endpoint, digest, first_seen_at, observed_at, vantage, others_until, earlier, texts = [] } = answer;
  const byDifference = [...Map.groupBy(answer.differs ?? [], ({ difference }) => difference)];
  return paragraphs(
    `${code(answer.handle)}: ${answer.result}. ${escapeMarks(answer.message)}`,
    byDifference.length > 0 &&
      list(
        byDifference,
        ([difference, tools]) =>
          `${meanings[difference]}: ${tools.map(({ name, members = [] }) => `${code(name)}${members.length > 0 ? ` (${members.join(', ')})` : ''}`).join(', ')}`,
      ),
    answer.repeated && `Names of several tools: ${answer.repeated.map(code).join(', ')}`,
    answer.prefix && `Prefix of your host: ${code(answer.prefix)}`,
    texts.length > 0 &&
      `Texts, [-as Dossier saw them-]{+as you sent them+}:\n${list(texts, ({ name, member, difference }) => `${code(name)} ${code(member)}: ${toQuote(difference)}`)}`,
    digest !== undefined &&
      `Seen at ${code(endpoint ?? '')} from ${vantage}, first ${first_seen_at}, last ${observed_at}${others_until ? `; another list until ${others_until}` : ''}; digest ${digest}`,
    earlier &&
      `Your tools: seen first ${earlier.first_seen_at}${earlier.seen_until ? `, last ${earlier.seen_until}` : ''}; another set followed.`,
    closingText(answer),
  );
}

/** Three of the largest bodies at once, one in 20 s, or five small ones a second. */
const surfaceLimit: Limit = { name: 'surface', burst: 300, refill_s: 60 };

const mostTools = 2000;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 as 64 hex digits');

const input = z.strictObject({
  handle: namedInput,
  tools: z
    .array(z.looseObject({ name: z.string() }))
    .max(mostTools)
    .optional()
    .describe('The tools you see, with the members you have'),
  digests: z
    .record(z.string().max(200), sha256)
    .refine((digests) => Object.keys(digests).length <= mostTools, `must have at most ${mostTools} names`)
    .optional()
    .describe('Instead of tools: SHA-256 of the RFC 8785 JSON of each tool, by name'),
});

const output = z.object({
  handle: z.string(),
  result: z.enum(['same', 'same_names', 'other', 'never_seen']),
  message: z.string(),
  endpoint: z.string().optional().describe('The recorded endpoint that was compared with'),
  differs: z
    .array(
      z.object({
        name: z.string(),
        difference: z.enum(['only_here', 'only_there', 'other']),
        members: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  repeated: z.array(z.string()).optional().describe('Names of several tools'),
  not_sent: z.array(z.string()).optional().describe('Members not compared'),
  prefix: z.string().optional(),
  texts: z
    .array(z.object({ name: z.string(), member: z.string(), difference: z.string() }))
    .optional()
    .describe('How members differ: [-as Dossier saw it-]{+as you sent it+}'),
  digest: z.string().optional().describe('Merkle root over the tools that Dossier saw'),
  first_seen_at: z.string().optional(),
  observed_at: z.string().optional(),
  vantage: z.string().optional(),
  others_until: z
    .string()
    .optional()
    .describe('When Dossier last saw another list, if nothing of yours differs now'),
  earlier: z
    .object({ first_seen_at: z.string(), seen_until: z.string().optional() })
    .optional()
    .describe('When Dossier saw exactly your tools, if another set followed'),
  untrusted_fields: z.array(z.string()),
});

/** What the caller was shown. Throws invalid_input unless exactly one form was sent. */
function toShown({ tools, digests }: z.output<typeof input>): Shown {
  if (tools && !digests) return { tools, read: readShownTools(tools) };
  if (digests && !tools) return { digests };
  const message = 'one of tools and digests';
  throw wrongField('tools', message, `Send ${message}: what your own tools/list gave you.`);
}

/** Whether the tools that a caller sees are those that this service saw. */
export const checkSurface = defineTool({
  name: 'check_surface',
  title: 'Compare the tools you see with those Dossier saw',
  description:
    'Compares the tools that an MCP service lists to you, annotations too, with those Dossier saw, and says each change and when. Use it once connected, before you rely on descriptions. The same tools are no promise about what a call does.',
  effects: readsOnly,
  largeBody: { bytes: 512 * 1024, values: 100_000, depth: 100, limit: surfaceLimit },
  input,
  output,
  example: { handle: 'co.webhook/webhook', digests: {} },
  toText: toSurfaceText,
  async run(sent, context) {
    const shown = toShown(sent);
    const facts = await findListingFacts(sent.handle, context);
    const { listing, observed } = facts;
    const known = factsOf(toolsSurface, observed?.observations ?? []);
    const seen = known.filter((one): one is SeenSet => one.outcome === 'seen' && one.details !== undefined);
    const asked = { network: context.caller.network, now_ms: context.clock().getTime() };
    const find = () => findAnswer(listing.handle, seen, shown, context);
    const found = seen.length > 0 && (await context.searches.run(asked, find));
    if (found) return found;
    const why = toText(known[0]?.why ? new Words(known[0].why) : (whyNone(facts) ?? own('')));
    const message = `Dossier has seen no list of tools of this service. ${why}`.trim();
    return { handle: listing.handle, result: 'never_seen' as const, message, untrusted_fields: [] };
  },
});
