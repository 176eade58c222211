import type { Config } from '../../config/config.ts';
import { handleParts } from '../../core/handle.ts';
import { toQuote } from '../../core/text.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { knowingOf } from '../../observations/known/observation.ts';
import type { ListingDocument } from '../listing-document.ts';
import { badgeLabel, toBadge } from './badge.ts';

/** Each with its address, or with what is pasted or run. */
export function publisherWays(
  listing: ListingDocument,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): readonly (readonly [does: string, at: string])[] {
  const { handle, links } = listing;
  const { namespace } = handleParts(handle);
  const isSilent = listing.observations.some(
    (one) =>
      one.kind === endpointAnswers.kind &&
      knowingOf(one) !== 'not_known' &&
      (one.outcome !== 'seen' || one.unanswered_since !== undefined),
  );
  return [
    ...(isSilent
      ? [
          [
            'If it refuses the robot of Dossier: let it in, then ask for a check with a key',
            `${publicUrl}/about#observer`,
          ] as const,
        ]
      : []),
    ['Claim, answer ratings (respond_to_rating)', `${links.page}/claim`],
    ['Opt out there with the line', `optout ${handle}`],
    [
      'Wrong data: publish a new version in its MCP registry; report a copy there and here',
      `${publicUrl}/feedback?category=report&handle=${encodeURIComponent(handle)}`,
    ],
    [`Badge, now ${toQuote(toBadge(listing))}`, `[![${badgeLabel}](${links.badge})](${links.page})`],
    ['Changes', `${links.page}/feed.atom`],
    ['Its namespace', `${publicUrl}/publishers/${namespace}/feed.atom`],
    ['Webhook', `${publicUrl}/api/webhooks`],
    ['In CI', `${publicUrl}/about#ci`],
  ];
}

/** Undefined without pages, and of a past day. */
export const publisherLine = (
  listing: ListingDocument,
  config: Pick<Config, 'publicUrl' | 'hasPages'>,
): string | undefined =>
  config.hasPages && (listing.as_of?.is_today ?? true)
    ? `For its publisher, and to follow it: ${publisherWays(listing, config)
        .map(([does, at]) => `${does}: \`${at}\`.`)
        .join(' ')}`
    : undefined;
