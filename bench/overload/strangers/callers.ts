import type { CheckedRequest } from '../../paced.ts';
import { createUserMix } from '../../user-mix.ts';
import { plain, plainHandles } from './listings.ts';

const networks = 40;

/**
 * Forty callers who read as users do, each from a network of its own; and how many were told to come again
 * later.
 */
export function createCallers() {
  const mixed = createUserMix({ handles: plainHandles, capabilities: [''], listings: plain });
  let sent = 0;
  let refused = 0;
  const next = (): CheckedRequest => {
    const { kind, request, isCorrect } = mixed();
    if (kind.startsWith('submit')) return next();
    sent += 1;
    return {
      kind,
      request: {
        ...request,
        headers: { ...request.headers, 'x-forwarded-for': `10.${sent % networks}.0.1` },
      },
      isCorrect: (status, text) => {
        if (status === 429 || status === 503) refused += 1;
        return isCorrect(status, text);
      },
    };
  };
  return { next, refused: () => refused };
}
