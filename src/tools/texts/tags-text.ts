import { code, lines } from '../../evidence/text/markdown-text.ts';
import { closingText } from './shared.ts';

/** The answer of list_tags. */
interface ListedTags {
  readonly tags: readonly { readonly tag: string; readonly listings: number }[];
  readonly untrusted_fields: readonly string[];
}

/** The answer of list_tags as one line of tags, each with the number of listings that have it. */
export const toTagsText = (answer: ListedTags): string =>
  lines(
    `Tags, each with how many listings have it: ${answer.tags.map(({ tag, listings }) => `${code(tag)} ${listings}`).join(', ') || 'none'}`,
    closingText(answer),
  );
