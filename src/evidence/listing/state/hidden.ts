import type { ListingSummary } from '../listing.ts';

/** Texts of a listing that the operator can hide, emptied where they are hidden. */
export const withoutHidden = <T extends ListingSummary>(listing: T): T =>
  listing.hidden ? { ...listing, title: undefined, description: '', status_message: undefined } : listing;

/** What lists say of a listing whose texts are hidden; its page says why. */
export const hiddenSentence =
  'The operator has hidden the title, description and status message of this listing.';

/** A publisher's record without the texts that are hidden. */
export const withoutHiddenText = <T extends object>(record: T) => ({
  ...record,
  title: undefined,
  description: hiddenSentence,
});
