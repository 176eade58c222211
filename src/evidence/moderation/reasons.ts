/** Why the operator may act, a closed list; each continues "because ...". */
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

/** Why an action is undone, a closed list; each continues "because ...". */
export const restoreReasons = {
  appeal: 'an appeal against it was right',
  mistake: 'it was a mistake',
  no_longer_needed: 'its reason no longer holds',
} as const;
export type RestoreReason = keyof typeof restoreReasons;
