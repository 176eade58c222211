import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { flag, integer, json, oneOf, optional, type TableValue, table, text } from '../store/table.ts';

/** Continues "because ...". */
export const moderationReasons = {
  personal_data: 'it has personal data that should not be public',
  unlawful: 'a law or a court order requires it',
  untrue_statement: 'a statement of fact in it was shown to be untrue and harms somebody',
  threat_or_insult: 'it threatens or insults somebody',
  advertising: 'it advertises, or repeats the same content',
  no_interaction: 'the stated interaction was shown not to have taken place, or was arranged for the rating',
  impersonation: 'it pretends to be somebody else',
  malicious: 'it leads to malware, phishing or fraud',
  stolen_capability: 'the holder of the capability reported it as stolen',
  repeated: 'what was written with it was hidden or voided more than once',
  overload: 'requests from there harm the service',
} as const;
export type ModerationReason = keyof typeof moderationReasons;

/** Continues "because ...". */
export const restoreReasons = {
  appeal: 'an appeal against it was right',
  mistake: 'it was a mistake',
  no_longer_needed: 'its reason no longer holds',
} as const;
export type RestoreReason = keyof typeof restoreReasons;

export type ModerationTargetKind =
  | 'rating'
  | 'response'
  | 'listing'
  | 'capability'
  | 'namespace'
  | 'account'
  | 'network';

/** `target` is the rating's id for its response too, and a capability's id. */
export interface ModerationTarget {
  readonly target_kind: ModerationTargetKind;
  readonly target: string;
}

export const moderationTable = table('moderation', ['log_index'], {
  /** Of `moderation.applied`. */
  log_index: integer,
  action: text,
  target_kind: oneOf<ModerationTargetKind>(),
  target: text,
  /** Shows the action; undefined for namespaces, accounts and networks. */
  handle: optional(text),
  /** Whose records the action reaches. */
  record_indexes: json<readonly number[]>(),
  reason: oneOf<ModerationReason>(),
  statement: text,
  at: text,
  ended_by: optional(integer),
  ended_at: optional(text),
  end_reason: optional(text),
});
/** In force until `ended_by`. */
export type Moderation = TableValue<typeof moderationTable>;

export const moderationNotice = z.object({
  action: z.string().describe('hide, void, withdraw, revoke, block or erase'),
  reason: z.string(),
  statement: z.string(),
  at: z.string(),
  log_index: z.int(),
});
export type ModerationNotice = z.infer<typeof moderationNotice>;

export const toNotice = ({ action, reason, statement, at, log_index }: Moderation): ModerationNotice => ({
  action,
  reason,
  statement,
  at,
  log_index,
});

export const toAppeal = ({ operatorContact, publicUrl }: Pick<Config, 'operatorContact' | 'publicUrl'>) =>
  `To appeal against an action of the operator, ${operatorContact ? `write to ${operatorContact}` : `use the form at ${publicUrl}/feedback`} and name its log index.`;

export const reportCategory = 'report';

export const feedbackTable = table('feedback', ['id'], {
  id: text,
  received_at: text,
  state: oneOf<'open' | 'closed'>(),
  message: text,
  category: optional(text),
  /** The rated one, for a rating. */
  handle: optional(text),
  rating_id: optional(text),
  looking_for: optional(text),
  found_it: optional(flag),
  contact: optional(text),
});
/** Only for the operator. */
export type Feedback = TableValue<typeof feedbackTable>;
