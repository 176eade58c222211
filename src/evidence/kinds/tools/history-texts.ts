import type { ListingChange } from '../../observation/listing-history.ts';
import { type ChangedText, changedTexts } from './changed-texts.ts';
import { toolsSurface } from './surface.ts';

/** A change as a history shows it. */
export interface ShownChange extends ListingChange {
  /** Where tools changed and both sets of them are still stored: which texts for models differ, and where. */
  readonly texts?: readonly ChangedText[];
}

/** A set of tools that is still stored, with its digest. */
interface StoredTools {
  readonly digest: string;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
}

/** Texts that a change shows at most. */
const mostTexts = 10;

/** The endpoints whose tools changed; `withTexts` needs their stored sets of tools. */
export const changedEndpoints = (changes: readonly ListingChange[]): string[] => {
  const ofTools = changes.filter(({ kind, before }) => kind === toolsSurface.kind && before);
  return [...new Set(ofTools.map(({ subject = '' }) => subject))];
};

/** Changes of tools with the texts that differ, where the sets of tools before and after are among the stored ones. */
export const withTexts = (
  changes: readonly ListingChange[],
  stored: ReadonlyMap<string, readonly StoredTools[]>,
): ShownChange[] =>
  changes.map((change) => {
    const sets = change.kind === toolsSurface.kind ? stored.get(change.subject ?? '') : undefined;
    const was = sets?.find(({ digest }) => digest === change.before?.value);
    const is = sets?.find(({ digest }) => digest === change.after.value);
    const texts = was && is ? changedTexts(was.tools, is.tools, mostTexts) : [];
    return texts.length > 0 ? { ...change, texts } : change;
  });
