import { day as dayText } from '../../core/text.ts';
import { code, count, day, dayOf, join, own, say, type Words } from '../../core/words.ts';
import type { DatedObservation } from '../../observations/observation.ts';
import { groupTexts, shownGroups } from '../../ratings/groups.ts';
import { type Fact, type FactsOf, mostPlaces, observed, ofService, recorded } from '../fact.ts';
import { groupWords, nativeWords } from '../rated.ts';
import { atPlace, type Judged, signalValue } from '../seen.ts';

const provenances: Readonly<Record<string, Words>> = {
  match: own('signed provenance names the recorded repository'),
  other: own('signed provenance names another repository'),
  none: own('no provenance'),
};

const packageTexts: Readonly<Record<string, (value: DatedObservation['value']) => Words>> = {
  'package.version_age': (value) => say`package version of ${dayOf(String(value))}`,
  'package.provenance': (value) => provenances[String(value)] ?? own('provenance that cannot be compared'),
  'package.advisories': (value) => say`${count(Number(value), 'advisory')} about the package`,
};

const ofPackage = (judged: Judged, kind: string, textOf: (value: DatedObservation['value']) => Words) => {
  const all = judged.known(kind);
  return all
    .slice(0, judged.detail === 'full' ? all.length : mostPlaces)
    .map((one) => observed(judged, one, say`${textOf(one.value)}${atPlace(one, all)}`));
};

export const keptUp: FactsOf = (judged) => {
  const { listing } = judged;
  const signal = (text: Words): Fact => ({ ...recorded(judged, text), isSignal: true });
  const first = signalValue(listing, 'registry.first_published');
  const versions = signalValue(listing, 'registry.versions');
  const unread = signalValue(listing, 'record.unread_fields');
  const isOther = listing.packages.some(({ version = listing.version }) => version !== listing.version);
  return [
    signal(say`${isOther ? own('listing version') : own('version')} ${code(listing.version)}`),
    ...(typeof first === 'string' && dayText(first) === dayText(listing.updated_at)
      ? [signal(say`published ${day(first)}`)]
      : [
          signal(say`updated ${day(listing.updated_at)}`),
          ...(typeof first === 'string' ? [signal(say`first published ${day(first)}`)] : []),
        ]),
    ...(typeof versions === 'number' && versions > 1 ? [signal(count(versions, 'version'))] : []),
    ...(unread === undefined
      ? []
      : [signal(say`${count(String(unread).split(', ').length, 'field')} that Dossier does not read`)]),
    ...judged
      .known('repository.last_commit')
      .map((one) => observed(judged, one, say`last commit ${day(String(one.value))}`)),
    ...Object.entries(packageTexts).flatMap(([kind, textOf]) => ofPackage(judged, kind, textOf)),
  ];
};

export const rated: FactsOf = (judged) => {
  const { native } = judged.listing.signals;
  if (native.ratings === 0) return [ofService(judged, nativeWords(native), 'not_there')];
  const said = shownGroups(native).map((group) =>
    groupWords(groupTexts[group].name.toLowerCase(), native[group]),
  );
  return [ofService(judged, nativeWords(native, join(said, '; ')))];
};
