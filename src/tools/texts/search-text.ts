import type { ShortListing } from '../../evidence/listing/short-listing.ts';
import { code, lines, list, paragraphs, toInlineText, toQuote } from '../../evidence/text/markdown-text.ts';
import type { NearMisses } from '../support/near-misses.ts';
import { closingText } from './shared.ts';

/** A listing, with what it shares with another one if it was asked for what is similar. */
type FoundListing = ShortListing & { readonly alike?: string | undefined };

/** The answer of search_agents. */
interface FoundListings {
  readonly listings: readonly FoundListing[];
  readonly total: { readonly count: number; readonly capped: boolean };
  readonly facets: readonly { readonly facet: string; readonly count: number }[];
  readonly next_cursor?: string | undefined;
  readonly did_you_mean?: readonly { readonly word: string; readonly near: readonly string[] }[] | undefined;
  readonly no_match?: NearMisses | undefined;
  readonly order: string;
  readonly untrusted_fields: readonly string[];
}

const inlineAll = (texts: readonly string[]) => texts.map(code).join(', ');

const marks = ({ sample, placeholder_description, matched, alike }: FoundListing) =>
  [
    sample && 'shipped sample',
    placeholder_description && 'placeholder description',
    matched,
    alike && toInlineText(alike),
  ]
    .filter(Boolean)
    .map((mark) => ` (${mark})`)
    .join('');

function listingLine(listing: FoundListing): string {
  const { handle, title, version, endpoint, repository, tags } = listing;
  const said = `its publisher writes ${title ? `${toQuote(title)}: ` : ''}${toQuote(listing.description)}`;
  return [
    `${code(handle)}: ${listing.hidden ?? said}${marks(listing)}`,
    `version ${code(version)}, published ${listing.published_at}, updated ${listing.updated_at}`,
    `${listing.state}, ${listing.has_native_ratings ? 'has' : 'no'} native ratings`,
    ...(endpoint ? [`endpoint ${code(endpoint)}`] : []),
    ...(repository ? [`repository ${code(repository)}`] : []),
    ...(tags.length > 0 ? [`tags ${inlineAll(tags)}`] : []),
  ].join(' | ');
}

function omissionLine({ facet, text, query, only, count }: NearMisses['leave_out'][number]): string {
  if (only !== undefined) return `${toInlineText(only)} alone: ${count}`;
  if (facet !== undefined) return `without ${toInlineText(facet)}: ${count}`;
  return `without ${toQuote(text ?? '')}: ${count}${query ? `, query ${toQuote(query)}` : ''}`;
}

const noMatchText = ({ near, leave_out, unknown_tags = [], copy_lacks }: NearMisses) =>
  lines(
    copy_lacks,
    near.length > 0 && `Near: ${near.map(code).join(', ')}`,
    leave_out.length > 0 && `How many match with less:\n${list(leave_out, omissionLine)}`,
    ...unknown_tags.map(
      ({ tag, near: nearTags }) =>
        `No listing has the tag ${toInlineText(tag)}; near: ${inlineAll(nearTags)}`,
    ),
  );

const meantLine = ({ word, near }: { word: string; near: readonly string[] }) =>
  `No listing has ${toQuote(word)}; ${near.length > 0 ? `searched for instead: ${inlineAll(near)}` : 'nothing near was found'}.`;

/** The answer of search_agents as Markdown: one line a listing. */
export const toSearchText = (answer: FoundListings): string =>
  paragraphs(
    `Matching listings: ${answer.total.count}${answer.total.capped ? ' or more' : ''}. Order: ${answer.order}.`,
    answer.did_you_mean && lines(...answer.did_you_mean.map(meantLine)),
    answer.listings.length > 0 && list(answer.listings, listingLine),
    answer.no_match && noMatchText(answer.no_match),
    answer.facets.length > 0 &&
      `Counts of facets: ${answer.facets.map(({ facet, count }) => `${toInlineText(facet)} ${count}`).join(', ')}`,
    closingText(answer),
  );
