import type { ProblemFacts } from '../../problem.ts';

/**
 * When to come back: Retry-After, and where a limit was met its RateLimit-Policy (q calls at once, all back after w
 * seconds) and RateLimit (none left, the next in t seconds), as draft-ietf-httpapi-ratelimit-headers writes them.
 */
export const toWaitHeaders = ({ retry_after_s, limit }: ProblemFacts): Record<string, string> => ({
  ...(retry_after_s !== undefined && { 'Retry-After': String(retry_after_s) }),
  ...(limit && {
    'RateLimit-Policy': `"${limit.name}";q=${limit.burst};w=${limit.refill_s}`,
    RateLimit: `"${limit.name}";r=0;t=${retry_after_s}`,
  }),
});
