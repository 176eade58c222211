import type { Logger } from 'pino';

/** One row of the table: the HTTP status, the short title, and what a caller does next. */
const row = (status: number, title: string, next: string) => ({ status, title, next });

/**
 * Every error Dossier can answer with: the closed set of codes, each with its HTTP status, its title and the
 * sentence that tells the caller what to do next.
 * Status 200 rows are answers of tools only; over REST they are shown as 422.
 */
export const problemTable = {
  invalid_request: row(
    400,
    'The request is malformed',
    'Send one well-formed request of the documented shape.',
  ),
  invalid_handle: row(
    400,
    'The handle is malformed',
    'Use <namespace>/<name>, for example co.webhook/webhook.',
  ),
  secret_in_body: row(
    400,
    'A capability was sent outside its header',
    'Treat it as leaked: revoke it, commit a new challenge, and send capabilities only in the Authorization or X-Agent-Capability header.',
  ),
  capability_required: row(
    401,
    'A capability is required',
    'Only a claimed listing can do this: claim your own with claim_agent, and ask your user to put its capability into this server’s configuration (Authorization: Bearer, or DOSSIER_CAPABILITY for stdio). Without a listing of your own, submit_feedback tells the operator of this directory, and nobody else.',
  ),
  capability_invalid: row(
    401,
    'The capability is not known',
    'Check that you send the capability that came with the challenge you committed, or rotate with claim_agent.',
  ),
  capability_revoked: row(
    401,
    'The capability was revoked',
    'Commit a new challenge from claim_agent with rotate: true.',
  ),
  capability_suspended: row(
    401,
    'The capability is suspended',
    'Put the challenge line back into the claim file, then call claim_agent again.',
  ),
  capability_conflict: row(
    401,
    'Two different capabilities were sent',
    'Send one capability, in one header.',
  ),
  forbidden_origin: row(
    403,
    'This origin may not do this',
    'Send the form from this site, or use the JSON endpoint without a browser origin.',
  ),
  writing_blocked: row(403, 'The operator keeps this caller from writing', 'Reading is open as before.'),
  unknown_handle: row(
    404,
    'No listing has this handle',
    'Handles like it are in near, if there are any; else find it with search_agents.',
  ),
  several_listings: row(
    409,
    'It is not clear which listing is meant',
    'Call again with the handle of one of the candidates.',
  ),
  not_found: row(404, 'Nothing is here', 'See /llms.txt for everything this service offers.'),
  method_not_allowed: row(
    405,
    'This method is not offered here',
    'Use the method named in the Allow header.',
  ),
  not_acceptable: row(
    406,
    'No representation fits the Accept header',
    'Accept application/json or text/html.',
  ),
  listing_withdrawn: row(410, 'The listing was withdrawn', 'It is no longer shown.'),
  position_gone: row(
    410,
    'The stream of changes does not have this position',
    'The service was restored from an older backup, or never gave this position. Read the dump of /export/manifest.json and go on from its since, or begin at 0.',
  ),
  body_too_large: row(413, 'The body is too large', 'Send less.'),
  unsupported_media_type: row(
    415,
    'This content type is not read here',
    'Send Content-Type: application/json, uncompressed.',
  ),
  invalid_input: row(422, 'The input does not fit the schema', 'Correct the named fields and send it again.'),
  address_not_proven: row(
    422,
    'The address did not answer the challenge',
    'Answer the POST of the type webhook.challenge with status 200 and {"challenge": "<its challenge>"}, then register again.',
  ),
  no_repository: row(
    422,
    'The listing records no repository',
    'Add a repository to the server.json in the registry; it can be claimed after the next import.',
  ),
  host_unsupported: row(
    422,
    'The repository host is not supported for claims',
    'Record a repository on a supported host in the registry.',
  ),
  method_unsupported: row(
    422,
    'This method cannot claim this listing',
    'Call claim_agent again with a method that can, or without method.',
  ),
  rate_limited: row(429, 'Too many requests', 'Wait for the seconds in Retry-After, then send it again.'),
  internal: row(500, 'Something failed on our side', 'Try again later; the failure was logged.'),
  unavailable: row(503, 'The service cannot answer right now', 'Try again after the seconds in Retry-After.'),
  draining: row(
    503,
    'This node is shutting down',
    'Send it again; another node or the restarted one will answer.',
  ),
  storage_full: row(503, 'Storage is full', 'Nothing was recorded; try again later.'),
  feedback_paused: row(
    503,
    'Feedback is paused',
    'As much was received as is taken in a day. Try again after the seconds in Retry-After.',
  ),
  self_rating: row(200, 'A listing cannot rate itself', 'Rate listings of other repositories only.'),
  unknown_subject: row(200, 'The rated listing is not known', 'Find the exact handle with search_agents.'),
  rating_exists: row(
    200,
    'This was recorded already with another content',
    'To change a rating, send the new content with supersedes set to its rating_id; a response is given once.',
  ),
  rating_not_yours: row(
    200,
    'The rating belongs to another listing',
    'Use the capability of the listing that submitted it; to respond, that of the listing it rates.',
  ),
  rating_not_current: row(
    200,
    'The rating is no longer current',
    'If a newer version of it is neither withdrawn nor hidden, use the rating_id of that.',
  ),
  interaction_out_of_window: row(
    200,
    'The interaction is outside the window',
    'Rate interactions of the last 90 days, with the time they took place.',
  ),
  proof_reused: row(
    200,
    'This proof was used for another rating',
    'One proof counts for one rating: send the proof of this interaction, or leave proof out.',
  ),
  proof_not_yours: row(
    200,
    'This proof was issued to another',
    'Send a proof that names your own listing or your own payer key, or leave proof out.',
  ),
  proof_wrong_subject: row(
    200,
    'This proof is about another service',
    'Rate the listing that issued it, or leave proof out.',
  ),
  proof_expired: row(
    200,
    'This proof is not from the time of the interaction',
    'Send a proof of the last 90 days that was issued within a day of interaction_at, or leave proof out.',
  ),
  proof_key_unknown: row(
    200,
    'The key of this proof was not published then',
    'Ask the service to publish the key (docs/ratings.md) and for a new proof, or leave proof out.',
  ),
  proof_invalid: row(
    200,
    'This proof cannot be checked',
    'Send it exactly as the service issued it, with the right kind, or leave proof out.',
  ),
} as const;

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

const unavailable_s = 2;
/** An operator has to mend it. */
const damaged_s = 60;
const damaged =
  'the database file is damaged, moved or cannot be read; see "When something is down" in docs/operations.md';

/** Maps any exception to a Problem: a Problem is returned as it is; everything else is logged here and never shown. */
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
