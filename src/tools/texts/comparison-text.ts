import { code, lines, list, paragraphs, toInlineText, toQuote } from '../../evidence/text/markdown-text.ts';
import { closingText } from './shared.ts';

interface Answer {
  readonly criterion: string;
  readonly value?: string | number | undefined;
  readonly result: string;
  readonly fact: string;
  readonly recorded?: string | undefined;
  readonly subject?: string | undefined;
  readonly source: string;
  readonly as_of: string;
}

interface Compared {
  readonly handle: string;
  readonly description?: string | undefined;
  readonly sample?: true | undefined;
  readonly imported?: readonly Answer[] | undefined;
  readonly observed?: readonly Answer[] | undefined;
  readonly native?: readonly Answer[] | undefined;
  readonly problem?:
    | { readonly code: string; readonly message: string; readonly near?: readonly string[] | undefined }
    | undefined;
}

/** The answer of compare_agents. */
interface Comparison {
  readonly listings: readonly Compared[];
  readonly statement: string;
  readonly untrusted_fields: readonly string[];
}

const sourceOf = ({ source, as_of }: Answer) => `${toInlineText(source)}, ${as_of}`;
const answersOf = ({ imported = [], observed = [], native = [] }: Compared) => [
  ...imported,
  ...observed,
  ...native,
];

/** A criterion's line; its source is a number that the foot of the text explains. */
const answerLine = (answer: Answer, sources: readonly string[]) =>
  `${answer.criterion}${answer.value === undefined ? '' : ` ${toInlineText(String(answer.value))}`}: ${answer.result}. ${toInlineText(answer.fact)}${answer.recorded ? ` Recorded: ${code(answer.recorded)}` : ''}${answer.subject ? ` Seen at ${code(answer.subject)}.` : ''} [${sources.indexOf(sourceOf(answer)) + 1}]`;

function listingText(listing: Compared, sources: readonly string[]): string {
  const { handle, description, sample, problem } = listing;
  const said = description ? `: its publisher writes ${toQuote(description)}` : '';
  return lines(
    `${code(handle)}${sample ? ' (shipped sample)' : ''}${said}`,
    problem &&
      `${problem.code}: ${problem.message}${problem.near ? ` Near: ${problem.near.map(code).join(', ')}` : ''}`,
    list(answersOf(listing), (answer) => answerLine(answer, sources)) || undefined,
  );
}

/** The answer of compare_agents as Markdown, with every source named once. */
export function toComparisonText(answer: Comparison): string {
  const sources = [...new Set(answer.listings.flatMap(answersOf).map(sourceOf))];
  return paragraphs(
    ...answer.listings.map((listing) => listingText(listing, sources)),
    sources.length > 0 && `Sources: ${sources.map((source, at) => `[${at + 1}] ${source}`).join('; ')}`,
    answer.statement,
    closingText(answer),
  );
}
