import { day_ms } from '../../../core/text.ts';
import { code, day, say } from '../../../core/words.ts';
import { type NoAnswer, noAnswer } from '../../../net/answer.ts';

const asked_again_ms = 7 * day_ms;

/** After a restart of the endpoint, a check would take its only session from its users. */
export const whyNoSession = (url: string, refused_at: string | undefined, now: Date): NoAnswer | undefined =>
  refused_at === undefined || now.getTime() - Date.parse(refused_at) >= asked_again_ms
    ? undefined
    : noAnswer(
        'not_asked',
        say`Dossier sent ${code(url)} no \`initialize\`: on ${day(refused_at)} this endpoint had one session for all clients, which a check would take from them.`,
        { cause: 'one_session', one_session_at: refused_at },
      );
