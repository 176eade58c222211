import { z } from 'zod';
import type { Context } from '../context.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { code, lines, list, paragraphs, toQuote } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import {
  codes,
  code as codeWords,
  hasForeign,
  join,
  name,
  ours,
  own,
  say,
  sentence,
  toMarkdown,
  toText,
  type Words,
  wordsSchema,
} from '../core/words.ts';
import { publisherWords } from '../document/answers/answers.ts';
import { closingText, untrustedOf } from '../document/answers/closing.ts';
import {
  type CriterionAnswer,
  compareListing,
  type RequestedCriterion,
} from '../document/criteria/criteria.ts';
import { sampleFlag } from '../document/listing-document.ts';
import { namedLimit, searchLimit } from '../limits/searches.ts';
import { malwareWords } from '../observations/malware.ts';
import { askedVersion } from './find/asked-version.ts';
import { readListing } from './find/document.ts';
import { findNamed } from './find/listing.ts';
import { dayInput, onDay } from './find/on-day.ts';
import { criteriaInput, isUnique, namedInput, toRequested } from './input/fields.ts';
import { cardAddress, defineTool, readsOnly } from './tool.ts';

const kinds = ['imported', 'observed', 'native'] as const;

const comparedLines = z.object({
  imported: z.array(wordsSchema).optional().describe('criterion: result. fact [source, if any]'),
  observed: z.array(wordsSchema).optional(),
  native: z.array(wordsSchema).optional(),
});
type ComparedLines = z.output<typeof comparedLines>;

const pickLines = (
  lines: ComparedLines,
  isPicked: (kind: (typeof kinds)[number], line: Words) => boolean,
): ComparedLines =>
  Object.fromEntries(
    kinds
      .map((kind) => [kind, (lines[kind] ?? []).filter((line) => isPicked(kind, line))] as const)
      .filter(([, picked]) => picked.length > 0),
  );

const hasLine = (lines: ComparedLines, kind: (typeof kinds)[number], line: Words): boolean =>
  (lines[kind] ?? []).some((one) => toText(one) === toText(line));

function sameOf([first = {}, ...others]: readonly ComparedLines[]): ComparedLines {
  if (others.length === 0) return {};
  return pickLines(first, (kind, line) => others.every((other) => hasLine(other, kind, line)));
}

const linesText = (lines: ComparedLines): string =>
  list(
    kinds.flatMap((kind) => lines[kind] ?? []),
    toMarkdown,
  );

function numberOf({ source, as_of }: CriterionAnswer, sources: string[]): number {
  const text = `${source}, ${as_of}`;
  return sources.includes(text) ? sources.indexOf(text) + 1 : sources.push(text);
}

function checkedOf({ imported = [], observed = [], native = [] }: ComparedAgent): string | undefined {
  const checks = [...imported, ...observed, ...native].filter(({ source }) => source !== '');
  const subjects = new Set(checks.flatMap(({ subject }) => subject ?? []));
  return subjects.size === 1 ? [...subjects][0] : undefined;
}

/** `updated_within_days:180: met. <fact> Recorded: <what others wrote> [<number of its source>]` */
function toComparisonLine(answer: CriterionAnswer, sources: string[], checked: string | undefined): Words {
  const { criterion, value, result, fact, recorded, quoted, subject } = answer;
  const about = answer.source ? own('Checked') : own('About');
  const asked = name(value === undefined ? criterion : `${criterion}:${value}`);
  return join(
    [
      say`${asked}: ${name(result)}. ${fact}`,
      recorded ? say`Recorded: ${codes(recorded)}` : say``,
      quoted ? sentence(say`Quoted: ${quoted}`) : say``,
      subject && !(answer.source && subject === checked)
        ? sentence(say`${about}: ${codeWords(subject)}`)
        : say``,
      answer.source ? name(`[${numberOf(answer, sources)}]`) : say``,
    ],
    ' ',
  );
}

const handlesText = (label: string, handles: readonly string[] = []) =>
  handles.length > 0 ? `${label} ${handles.map(code).join(', ')}` : '';

function listingText(listing: z.output<typeof comparedListing>): string {
  const { handle, description, same_description_as: same, version_asked, whose, checked, problem } = listing;
  const alike = same ? `, the same as ${same.map(code).join(', ')}` : '';
  const said = description ? `: its publisher writes ${toQuote(description)}${alike}` : '';
  return lines(
    listing.as_of && toMarkdown(listing.as_of),
    `${code(handle)}${listing.sample ? ' (shipped sample)' : ''}${said}`,
    version_asked && toMarkdown(version_asked),
    ...(listing.malware ?? []).map(toMarkdown),
    whose && `Whose: ${toMarkdown(whose)}`,
    listing.being_checked ?? false,
    checked && `Checked: ${toMarkdown(checked)}.`,
    problem &&
      `${problem.code}: ${problem.message}${handlesText(' Near:', problem.near)}${handlesText(' Less similar:', problem.others)}`,
    linesText(listing),
  );
}

const input = z.strictObject({
  handles: z.array(namedInput).min(2).max(8, { abort: true }).refine(isUnique, 'must name each listing once'),
  criteria: criteriaInput,
  as_of: dayInput.describe('Date: as known then'),
});

const comparedListing = comparedLines.extend({
  handle: z.string(),
  description: z.string().optional(),
  same_description_as: z
    .array(z.string())
    .optional()
    .describe('Handles of compared listings with the same description'),
  sample: sampleFlag,
  version_asked: wordsSchema.optional(),
  malware: z.array(wordsSchema).optional().describe('Reports of malicious code in its packages'),
  whose: wordsSchema.optional().describe('Publisher, host of the endpoint, and date of first publication'),
  being_checked: z.string().optional(),
  as_of: wordsSchema.optional().describe('The day that was asked for, and the last entry of the log by then'),
  checked: wordsSchema
    .optional()
    .describe('The endpoint or package that was checked, if the answers name only one'),
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
  same_for_all: comparedLines
    .optional()
    .describe('Answers that all listings without a problem have; `listings` does not repeat them'),
  listings: z.array(comparedListing),
  sources: z.array(wordsSchema).describe('Sources with dates'),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});

export type ComparedAgent = Omit<z.output<typeof comparedListing>, (typeof kinds)[number] | 'checked'> &
  Partial<ReturnType<typeof compareListing>>;

function toProblemEntry(handle: string, error: unknown): ComparedAgent {
  const codes: ProblemCode[] = [
    ...(['invalid_handle', 'unknown_handle', 'several_listings', 'listing_withdrawn'] as const),
    // Nothing is kept of the listing from so early a day.
    'invalid_input',
  ];
  if (!(error instanceof Problem && codes.includes(error.code))) throw error;
  const { code, message, near, others, candidates } = error.toJSON();
  const meant = near ?? candidates?.map((one) => one.handle);
  const known = meant && meant.length > 0 ? [...meant] : undefined;
  return { handle, problem: { code, message, near: known, others: others && [...others] } };
}

async function compareOne(
  named: string,
  criteria: readonly RequestedCriterion[],
  context: Context,
): Promise<ComparedAgent> {
  try {
    const found = await findNamed(named, context);
    const listing = await readListing(found.handle, context);
    const compared = { listing, now_ms: context.clock().getTime() };
    const { handle, description, sample, being_checked, as_of } = listing;
    const malware = malwareWords(listing.observations).map(sentence);
    const version_asked = askedVersion(named, { listing, observations: listing.observations });
    return {
      handle,
      description,
      sample,
      being_checked,
      ...(as_of && { as_of: as_of.statement }),
      ...(version_asked && { version_asked }),
      ...(malware.length > 0 && { malware }),
      whose: publisherWords(listing),
      ...compareListing(compared, criteria),
    };
  } catch (error) {
    return toProblemEntry(named, error);
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
  const withoutNear = { ...then, namesNear: false };
  const { searches, caller, clock } = context;
  const asked = { network: caller.network, now_ms: clock().getTime(), listings: handles.length };
  const compared = await searches.run(asked, () =>
    inTurns(handles, (handle) => compareOne(handle, criteria, withoutNear)),
  );
  const unknown = compared.findIndex(({ problem }) => problem?.code === 'unknown_handle');
  if (unknown >= 0) compared[unknown] = await compareOne(handles[unknown] ?? '', criteria, then);
  return compared.map(withSame).map((one, at) => {
    const first = compared.findIndex(({ handle, problem }) => !problem && handle === one.handle);
    if (one.problem || first === at) return one;
    const message = `This name is of the same listing as handles.${first}.`;
    return { handle: handles[at] ?? '', problem: { code: 'invalid_input', message } };
  });
}

export const compareStatement =
  'Each criterion is answered separately; nothing is added up or ranked. The buyer decides what matters, and how much.';

const texts = [
  'description',
  'version_asked',
  'malware',
  'checked',
  'imported',
  'observed',
  'problem',
] as const;

export const compareAgents = defineTool({
  name: 'compare_agents',
  title: 'Compare listings side by side',
  description:
    'Compares 2 to 8 listings by criteria (such as price, secrets, tools). Each answer has its fact and, if any, source and date. Nothing is added up or ranked; unknown is not a no, met is no recommendation.',
  effects: readsOnly,
  input,
  output,
  card: cardAddress,
  ownLimits: [searchLimit, namedLimit],
  example: {
    handles: ['co.webhook/webhook', 'com.politicalcomms/api'],
    criteria: ['has_endpoint', 'updated_within_days:365'],
  },
  toText: ({ same_for_all, listings, sources, ...answer }: z.output<typeof output>): string =>
    paragraphs(
      same_for_all && lines('The same for all compared listings:', linesText(same_for_all)),
      ...listings.map(listingText),
      sources.length > 0 && `Sources: ${sources.map(toMarkdown).join('; ')}`,
      answer.statement,
      closingText(answer),
    ),
  async run(sent, context) {
    const sources: string[] = [];
    const compared = await compareAll(sent, context);
    const said = compared.map((one) => {
      const checked = checkedOf(one);
      const { imported = [], observed = [], native = [], ...listing } = one;
      const toLines = (answers: readonly CriterionAnswer[]) =>
        answers.map((answer) => toComparisonLine(answer, sources, checked));
      return {
        listing: { ...listing, ...(checked !== undefined && { checked: codeWords(checked) }) },
        lines: { imported: toLines(imported), observed: toLines(observed), native: toLines(native) },
      };
    });
    const same = sameOf(said.filter(({ listing }) => !listing.problem).map(({ lines }) => lines));
    const listings = said.map(({ listing, lines }) => ({
      ...listing,
      ...pickLines(lines, (kind, line) => !hasLine(same, kind, line)),
    }));
    const has = (name: (typeof texts)[number]) => listings.some((one) => untrustedOf(one, [name]).length > 0);
    const quoting = hasForeign(listings.map(({ whose }) => whose)) ? ['whose'] : [];
    const hasSame = Object.keys(same).length > 0;
    return {
      ...(hasSame && { same_for_all: same }),
      listings,
      sources: sources.map((source, at) => say`${name(`[${at + 1}]`)} ${ours(source)}`),
      statement: compareStatement,
      untrusted_fields: [
        ...(hasForeign(same) ? ['same_for_all'] : []),
        ...[...texts.filter(has), ...quoting].map((name) => `listings.${name}`),
      ],
    };
  },
});
