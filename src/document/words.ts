import { amount, counted, dayText, lastOf } from '../core/text.ts';
import {
  code,
  day,
  dayOf,
  isEmpty,
  join,
  listed,
  ours,
  own,
  phrase,
  quote,
  say,
  toText,
  type Words,
  within,
} from '../core/words.ts';
import type { Listing, StoredVersion } from '../listings/listing.ts';
import { endpointAnswers } from '../observations/known/kinds/endpoint.ts';
import { registryLastUpdate, registryVersions } from '../observations/known/kinds/record.ts';
import { kindOf } from '../observations/known/kinds.ts';
import { type ProofClass, proofTexts } from '../ratings/proof.ts';
import type { ListingDocument } from './listing-document.ts';
import { type JudgedListing, knownValue, lastChecked, whyNotAsked } from './seen.ts';

export const stateTexts = {
  imported: 'Imported, not claimed',
  claimed: 'Claimed',
  suspended: 'Claim suspended',
} as const;

/** A check that fails, or a requested one that finds no proof, leaves `checked_at` unchanged. */
export const lastCheck_at = ({ checked_at = '', tried_at = '' }: NonNullable<ListingDocument['claim']>) =>
  tried_at > checked_at ? tried_at : checked_at;

export const toLabel = (name: string): string => name.replaceAll(/[._]/g, ' ');

/** For inside a sentence. Abbreviations keep their capitals. */
export const factTitle = (kind: string): string =>
  (kindOf(kind)?.title ?? toLabel(kind)).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());

export const unique = (all: readonly Words[]): Words[] => [
  ...new Map(all.map((words) => [toText(words), words])).values(),
];

/** Follows the day of the newest check or observation. */
export function unseenSince(
  missed: readonly { readonly since?: string | undefined; readonly why?: Words | undefined }[],
): Words {
  const told = missed.flatMap(({ since, why }) => (since && why ? { since, why: within(phrase(why)) } : []));
  const [first] = told.map(({ since }) => since).toSorted();
  const whys = listed(unique(told.map(({ why }) => why)), 2);
  return first ? say`; since ${dayOf(first)}, checks have not seen all facts again: ${whys}` : say``;
}

/** With why later checks saw nothing. If others were seen since, the endpoints that were not. */
export function stale({ listing, seen }: JudgedListing): Words[] {
  const isAll = lastChecked(listing) !== undefined;
  const alone = seen(endpointAnswers).filter((one) => one.is_stale && whyNotAsked(one));
  const facts = isAll ? [listing.observations] : alone.map((one) => [one]);
  return facts.slice(0, 3).map((some) => {
    const of = isAll ? say`` : say` of ${code(some[0]?.subject ?? '')}`;
    const unseen = some.map((one) => ({ since: one.missed_since, why: whyNotAsked(one) }));
    return say`No observation${of} is newer than ${dayOf(lastOf(some.flatMap((one) => one.observed_at ?? [])) ?? '')}${unseenSince(unseen)}`;
  });
}

/** Both days, if the entry of the version was changed on another day. */
export function datesWords(
  dates: Partial<Pick<Listing, 'updated_at' | 'entry_changed_at' | 'origin_status'>>,
  same = own('updated'),
): Words[] {
  const { updated_at, entry_changed_at, origin_status } = dates;
  if (updated_at === undefined) return [];
  if (dayText(entry_changed_at ?? updated_at) === dayText(updated_at))
    return [say`${same} ${day(updated_at)}`];
  const why = origin_status === 'deprecated' && own(' (status: deprecated)');
  const changed = say`entry changed ${day(entry_changed_at ?? '')}${why}`;
  return [say`published ${day(updated_at)}`, changed];
}

export const versionDates = (listing: ListingDocument): string => {
  const { published_at } = listing.versions.find(({ version }) => version === listing.version) ?? {};
  const dates = datesWords({ ...listing, entry_changed_at: knownValue(listing, registryLastUpdate) });
  if (dates.length === 0) return 'of which the registry states no date';
  return toText(join(unique([published_at ? say`published ${day(published_at)}` : say``, ...dates]), ', '));
};

export const deletionWords = ({ at, says }: NonNullable<StoredVersion['deleted']>): Words =>
  say`deleted in the registry on ${day(at)}${says !== undefined && say`; its publisher says ${quote(says)}`}`;

/** Of a version that the registry does not show, if it was published after the shown one. */
export function laterWords(
  { version, undated }: { readonly version: string; readonly undated?: boolean | undefined },
  versions: readonly ListingDocument['versions'][number][],
): Words | undefined {
  const newest = versions.find(({ status }) => status !== 'deleted');
  const isLater = newest?.version !== version;
  const told = isLater ? newest : versions[0];
  if (undated || !newest || !told?.published_at) return undefined;
  if (isLater)
    return say`${code(told.version)}, not the version shown, was published later, ${day(told.published_at)}`;
  return told.deleted
    ? say`${code(told.version)}, published later, ${day(told.published_at)}, was ${deletionWords(told.deleted)}`
    : undefined;
}

export function versionsTitle(listing: ListingDocument): string {
  const known = knownValue(listing, registryVersions);
  const shown = listing.versions.length;
  return known !== undefined && known > shown
    ? `The newest ${shown} of ${amount(known)} versions`
    : `${counted(shown, 'version')}, newest first`;
}

/** Names must be words of ours. Empty if all counts are 0. */
export const countedWords = (
  counts: Readonly<Record<string, number>>,
  nameOf: (name: string) => string = (name) => name,
): Words =>
  join(
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => say`${count} ${ours(nameOf(name))}`),
    ', ',
  );

export function countedOrNone(counts: Readonly<Record<string, number>>): Words {
  const words = countedWords(counts);
  return isEmpty(words) ? own('none') : words;
}

export const proofSentences = (meanings: Readonly<Record<string, string>>): string[] =>
  Object.entries(meanings).map(([name, shows]) => `${proofTexts[name as ProofClass].name}: ${shows}`);
