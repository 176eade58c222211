/** An answer of compare_agents to one criterion, in the parts of its line. */
export interface Judged {
  readonly criterion: string;
  readonly value?: string;
  readonly result: string;
  readonly fact: string;
  readonly recorded?: string;
  readonly quoted?: string;
  readonly subject?: string;
  readonly source: string;
  readonly as_of: string;
}

const line =
  /^(\w+)(?::(.*?))?: (met|not_met|unknown|not_applicable)\. (.*?)(?: Recorded: ((?:`[^`]*`(?:, )?)+|“[^”]*”))?(?: Quoted: (.*?)\.)?(?: (?:Checked|About): (\S+)\.)?(?: \[(\d+)\])?$/;
const plain = (text: string) => text.replace(/[`“”]/g, '');

function toJudged(text: string, sources: readonly string[]): Judged {
  const [all, criterion = '', value, result = '', fact = '', recorded, quoted, subject, number] =
    line.exec(text) ?? [];
  if (all === undefined) throw new Error(`not a line of a comparison: ${text}`);
  const [, source = '', as_of = ''] =
    /^\[\d+\] (.*), ([\d-]{10})$/.exec(sources[Number(number) - 1] ?? '') ?? [];
  return {
    criterion,
    ...(value !== undefined && { value }),
    result,
    fact,
    ...(recorded && { recorded: plain(recorded) }),
    ...(quoted && { quoted }),
    ...(subject && { subject: plain(subject) }),
    source,
    as_of,
  };
}

const kinds = ['imported', 'observed', 'native'] as const;
export type ComparedListing = Readonly<
  Partial<Record<(typeof kinds)[number], readonly Judged[]>> & {
    handle: string;
    sample?: boolean;
    problem?: { readonly code: string; readonly message: string; readonly near?: readonly string[] };
  }
>;

/** The listings of an answer of compare_agents, their lines in parts. */
export function comparedOf(answer: unknown): readonly ComparedListing[] {
  const { listings, sources } = answer as {
    listings: Readonly<Record<string, unknown>>[];
    sources: readonly string[];
  };
  return listings.map((listing) => ({
    ...listing,
    ...Object.fromEntries(
      kinds
        .filter((kind) => listing[kind])
        .map((kind) => [kind, (listing[kind] as string[]).map((text) => toJudged(text, sources))]),
    ),
  })) as unknown as ComparedListing[];
}
