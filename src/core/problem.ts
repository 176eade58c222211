import type { Logger } from 'pino';
import table from './problems.json' with { type: 'json' };

/** Status 200 marks problems of tools only; their HTTP status is 422. */
export const problemTable = table;

export type ProblemCode = keyof typeof problemTable;

/** `detail` must have no free text of third parties. */
export interface ProblemFacts {
  readonly detail?: string;
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  /** Handles or tags that may have been meant. */
  readonly near?: readonly string[];
  /** Less similar handles, in the same namespace or with sent words. */
  readonly others?: readonly string[];
  /** Have, or once had, what was sent. `differs`: from the rest. */
  readonly candidates?: readonly { readonly handle: string; readonly differs: string }[];
  readonly retry_after_s?: number;
  readonly limit?: { readonly name: string; readonly burst: number; readonly refill_s: number };
  readonly allow?: readonly string[];
}

/** No other error's text reaches a caller. */
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

  get status(): number {
    const { status } = problemTable[this.code];
    return status === 200 ? 422 : status;
  }

  toJSON(): { code: ProblemCode; message: string } & Omit<ProblemFacts, 'detail' | 'allow' | 'limit'> & {
      readonly untrusted_fields?: readonly string[];
    } {
    const { detail: _, allow: _allow, limit: _limit, ...facts } = this.facts;
    const untrusted = facts.candidates && { untrusted_fields: ['message', 'candidates'] };
    return { code: this.code, message: this.message, ...facts, ...untrusted };
  }
}

/** Without `detail`, `message` continues a sentence that begins with the field. */
export const wrongField = (field: string, message: string, detail = `${field} ${message}.`): Problem =>
  new Problem('invalid_input', { fields: [{ field, message }], detail });

/** An operator has to mend the fault. */
const damaged_s = 60;
const damaged =
  'the database file is damaged, moved or cannot be read; see "When something is down" in docs/operations.md';

/** Logs any exception but a Problem, and hides its text. */
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
      detail:
        'It is not known whether a write was recorded; a rating, response or withdrawal that is sent again is recorded once.',
      retry_after_s: damaged_s,
    });
  }
  log.error({ err: error }, failure === 'storage_full' ? 'storage is full' : 'unexpected failure');
  return new Problem(failure ?? 'internal');
}
