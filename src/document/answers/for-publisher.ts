import type { Config } from '../../config/config.ts';
import { handleParts } from '../../core/handle.ts';
import { dayText, isWebAddress, toQuote } from '../../core/text.ts';
import { join, listed, own, say, toText, type Words } from '../../core/words.ts';
import { packageAdvisories } from '../../observations/known/kinds/packages/advisories.ts';
import { askedOf } from '../../observations/known/kinds.ts';
import type { ListingDocument } from '../listing-document.ts';
import { newestCheckTime } from '../seen.ts';
import { notKnownWords } from '../sentences.ts';
import { standOutsOf } from './answers.ts';
import { toBadge } from './badge.ts';
import type { StandOut } from './stands-out.ts';

/** A check is due at most a tenth later than the interval says. */
const mostOfInterval = 1.1;

type PublisherWay = readonly [does: string, at: string];
export type WayPlace = Pick<Config, 'publicUrl' | 'observe' | 'observeInterval_s' | 'registryUrl'>;

const places = {
  endpoint: own('its endpoint'),
  repository: own('its repository'),
  package: own('the registry of its package'),
  advisories: own('the database of advisories'),
};
const readPlace = ({ fact, of = 'endpoint' }: StandOut) =>
  fact && (fact.kind === packageAdvisories.kind ? 'advisories' : of);

/** Of what stands out, where checks read it, if this service will read there again. */
function checkAgain(
  listing: ListingDocument,
  { observe, observeInterval_s }: WayPlace,
): readonly PublisherWay[] {
  const { links, evidence_snapshot_date: today } = listing;
  const readAt = new Set<string | undefined>(standOutsOf(listing).map(readPlace));
  const read = Object.entries(places).flatMap(([place, words]) => (readAt.has(place) ? words : []));
  const last = newestCheckTime(listing);
  if (read.length === 0 || observe === 'off' || last === undefined) return [];
  const due = new Date(Date.parse(last) + observeInterval_s * mostOfInterval * 1000).toISOString();
  const time = `${due.slice(0, 16).replace('T', ' ')} UTC`;
  const by = observe === 'on' ? `is due by ${time}` : `begins when it is read after ${time}`;
  const next = dayText(due) < today ? '' : ` The next check ${by}.`;
  return [
    [
      `What checks read at ${toText(listed(read))} stands out. Mended there?${next} For one at once: claim, then POST /api/capability/check with the capability`,
      `${links.page}/claim#check`,
    ],
  ];
}

/** What no feed or webhook can tell; empty where a registry is read. */
export const untoldNews = ({ registryUrl }: Pick<Config, 'registryUrl'>): string[] =>
  isWebAddress(registryUrl)
    ? []
    : ['Until the operator imports again, Dossier learns of no new version, status or withdrawal.'];

/** Each with its address, or with what is pasted or run. */
export function publisherWays(listing: ListingDocument, place: WayPlace): readonly PublisherWay[] {
  const { publicUrl } = place;
  const { handle, links } = listing;
  const { namespace } = handleParts(handle);
  return [
    ...checkAgain(listing, place),
    ['Claim', `${links.page}/claim`],
    ['Opt out there with the line', `optout ${handle}`],
    ['Answer ratings (respond_to_rating)', `${links.page}/ratings`],
    [
      'Wrong in the record: mend it in its registry (version, status); if right there, or a copy, report it',
      `${publicUrl}/feedback?category=report&handle=${encodeURIComponent(handle)}`,
    ],
    [`Badge, now ${toQuote(toBadge(listing))}`, links.badge],
    ['Changes', `${links.page}/feed.atom`],
    ['Its namespace', `${publicUrl}/publishers/${namespace}/feed.atom`],
    ['Webhook', `${publicUrl}/api/webhooks`],
    ['In CI', `${publicUrl}/about#ci`],
  ];
}

/** Undefined without pages, and of a past day. */
export const publisherLine = (listing: ListingDocument, config: WayPlace & Pick<Config, 'hasPages'>) =>
  config.hasPages && (listing.as_of?.is_today ?? true)
    ? [
        `For its publisher, and to follow it, at \`${config.publicUrl}\`:`,
        ...publisherWays(listing, config).map(
          ([does, at]) => `${does}: \`${at.replace(config.publicUrl, '')}\`.`,
        ),
        ...untoldNews(config),
      ].join(' ')
    : undefined;

/** Of what its publisher does not state, where Dossier would read it. */
export function whereStated({ not_known }: ListingDocument): Words {
  const unstated = not_known
    .filter(({ state }) => state === 'not_stated')
    .map((one) => ({ name: notKnownWords(one), at: askedOf(one.kind)?.unstated?.readIn }));
  const read = unstated.flatMap(({ name, at }) => (at ? say`${name} in ${at}` : []));
  const unread = unstated.flatMap(({ name, at }) => (at ? [] : name));
  return join(
    [
      read.length > 0 && say`To state what is not stated: ${join(read, '; ')}.`,
      unread.length > 0 && say`No place is read for ${listed(unread)}.`,
    ],
    ' ',
  );
}
