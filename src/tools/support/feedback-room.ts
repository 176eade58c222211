import type { Context } from '../../context.ts';
import { isFirstToday } from '../../limits/shared.ts';
import { Problem } from '../../problem.ts';
import type { Transaction } from '../../store/store.ts';

/** Feedback of all callers together in 24 hours (docs/trust.md section 5). */
const mostPerDay = 2000;
/** Of these, for networks that sent none today. */
const keptForOthers = 500;
const day_ms = 86_400_000;

/** Throws feedback_paused, with the seconds until there is room, once as much was received as is taken in 24 hours. */
export async function requireFeedbackRoom(tx: Transaction, context: Context): Promise<void> {
  const most = (await isFirstToday(tx, 'feedback', context)) ? mostPerDay : mostPerDay - keptForOthers;
  const received_at = await tx.feedback.receivedAt(most);
  const wait_ms = received_at ? Date.parse(received_at) + day_ms - context.clock().getTime() : 0;
  if (wait_ms > 0) throw new Problem('feedback_paused', { retry_after_s: Math.ceil(wait_ms / 1000) });
}
