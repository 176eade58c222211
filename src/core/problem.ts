import type { Logger } from 'pino';
import table from './problems.json' with { type: 'json' };

/**
 * Every error Dossier can answer with: the closed set of codes, each with its HTTP status, its title and the
 * sentence that tells the caller what to do next.
 * Status 200 rows are answers of tools only; over REST they are shown as 422.
 */
export const problemTable = table;

/** A code of the table. */
export type ProblemCode = keyof typeof problemTable;

/** What a problem may say besides its code. `detail` must never hold text that a third party wrote. */
export interface ProblemFacts {
  readonly detail?: string;
  /** Input fields and what is wrong with each, in the caller's own field names. */
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  /** Handles the caller may have meant; publisher-written names, for data fields only. */
  readonly near?: readonly string[];
  /** Handles farther away: of the same namespace, or with the words of the name. */
  readonly others?: readonly string[];
  /** Listings that record what was sent, and what tells them apart. */
  readonly candidates?: readonly { readonly handle: string; readonly differs: string }[];
  readonly retry_after_s?: number;
  /** The limit that was met, for the RateLimit headers. */
  readonly limit?: { readonly name: string; readonly burst: number; readonly refill_s: number };
  /** The methods that a 405 names in Allow. */
  readonly allow?: readonly string[];
}

/** The only error whose text may reach a caller. Everything else becomes `internal`. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly facts: ProblemFacts;

  constructor(code: ProblemCode, detailOrFacts: string | ProblemFacts = {}) {
    const facts = typeof detailOrFacts === 'string' ? { detail: detailOrFacts } : detailOrFacts;
    const { title, next } = problemTable[code];
    super([`${title}.`, facts.detail, next].filter(Boolean).join(' '));
    this.name = 'Problem';
    this.code = code;
    this.facts = facts;
  }

  /** The HTTP status: that of the table, 422 for the codes that only tools answer with. */
  get status(): number {
    const { status } = problemTable[this.code];
    return status === 200 ? 422 : status;
  }

  /** The data that every adapter shows: code, message and facts; the shape of `structuredContent.error`. */
  toJSON(): { code: ProblemCode; message: string } & Omit<ProblemFacts, 'detail' | 'allow' | 'limit'> {
    const { detail: _, allow: _allow, limit: _limit, ...facts } = this.facts;
    return { code: this.code, message: this.message, ...facts };
  }
}

/** The problem of one field of the input; `message` goes on after its name. */
export const wrongField = (field: string, message: string, detail = `${field} ${message}.`): Problem =>
  new Problem('invalid_input', { fields: [{ field, message }], detail });

/** An operator has to mend it. */
const damaged_s = 60;
const damaged =
  'the database file is damaged, moved or cannot be read; see "When something is down" in docs/operations.md';

/**
 * Maps any exception to a Problem: a Problem is returned as it is; everything else is logged here and never
 * shown.
 */
export function toProblem(
  error: unknown,
  {
    log,
    store,
  }: {
    readonly log: Pick<Logger, 'warn' | 'error'>;
    readonly store: { failureOf(error: unknown): 'unavailable' | 'storage_full' | 'damaged' | undefined };
  },
): Problem {
  if (error instanceof Problem) return error;
  const failure = store.failureOf(error);
  if (failure === 'unavailable') {
    log.warn({ reason: String(error) }, 'the database cannot be reached');
    return new Problem('unavailable', { retry_after_s: 2 });
  }
  if (failure === 'damaged') {
    log.error({ err: error }, damaged);
    return new Problem('unavailable', {
      detail: 'Whether a write was recorded is not known; sending it again records it once.',
      retry_after_s: damaged_s,
    });
  }
  log.error({ err: error }, failure === 'storage_full' ? 'storage is full' : 'unexpected failure');
  return new Problem(failure ?? 'internal');
}
