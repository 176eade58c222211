import { day_ms } from '../../core/text.ts';
import { code, day, say } from '../../core/words.ts';
import { type NoAnswer, notAsked } from '../../net/answer.ts';

const mostEndpoints = 10_000;
const asked_again_ms = 7 * day_ms;

export type OneSession = ReturnType<typeof createOneSession>;

/**
 * Remembers for a week which endpoints have one session for all clients. After a restart of such an endpoint,
 * a check would take that session from its users.
 */
export function createOneSession(clock: () => Date) {
  const refusals = new Map<string, string>();
  return {
    note(url: string): void {
      refusals.delete(url);
      refusals.set(url, clock().toISOString());
      const [oldest = url] = refusals.keys();
      if (refusals.size > mostEndpoints) refusals.delete(oldest);
    },
    whyNotAsked(url: string): NoAnswer | undefined {
      const refused_at = refusals.get(url);
      if (!refused_at || clock().getTime() - Date.parse(refused_at) >= asked_again_ms) return undefined;
      return notAsked(
        say`Dossier sent ${code(url)} no \`initialize\`: on ${day(refused_at)} this endpoint had one session for all clients, which a check would take from them.`,
      );
    },
  };
}
