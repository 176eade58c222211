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
  /** JSON list of the log indexes of the records that it is about. */
  record_indexes: string;
  reason: Moderation['reason'];
  statement: string;
  at: Time;
  ended_by: number | null;
  ended_at: Time | null;
  end_reason: string | null;
}
