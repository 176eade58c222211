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

/**
 * The listings of an answer of compare_agents, their lines in parts: first those that are the same for all of
 * them, which the answer says once, then their own.
 */
export function comparedOf(answer: unknown): readonly ComparedListing[] {
  const {
    same_for_all = {},
    listings,
    sources,
  } = answer as {
    same_for_all?: Readonly<Record<string, readonly string[]>>;
    listings: Readonly<Record<string, unknown>>[];
    sources: readonly string[];
  };
  return listings.map((listing) => {
    if (listing.problem) return listing;
    const lines = kinds
      .map((kind) => [...(same_for_all[kind] ?? []), ...((listing[kind] as string[] | undefined) ?? [])])
      .map((ofKind) => ofKind.map((text) => toJudged(text, sources)));
    return { ...listing, ...Object.fromEntries(kinds.map((kind, at) => [kind, lines[at]])) };
  }) as unknown as ComparedListing[];
}
