import type { Moderation } from '../../evidence/moderation/moderation.ts';
import type { Time } from './columns.ts';

/** One action of the operator; standing while `ended_by` is null. */
export interface ModerationRow {
  log_index: number;
  action: string;
  target_kind: Moderation['target_kind'];
  target: string;
  /** The listing that shows it. */
  handle: string | null;
  /** Log index of the rating's or response's own record. */
  record_index: number | null;
  reason: Moderation['reason'];
  statement: string;
  at: Time;
  ended_by: number | null;
  ended_at: Time | null;
  end_reason: string | null;
}
