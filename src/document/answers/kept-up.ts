import { dayText } from '../../core/text.ts';
import { code, count, day, join, own, phrase, say, source, type Words } from '../../core/words.ts';
import type { DatedMove } from '../../listings/version-moves.ts';
import { comparedWords, recordMoves } from '../../observations/known/kinds/moves.ts';
import {
  recordUnreadFields,
  registryFirstPublished,
  registryLastPublished,
  registryLastUpdate,
  registryVersions,
} from '../../observations/known/kinds/record.ts';
import { groupTexts, shownGroups } from '../../ratings/groups.ts';
import type { ListingDocument } from '../listing-document.ts';
import { groupWords, nativeWords } from '../rated.ts';
import { type FactsOf, ofService, recorded, saidIn, type TextFact } from '../recorded-facts.ts';
import type { JudgedListing } from '../seen.ts';
import { datesWords, laterWords } from '../words.ts';

/** With both versions of the package and why it is not shown, unless a move of that version is `told`. */
export function newerWords({ listing, known }: JudgedListing, told: readonly DatedMove[]): Words[] {
  const later = laterWords(listing, listing.versions);
  const { newer } = known(recordMoves)[0]?.value ?? {};
  if (!later || told.some(({ version }) => version === newer?.version)) return [];
  const [was, is] = newer?.packages ?? [];
  const packages = was && is && say`, and names the package version ${code(is)} instead of ${code(was)}`;
  const why = newer?.is_marked && own('; its registry marks the version shown as latest');
  return [say`${later}${packages || own('')}${why}${source('record')}`];
}

const ofKinds = saidIn('kept_up');

export const keptUp: FactsOf = (judged) => {
  const { listing, known, seen } = judged;
  const signal = (text: Words): TextFact => ({ ...recorded(judged, text), isSignal: true });
  const first = known(registryFirstPublished)[0]?.value;
  const whyNone = seen(registryLastPublished).find(({ outcome }) => outcome === 'nothing')?.reason;
  const unknown = whyNone ? [{ ...signal(phrase(whyNone)), state: 'not_known' as const }] : [];
  // A listing that quotes the specification has no recorded version or date.
  if (whyNone && listing.sample) return unknown;
  const { version: shown, versions, updated_at, origin_status } = listing;
  const published_at = updated_at && versions.find(({ version }) => version === shown)?.published_at;
  const entry_changed_at = known(registryLastUpdate)[0]?.value;
  const isLater = first !== undefined && dayText(first) !== (published_at && dayText(published_at));
  const [published, ...entryChanged] = datesWords(
    { updated_at: published_at ?? updated_at, entry_changed_at, origin_status },
    own(published_at ? 'published' : 'updated'),
  );
  const isOther = listing.packages.some(({ version = listing.version }) => version !== listing.version);
  return [
    signal(
      say`${isOther ? own('listing version') : own('version')} ${code(listing.version)}${published && say` ${published}`}`,
    ),
    ...unknown,
    ...entryChanged.map(signal),
    ...(isLater ? [signal(say`first published ${day(first)}`)] : []),
    ...known(registryVersions)
      .filter(({ value }) => value > 1)
      .map(({ value }) =>
        signal(say`${count(value, 'version')}${comparedWords(value, seen(recordMoves)[0]?.value)}`),
      ),
    ...known(recordUnreadFields).map(({ value }) =>
      signal(say`${count(value.length, 'field')} that Dossier does not read`),
    ),
    ...ofKinds(judged),
  ];
};

export function ratedWords({ signals: { native } }: ListingDocument): Words {
  if (native.ratings === 0) return nativeWords(native);
  const said = shownGroups(native).map((group) =>
    groupWords(groupTexts[group].name.toLowerCase(), native[group]),
  );
  return nativeWords(native, join(said, '; '));
}

export const rated: FactsOf = (judged) => {
  const { listing } = judged;
  return [
    ofService(judged, ratedWords(listing), listing.signals.native.ratings === 0 ? 'not_there' : 'known'),
  ];
};
