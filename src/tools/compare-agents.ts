import { z } from 'zod';
import type { Context } from '../context.ts';
import { ifAny } from '../core/json.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { code as codeText, lines, paragraphs, toQuote } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import { hasForeign, isEmpty, own, toMarkdown, type Words, wordsSchema } from '../core/words.ts';
import { gapWords, recordWords, toAnswer, toAnswerLines } from '../document/answers/answers.ts';
import { closingText, untrustedIn } from '../document/answers/closing.ts';
import { lineNames } from '../document/answers/lines.ts';
import { firstNotices, saidBefore, textsBefore, unnoticed, unsaidOf } from '../document/answers/notices.ts';
import {
  type CriterionAnswer,
  criteria,
  judge,
  ofAsked,
  type RequestedCriterion,
  showWhy,
} from '../document/criteria/criteria.ts';
import { evidenceNames, evidenceTitles, type Result, results } from '../document/criteria/criterion.ts';
import { type ListingDocument, sampleFlag } from '../document/listing-document.ts';
import { partAskedMember } from '../document/resolved.ts';
import { namedLimit, searchLimit } from '../limits/searches.ts';
import { readName } from '../listings/references/name.ts';
import { readAsked } from './find/asked.ts';
import { dayInput, onDay } from './find/listing.ts';
import { criteriaInput, isUnique, namedInput, toRequested } from './input/fields.ts';
import { cardAddress, defineTool, readsOnly } from './tool.ts';

/** The results by criterion, with its value if it has one, such as `updated_within_days:180`. */
const resultsSchema = z.record(z.string(), z.enum(results)).optional();

const askedName = ({ criterion, value }: RequestedCriterion) =>
  value === undefined ? criterion : `${criterion}:${value}`;

function resultsOf(judged: readonly CriterionAnswer[]) {
  const toResults = (some: readonly CriterionAnswer[]) =>
    Object.fromEntries(some.map((one) => [askedName(one), one.result]));
  const of = (name: string) => judged.filter(({ criterion }) => criteria[criterion].evidence === name);
  return Object.fromEntries(
    evidenceNames.filter((name) => of(name).length > 0).map((name) => [name, toResults(of(name))]),
  );
}

const handlesText = (label: string, handles: readonly string[] = []) =>
  handles.length > 0 ? `${label} ${handles.map(codeText).join(', ')}` : '';

/** Criteria with one result for one reason are one text. */
function resultTextsOf(results: Readonly<Record<string, Result>>, reasons: z.output<typeof reasonsSchema>) {
  const texts = Object.entries(results).map(([asked, result]) => {
    const why = reasons.find(({ criteria: those }) => those?.includes(asked) ?? result === 'unknown');
    return why ? { asked, result: `${result} (${toMarkdown(why.reason)})`, group: why } : { asked, result };
  });
  const groups = Map.groupBy(texts, ({ asked, result, group }) => (group ? result : asked));
  return [...groups.values()].map(
    (some) => `${some.map(({ asked }) => asked).join(', ')}: ${some[0]?.result}`,
  );
}

const reasonsOf = (judged: readonly CriterionAnswer[]) =>
  [...Map.groupBy(judged, ({ because = own('') }) => toMarkdown(because)).values()].flatMap((some) => {
    const [{ because: reason = own('') } = {}] = some;
    const isOfUnknown = judged.every((one) => (one.result === 'unknown') === some.includes(one));
    return isEmpty(reason) ? [] : { ...(!isOfUnknown && { criteria: some.map(askedName) }), reason };
  });

function listingText(listing: z.output<typeof comparedListing>): string {
  const { handle, description, same_description_as: same, version_asked, part_asked, problem } = listing;
  const alike = same ? `, the same as ${same.map(codeText).join(', ')}` : '';
  const said = description ? `: its publisher writes ${toQuote(description)}${alike}` : '';
  return lines(
    listing.as_of && toMarkdown(listing.as_of),
    `${codeText(handle)}${listing.sample ? ' (shipped sample)' : ''}${said}`,
    version_asked && toMarkdown(version_asked),
    part_asked && toMarkdown(part_asked),
    listing.being_checked ?? false,
    problem &&
      `${problem.code}: ${problem.message}${handlesText(' Near:', problem.near)}${handlesText(' Less similar:', problem.others)}`,
    ...evidenceNames.map((evidence) => {
      const all = resultTextsOf(listing[evidence] ?? {}, listing.reasons ?? []);
      return all.length > 0 && `${evidenceTitles[evidence]}: ${all.join('; ')}`;
    }),
    ...toAnswerLines({ ...listing, stands_out: unsaidOf(listing), lines: listing.lines ?? {} }),
    listing.record && `Record: ${toMarkdown(listing.record)}`,
  );
}

const input = z.strictObject({
  handles: z.array(namedInput).min(1).max(8, { abort: true }).refine(isUnique, 'must name each listing once'),
  criteria: criteriaInput,
  as_of: dayInput.describe('Day: as known then'),
});

const reasonsSchema = z.array(
  z.object({
    criteria: z.array(z.string()).optional().describe('Absent: those that are unknown'),
    reason: wordsSchema,
  }),
);

const comparedListing = z.object({
  handle: z.string(),
  description: z.string().optional(),
  same_description_as: ifAny(z.array(z.string()), 'Handles of compared listings with the same description'),
  sample: sampleFlag,
  version_asked: wordsSchema.optional(),
  part_asked: partAskedMember,
  being_checked: z.string().optional(),
  as_of: wordsSchema.optional().describe('The day that was asked for, and the last entry of the log by then'),
  imported: resultsSchema.describe('Results about what is recorded, unless a check differs'),
  observed: resultsSchema.describe('Results of criteria about what Dossier checks'),
  native: resultsSchema.describe('Results of criteria about claims and ratings made on Dossier'),
  reasons: reasonsSchema.optional().describe('Of each unknown, and where no line below says it'),
  stands_out: z.array(wordsSchema).optional().describe('The notices of get_agent that show why'),
  lines: ifAny(
    z.partialRecord(z.enum(lineNames), wordsSchema),
    'The lines of get_agent that show why, with the sources of their facts',
  ),
  unseen: wordsSchema.optional(),
  unchecked: wordsSchema.optional(),
  record: wordsSchema.optional().describe('The source of facts marked (record)'),
  problem: z
    .object({
      code: z.string(),
      message: z.string(),
      near: z.array(z.string()).optional(),
      others: z.array(z.string()).optional(),
    })
    .optional(),
});

const output = z.object({
  listings: z.array(comparedListing),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});

export interface ComparedAgent extends z.output<typeof comparedListing> {
  /** Undefined if there is a problem. */
  readonly document?: ListingDocument;
  readonly judged?: readonly CriterionAnswer[];
  /** Of the version asked for, if it is not the recorded one. */
  readonly notices?: Awaited<ReturnType<typeof readAsked>>['notices'];
}

function toProblemEntry(handle: string, error: unknown): ComparedAgent {
  const codes: ProblemCode[] = [
    'invalid_handle',
    'unknown_handle',
    'several_listings',
    'listing_withdrawn',
    'not_kept',
  ];
  if (!(error instanceof Problem && codes.includes(error.code))) throw error;
  const { code, message, near, others, candidates } = error.toJSON();
  const meant = near ?? candidates?.map((one) => one.handle);
  const known = meant && meant.length > 0 ? [...meant] : undefined;
  return { handle, problem: { code, message, near: known, others: others && [...others] } };
}

async function compareOne(named: string, asked: readonly RequestedCriterion[], context: Context) {
  try {
    const read = await readAsked(named, context);
    const { document, version_asked, part_asked, notices } = read;
    const { handle, description, sample, being_checked, as_of } = document;
    const judged = judge(document, asked, context.clock().getTime()).map((one) => ofAsked(one, read));
    return {
      handle,
      description,
      sample,
      being_checked,
      as_of: as_of?.statement,
      version_asked,
      part_asked,
      document,
      judged,
      notices,
    };
  } catch (error) {
    return toProblemEntry(readName(named, context.config.publicUrl).said, error);
  }
}

const asRead = (text: string) => text.trim().toLowerCase();

function withSame(one: ComparedAgent, _: number, all: readonly ComparedAgent[]): ComparedAgent {
  const { handle, description = '' } = one;
  const same = all
    .filter((other) => other.handle !== handle && asRead(other.description ?? '') === asRead(description))
    .map((other) => other.handle);
  return description.trim() === '' || same.length === 0 ? one : { ...one, same_description_as: same };
}

export async function compareAll(
  { handles, criteria: sent, as_of }: z.output<typeof input>,
  context: Context,
): Promise<ComparedAgent[]> {
  const criteria = toRequested(sent);
  const then = onDay(as_of, context);
  const { searches, caller, clock } = context;
  const asked = { network: caller.network, now_ms: clock().getTime(), listings: handles.length };
  const compared = await searches.run(asked, () =>
    inTurns(handles, (handle) => compareOne(handle, criteria, then)),
  );
  return compared.map(withSame).map((one, at) => {
    const first = compared.findIndex(({ handle, problem }) => !problem && handle === one.handle);
    if (one.problem || first === at) return one;
    const message = `This name is of the same listing as handles.${first}.`;
    const { version_asked } = one;
    return {
      handle: readName(handles[at] ?? '', context.config.publicUrl).said,
      version_asked,
      problem: { code: 'invalid_input', message },
    };
  });
}

export const compareStatement =
  'Each criterion is answered separately; nothing is added up or ranked: the buyer decides.';

/** Whose a listing is, and where it is reached, matter to every comparison. */
const always = ['whose', 'where'] as const;

/** The first notices, whatever the criteria; none is left out without a word. */
const mostBeside = 2;

function toCompared({
  document,
  judged = [],
  notices = [],
  ...compared
}: ComparedAgent): z.output<typeof comparedListing> {
  if (!document) return compared;
  const answer = toAnswer(document);
  const { stands_out: why, lines: shown } = showWhy(answer, judged, always);
  // Of the listing, whatever is asked: said of one alone, they would read as if the others had none.
  const { unseen, unchecked } = gapWords(answer);
  const isShown = ({ text }: { text: Words }, place: number) => place < mostBeside || why.includes(text);
  const noticed = notices.map(({ text }) => text);
  const stands_out = [
    ...noticed,
    ...firstNotices(unnoticed(answer.standsOut, noticed), isShown, own('get_agent')),
  ];
  const reasons = reasonsOf(judged);
  const said = (words: Words) => (isEmpty(words) ? undefined : words);
  return {
    ...compared,
    ...resultsOf(judged),
    ...(reasons.length > 0 && { reasons }),
    ...(stands_out.length > 0 && { stands_out, [saidBefore]: textsBefore(notices) }),
    lines: shown,
    unseen: said(unseen),
    unchecked: said(unchecked),
    record: recordWords(document),
  };
}

const texts = ['description', 'version_asked', 'problem'] as const;
const quoting = ['part_asked', 'reasons', 'stands_out', 'lines', 'unseen', 'unchecked'] as const;

export const compareAgents = defineTool({
  name: 'compare_agents',
  title: 'Compare listings side by side',
  description:
    'Compares up to 8 listings of MCP servers or packages by criteria (price, secrets, tools), with lines that show why, source and date. Nothing is ranked; unknown is not a no, met is no recommendation.',
  asked:
    'compare, choose, pick or decide between two, three or several MCP servers, packages, options, candidates, providers or vendors; versus, vs, or; pros and cons, difference, differences, what distinguishes a server from another, trade-offs, compare prices, features, evaluate, more reliable, side-by-side, side by side evaluation; which one should I use, help me, which of these servers or services is better, best, cheaper, cheapest, safer, faster; rank by price, shortlist',
  effects: readsOnly,
  input,
  output,
  card: cardAddress,
  ownLimits: [searchLimit, namedLimit],
  example: {
    handles: ['co.webhook/webhook', 'com.politicalcomms/api'],
    criteria: ['has_endpoint', 'updated_within_days:365'],
  },
  toText: ({ listings, ...answer }: z.output<typeof output>): string =>
    paragraphs(...listings.map(listingText), answer.statement, closingText(answer)),
  async run(sent, context) {
    const listings = (await compareAll(sent, context)).map(toCompared);
    const foreign = [
      ...untrustedIn(listings, texts),
      // These are in our own words, except for quotations and code spans.
      ...quoting.filter((name) => hasForeign(listings.map((one) => one[name]))),
    ];
    return {
      listings,
      statement: compareStatement,
      untrusted_fields: foreign.map((name) => `listings.${name}`),
    };
  },
});
