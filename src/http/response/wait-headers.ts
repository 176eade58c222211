import type { ProblemFacts } from '../../problem.ts';

/**
 * When to retry: Retry-After and, if a limit was reached, its RateLimit-Policy (a burst of q calls, refilled in w
 * seconds) and RateLimit (no calls left, the next one in t seconds), as in draft-ietf-httpapi-ratelimit-headers.
 */
export const toWaitHeaders = ({ retry_after_s, limit }: ProblemFacts): Record<string, string> => ({
  ...(retry_after_s !== undefined && { 'Retry-After': String(retry_after_s) }),
  ...(limit && {
    'RateLimit-Policy': `"${limit.name}";q=${limit.burst};w=${limit.refill_s}`,
    RateLimit: `"${limit.name}";r=0;t=${retry_after_s}`,
  }),
});
