import type { Logger } from 'pino';
import { type ProblemCode, problemTable } from './problem-table.ts';

/** What a problem may say besides its code. `detail` must never hold text that a third party wrote. */
export interface ProblemFacts {
  readonly detail?: string;
  /** Input fields and what is wrong with each, in the caller's own field names. */
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  /** Handles the caller may have meant; publisher-written names, for data fields only. */
  readonly near?: readonly string[];
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

  constructor(code: ProblemCode, facts: ProblemFacts = {}) {
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

  /** The data every face shows: code, message and facts; the shape of `structuredContent.error`. */
  toJSON(): { code: ProblemCode; message: string } & Omit<ProblemFacts, 'detail' | 'allow' | 'limit'> {
    const { fields, near, retry_after_s } = this.facts;
    return {
      code: this.code,
      message: this.message,
      ...(fields && { fields }),
      ...(near && { near }),
      ...(retry_after_s !== undefined && { retry_after_s }),
    };
  }
}

/** What classifies and logs an exception; a Context fits. */
interface FailureContext {
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly store: { failureOf(error: unknown): 'unavailable' | 'storage_full' | 'damaged' | undefined };
}

const unavailable_s = 2;
/** An operator has to mend it. */
const damaged_s = 60;
const damaged =
  'the database file is damaged, moved or cannot be read; see "When something is down" in docs/operations.md';

/** Maps any exception to a Problem: a Problem is returned as it is; everything else is logged here and never shown. */
export function toProblem(error: unknown, { log, store }: FailureContext): Problem {
  if (error instanceof Problem) return error;
  const failure = store.failureOf(error);
  if (failure === 'unavailable') {
    log.warn({ reason: String(error) }, 'the database cannot be reached');
    return new Problem('unavailable', { retry_after_s: unavailable_s });
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
