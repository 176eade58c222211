type Results = Readonly<Record<string, string>>;

export interface ComparedListing {
  readonly handle: string;
  readonly sample?: boolean;
  readonly imported?: Results;
  readonly observed?: Results;
  readonly native?: Results;
  readonly reasons?: readonly { readonly criteria?: readonly string[]; readonly reason: string }[];
  readonly stands_out?: readonly string[];
  readonly lines?: Readonly<Record<string, string>>;
  readonly unchecked?: string;
  readonly record?: string;
  readonly part_asked?: string;
  readonly problem?: { readonly code: string; readonly message: string; readonly near?: readonly string[] };
}

type Reasons = NonNullable<ComparedListing['reasons']>;

/** Without criteria, a reason is of those that are unknown. */
const reasonsByCriterion = (reasons: Reasons, results: Results): Results => {
  const unknown = Object.keys(results).filter((name) => results[name] === 'unknown');
  return Object.fromEntries(
    reasons.flatMap(({ criteria = unknown, reason }) => criteria.map((name) => [name, reason])),
  );
};

/** The listings of an answer of compare_agents, each with all its results by criterion. */
export const comparedOf = (answer: unknown) =>
  (answer as { listings: readonly ComparedListing[] }).listings.map((one) => {
    const results = { ...one.imported, ...one.observed, ...one.native };
    return {
      ...(one as Omit<ComparedListing, 'reasons'>),
      ...(one.reasons && { reasons: reasonsByCriterion(one.reasons, results) }),
      results,
    };
  });
