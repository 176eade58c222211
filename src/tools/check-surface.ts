import { z } from 'zod';
import type { Context } from '../context.ts';
import { toComparisonBudget } from '../core/difference/word-difference.ts';
import { attempt, ifAny, type JsonObject } from '../core/json.ts';
import { wrongField } from '../core/problem.ts';
import { code, counted, list, named, paragraphs, toQuote, toShownName } from '../core/text.ts';
import {
  betweenDays,
  ended,
  escapeOwn,
  isEmpty,
  join,
  own,
  say,
  toMarkdown,
  toText,
  Words,
  wordsSchema,
} from '../core/words.ts';
import { closingText, untrustedOf } from '../document/answers/closing.ts';
import type { Limit } from '../limits/limit.ts';
import {
  memberDigest,
  nameOf,
  type Surface,
  surfaceNames,
  surfaces,
} from '../observations/asked/endpoint/surface.ts';
import { createSetReader, mostReadText, type StoredSet } from '../observations/known/changes/history.ts';
import {
  compareDigests,
  compareList,
  type MemberDifference,
  readShown,
  type ShownList,
  type SurfaceComparison,
  textsOfPairs,
} from '../observations/known/changes/shown-list.ts';
import { factsOf } from '../observations/known/kind.ts';
import {
  changedName,
  differenceWords,
  type MemberChange,
} from '../observations/known/kinds/lists/member-changes.ts';
import { toolsSurface } from '../observations/known/kinds/lists/tools.ts';
import { surfaceKinds } from '../observations/known/kinds.ts';
import type { StoredObservation } from '../observations/known/observation.ts';
import { beforeWords } from '../observations/known/to-observations.ts';
import { findFactsAt, whyNone } from './find/listing.ts';
import {
  compareEarlier,
  earlierSentences,
  formerPlace,
  type SeenSet,
  timesOf,
  toSeenSets,
  withEarlier,
} from './find/seen-lists.ts';
import { sentencesOf } from './find/surface-words.ts';
import { namedInput } from './input/fields.ts';
import { defineTool, readsOnly } from './tool.ts';

type SentList = { readonly surface: Surface } & (
  | { readonly list: readonly JsonObject[]; readonly read: ShownList }
  | { readonly digests: Readonly<Record<string, string>> }
);

const mostMembers = 2000;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 as 64 lower-case hex digits');

const members = z.array(z.record(z.string(), z.unknown())).max(mostMembers).optional();

const shownInput = z.strictObject({
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

const toDigests = (list: readonly JsonObject[], surface: Surface) =>
  list.map((one) => ({ name: nameOf(one, surface), sha256: memberDigest(one) }));

const compareSent = (seen: readonly JsonObject[], shown: SentList): SurfaceComparison =>
  'list' in shown
    ? compareList(seen, shown.read)
    : compareDigests(shown.surface, toDigests(seen, shown.surface), shown.digests);

function compareUnstored(seen: SeenSet, shown: SentList): SurfaceComparison {
  const { surface } = shown;
  const own = (seen.details?.[surface.name] ?? []) as ReturnType<typeof toDigests>;
  if ('digests' in shown) return compareDigests(surface, own, shown.digests);
  // A member with a number beyond a double has no digest: it differs from every member that was seen.
  const sent = shown.list.map((one) => [nameOf(one, surface), attempt(() => memberDigest(one)) ?? '']);
  return compareDigests(surface, own, Object.fromEntries(sent) as Record<string, string>);
}

const mostChanges = 100;

async function readChanges(handle: string, { kind: ofKind, subject }: SeenSet, store: Context['store']) {
  const runs = await store.observations.history(handle, { limit: mostChanges });
  return runs.flatMap(({ at, changes }) =>
    changes.flatMap(({ kind, before, items = [], ...change }) =>
      kind === ofKind && change.subject === subject && before
        ? [{ at, before, items: items as readonly MemberChange[] }]
        : [],
    ),
  );
}

const othersUntil = ({ changed_from, value }: SeenSet): string | undefined =>
  changed_from?.outcome === 'seen' && changed_from.value !== value ? changed_from.seen_until : undefined;

const mostReworded = 5;

const rewordedOf = (changes: Awaited<ReturnType<typeof readChanges>>, sent: ReadonlySet<string>) =>
  changes.flatMap(({ at, before, items }) =>
    items
      .filter((item) => sent.has(changedName(item)) && item.members?.includes('description'))
      .map((item) => {
        const between = toText(betweenDays(before.seen_until, at));
        return `The description of ${named(changedName(item))} changed ${between}: see get_history.`;
      }),
  );

const isCurrent = ({ value }: SeenSet, { digest }: StoredSet) => digest === value;

/** Undefined if that is more than one answer may read. */
async function compareWith(
  handle: string,
  seen: SeenSet,
  shown: SentList,
  context: Context,
  compareSet: Parameters<typeof compareEarlier>[2],
) {
  const stored = await context.store.observations.values({
    handle,
    kind: seen.kind,
    subject: seen.subject ?? '',
  });
  const current = [];
  for (const set of stored.filter((one) => isCurrent(seen, one))) current.push(await compareSet(seen, set));
  const compared = current.filter((one) => typeof one === 'object');
  if (compared.length === 0 && current.includes('left_out')) return undefined;
  const [closest = compareUnstored(seen, shown)] = compared.toSorted(byDifferences);
  return { seen, compared: closest, before: stored.filter((one) => !isCurrent(seen, one)) };
}

const byDifferences = (a: SurfaceComparison, b: SurfaceComparison) => a.differs.length - b.differs.length;

interface Closest {
  readonly seen: SeenSet;
  readonly compared: SurfaceComparison;
  readonly before: Awaited<ReturnType<typeof compareEarlier>>;
  readonly leftOut: readonly string[];
}

/** Comparisons need the names as they were sent. */
const shownNames = ({ differs, repeated, prefix }: SurfaceComparison) => ({
  differs: differs.map((one) => ({ ...one, name: toShownName(one.name) })),
  repeated: repeated.map(toShownName),
  prefix: toShownName(prefix),
});

async function toSurfaceAnswer(
  handle: string,
  { seen, compared, before, leftOut }: Closest,
  shown: SentList,
  { store }: Context,
) {
  const { not_sent, is_of_names } = compared;
  const { found } = before;
  const dated = compared.differs.map((one) => withEarlier(one, compared, found));
  const { differs, repeated, prefix } = shownNames({ ...compared, differs: dated });
  const isSame = differs.length === 0;
  const own = found.find((one) => one.compared.differs.length === 0);
  // What was not sent cannot be compared; the answer names the descriptions that changed.
  const lacksDescriptions = not_sent.includes('description');
  const others_until = isSame ? othersUntil(seen) : undefined;
  const changes = lacksDescriptions ? await readChanges(handle, seen, store) : [];
  const earlier = own && { first_seen_at: own.first_seen_at, seen_until: own.seen_until };
  const times = timesOf({ digest: seen.value, first_seen_at: seen.first_seen_at }, seen);
  const sent = lacksDescriptions && 'list' in shown ? shown.list : [];
  const names = sent.map((one) => toShownName(nameOf(one, shown.surface).slice(compared.prefix.length)));
  const reworded = rewordedOf(changes, new Set(names));
  const [was, is] = own ? [compared.is, compared.was] : [compared.was, compared.is];
  const others = own ? compared.others.map((one) => ({ ...one, was: one.is, is: one.was })) : compared.others;
  const texts = textsOfPairs({ others, surface: shown.surface }, toComparisonBudget());
  const difference = differenceWords(shown.surface, was, is);
  const changes_to_yours = isEmpty(difference)
    ? undefined
    : own
      ? say`From your list to the one seen now: ${difference}`
      : say`From what Dossier saw to what you sent: ${difference}`;
  const foreign = { differs, changes_to_yours, repeated, prefix, texts, endpoint: seen.subject };
  return {
    handle,
    result: isSame ? (is_of_names ? ('same_names' as const) : ('same' as const)) : ('other' as const),
    message: [
      ...sentencesOf(seen, compared, { times, earlier: own, others_until }),
      ...(own ? [] : earlierSentences(differs, before.isAll)),
      ...reworded.slice(0, mostReworded),
      ...leftOut,
    ].join(' '),
    endpoint: seen.subject,
    ...(!(isSame && is_of_names) && { differs }),
    changes_to_yours,
    ...(repeated.length > 0 && { repeated }),
    ...(not_sent.length > 0 && { not_sent }),
    prefix: prefix || undefined,
    ...(texts.length > 0 && { texts }),
    digest: seen.value,
    first_seen_at: times.first_seen_at,
    observed_at: seen.observed_at,
    vantage: seen.vantage,
    others_until,
    earlier,
    untrusted_fields: untrustedOf(foreign, Object.keys(foreign)),
  };
}

async function findAnswer(handle: string, seen: readonly SeenSet[], shown: SentList, context: Context) {
  const readSet = createSetReader(context);
  /** `left_out`: more than one answer may read. */
  const compareSet = async ({ kind, subject = '' }: SeenSet, set: StoredSet) => {
    const list = await readSet({ handle, kind, subject }, set);
    return typeof list === 'object' ? compareSent(list, shown) : list;
  };
  const found = [];
  for (const one of seen) found.push(await compareWith(handle, one, shown, context, compareSet));
  const [closest] = found
    .filter((one) => one !== undefined)
    .toSorted((a, b) => byDifferences(a.compared, b.compared));
  if (!closest) return undefined;
  const { seen: last, compared } = closest;
  const hasOther = compared.differs.length > 0;
  const before = await compareEarlier(last, hasOther ? closest.before : [], compareSet);
  const others = found.filter((one) => one === undefined).length;
  const leftOut = [
    others > 0 &&
      `The ${shown.surface.name} of ${counted(others, 'other endpoint')} were not compared: the lists of this service have more than ${mostReadText}.`,
    !before.isAll &&
      `Not all lists that Dossier saw before were compared: together they have more than ${mostReadText}.`,
  ].filter((text) => text !== false);
  return toSurfaceAnswer(handle, { seen: last, compared, before, leftOut }, shown, context);
}

const meanings: Readonly<Record<MemberDifference['difference'], string>> = {
  only_here: 'only_here, seen by Dossier and not sent by you',
  only_there: 'only_there, sent by you beyond the list that Dossier saw last',
  other: 'other, in both and not the same',
};

type Differing = NonNullable<z.output<typeof output>['differs']>[number];

function memberText({ name, members = [], earlier }: Differing): string {
  const when = earlier && `${earlier.is_other ? 'another' : 'like this'} until ${earlier.seen_until}`;
  const said = [...members, ...(when ? [when] : [])];
  return `${code(name)}${said.length > 0 ? ` (${said.join(', ')})` : ''}`;
}

function toSurfaceText(answer: z.output<typeof output>): string {
  const { endpoint, digest, first_seen_at, observed_at, vantage, others_until, earlier, texts = [] } = answer;
  const byDifference = [...Map.groupBy(answer.differs ?? [], ({ difference }) => difference)];
  return paragraphs(
    answer.version_asked && toMarkdown(answer.version_asked),
    `${code(answer.handle)}: ${answer.result}. ${escapeOwn(answer.message)}`,
    byDifference.length > 0 &&
      list(
        byDifference,
        ([difference, tools]) => `${meanings[difference]}: ${tools.map(memberText).join(', ')}`,
      ),
    answer.changes_to_yours && toMarkdown(ended(answer.changes_to_yours)),
    answer.repeated && `Names that several members have: ${answer.repeated.map(code).join(', ')}`,
    answer.prefix && `Prefix that your host adds: ${code(answer.prefix)}`,
    texts.length > 0 &&
      `Texts, as the changes run, [-was-]{+is+}:\n${list(texts, ({ name, member, difference }) => `${code(name)} ${code(member)}: ${toQuote(difference)}`)}`,
    digest !== undefined &&
      `Seen at ${code(endpoint ?? '')} from ${vantage}, first ${first_seen_at}, last ${observed_at}${others_until ? `; a different list until ${others_until}` : ''}; digest ${digest}`,
    earlier &&
      `Your list: seen first ${earlier.first_seen_at}${earlier.seen_until ? `, last ${earlier.seen_until}` : ''}; a different list followed.`,
    closingText(answer),
  );
}

/** Three of the largest bodies at once and one every 20 s, or five small ones a second. */
const surfaceLimit: Limit = { name: 'surface', burst: 300, refill_s: 60 };

const output = z.object({
  handle: z.string(),
  version_asked: wordsSchema.optional(),
  result: z.enum(['same', 'same_names', 'other', 'never_seen']),
  message: z.string(),
  endpoint: z.string().optional().describe('The recorded endpoint with which the list was compared'),
  differs: z
    .array(
      z.object({
        name: z.string(),
        difference: z.enum(['only_here', 'only_there', 'other']),
        members: z.array(z.string()).optional(),
        earlier: ifAny(
          z.object({ seen_until: z.string(), is_other: z.literal(true).optional() }),
          'Until when an earlier list had it as you sent it, or another of its name',
        ),
      }),
    )
    .optional(),
  changes_to_yours: wordsSchema.optional().describe('What changes, and from which list to which'),
  repeated: z.array(z.string()).optional().describe('Names that several members have'),
  not_sent: z.array(z.string()).optional().describe('Members that were not compared'),
  prefix: z.string().optional(),
  texts: ifAny(
    z.array(z.object({ name: z.string(), member: z.string(), difference: z.string() })),
    'Differences in the direction of changes_to_yours: [-was-]{+is+}',
  ),
  digest: z.string().optional().describe('Merkle root over the list that Dossier saw'),
  first_seen_at: z.string().optional(),
  observed_at: z.string().optional(),
  vantage: z.string().optional(),
  others_until: z.string().optional().describe('When Dossier last saw another list, if yours is in force'),
  earlier: ifAny(
    z.object({ first_seen_at: z.string(), seen_until: z.string().optional() }),
    'The time in which Dossier saw exactly your list, if a different one followed',
  ),
  untrusted_fields: z.array(z.string()),
});

export const checkSurface = defineTool({
  name: 'check_surface',
  title: 'Compare the tools you see with those Dossier saw',
  description:
    'Compares the tools (descriptions, annotations), prompts, resources or skills that an MCP service lists to you with those Dossier saw, and says each change and when. Use once connected before you rely on them; no promise of what calls do.',
  asked:
    'verify, validate or check the tools list of an MCP server after connecting, connected; tools/list, tool definitions, description, descriptions, schema, instructions or prompts changed, tampered with, altered, modified, hidden, different, differ, shows different tools to me; new tool appeared; suspicious or unexpected tool description; compare my tool list, unchanged, differs from before, since yesterday; match or same as what others see; detect a rug pull, tool poisoning, prompt injection',
  effects: readsOnly,
  largeBody: { bytes: 512 * 1024, values: 100_000, depth: 100, limit: surfaceLimit },
  input: shownInput,
  output,
  example: { handle: 'co.webhook/webhook', digests: {} },
  toText: toSurfaceText,
  async run(sent, context) {
    const shown = toShown(sent);
    const { shown: facts, beside, part_asked, formerly } = await findFactsAt(sent.handle, context);
    const { listing, observed } = facts;
    const kept = await context.store.observations.ofListing(listing.handle);
    const former = formerly && kept && formerPlace(formerly, listing, kept);
    const observations = (former ?? observed)?.observations ?? [];
    const kind = surfaceKinds.find(({ lists }) => lists === shown.surface.name) ?? toolsSurface;
    const known = factsOf(kind, observations) as readonly StoredObservation[];
    const seen = toSeenSets(known, former?.timelines ?? kept?.timelines ?? []);
    const caller = { network: context.caller.network, now_ms: context.clock().getTime() };
    const find = () => findAnswer(listing.handle, seen, shown, context);
    const found = seen.length > 0 && (await context.searches.run(caller, find));
    const version_asked = join([former?.words ?? beside, part_asked], ' ');
    const asked = isEmpty(version_asked) ? undefined : { version_asked };
    const untrusted_fields = [...(asked ? ['version_asked'] : []), ...(found ? found.untrusted_fields : [])];
    if (found) return { ...found, ...asked, untrusted_fields };
    const [none, at] = former ? ['keeps no', 'address'] : ['has seen no', 'service'];
    const before = former ? undefined : observed?.before;
    const why = known[0]?.why ? new Words(known[0].why) : former ? own('') : whyNone(facts);
    const message = before
      ? toText(beforeWords(before))
      : `Dossier ${none} list of ${shown.surface.name} of this ${at}. ${toText(why ?? own(''))}`.trim();
    return { handle: listing.handle, ...asked, result: 'never_seen' as const, message, untrusted_fields };
  },
});
