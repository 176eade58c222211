import { dayText, isWebAddress } from '../core/text.ts';
import { own, phrase, type Source, say, type Words, within } from '../core/words.ts';
import type { CopyField } from '../imports/import-run.ts';
import { type ImportedSignal, isSpecified, type Listing } from '../listings/listing.ts';
import type { ShownRecord } from '../listings/version-moves.ts';
import { outcomeWords } from '../observations/asked/outcome.ts';
import type { AskedKind, Kind, RecordKind } from '../observations/known/kind.ts';
import {
  publisherListings,
  publisherSameEndpoint,
  sharedKinds,
} from '../observations/known/kinds/publisher.ts';
import { kinds, recordKinds } from '../observations/known/kinds.ts';
import type { DatedObservation } from '../observations/known/observation.ts';
import type { ListingDocument } from './listing-document.ts';
import {
  copyLacksWords,
  type ListingFacts,
  noDates,
  type RecordReading,
  whyNoHistory,
  whyNoneRead,
} from './record.ts';
import { atPlace, isKnown, type JudgedListing, reasonOf, sinceThen } from './seen.ts';
import { sharedWords } from './sentences.ts';

/** For shared facts that checks saw and no record states. */
export const ofChecks = 'checks of Dossier';

const notDerived = own(
  'Dossier was upgraded and has not read the stored records again since. It does so before the next import.',
);

interface StoredServer {
  /** Undefined in an upgraded database, until it is derived. */
  readonly shown?: ShownRecord | undefined;
  readonly versions: number;
  readonly lastPublished: string;
  /** The address of the registry's API, or the name of the saved copy. */
  readonly source: string | null;
}

const toSignal = (
  { kind, unit, method_version }: RecordKind,
  told: Pick<ImportedSignal, 'source' | 'source_url' | 'observed_at'>,
  said: Pick<ImportedSignal, 'value' | 'outcome' | 'reason' | 'shared_with'>,
): ImportedSignal => ({ kind, ...(unit && { unit }), ...told, method_version, ...said });

/**
 * What quotes the specification has no versions and dates; a source without older versions has no history.
 */
function isStated({ follows, isDate }: RecordKind, listing: Listing, reading: RecordReading): boolean {
  if (isSpecified(listing)) return follows === undefined;
  if (isDate && reading.isUndated) return false;
  return follows !== 'all versions' || whyNoHistory(reading) === undefined;
}

export function recordedFacts(
  listing: Listing,
  { shown, source, ...stored }: StoredServer,
  reading: RecordReading,
): ImportedSignal[] {
  const source_url = isWebAddress(source ?? '')
    ? `${source}/servers/${encodeURIComponent(listing.handle)}/versions`
    : undefined;
  const { observed_at } = reading;
  const told = { source: listing.origin, ...(source_url && { source_url }), observed_at };
  const recorded = { ...stored, listing, unread: [], ...shown };
  return recordKinds.flatMap((kind): ImportedSignal[] => {
    if (!isStated(kind, listing, reading)) {
      const reason = kind.isDate && reading.isUndated ? noDates : whyNoHistory(reading);
      return [toSignal(kind, told, { value: null, outcome: 'nothing', reason })];
    }
    if (kind.isDerived && !shown)
      return [toSignal(kind, told, { value: null, outcome: 'not_asked', reason: notDerived })];
    // No registry states anything about what quotes the specification.
    const value = isSpecified(listing) ? undefined : kind.stated?.(recorded);
    if (value === undefined) return [];
    if (value !== null) return [toSignal(kind, told, { value, outcome: 'seen' })];
    const [reason] = (kind.readFrom ?? []).flatMap((field) => copyLacksWords(reading.copyLacks, field) ?? []);
    return [toSignal(kind, told, { value, outcome: 'nothing', ...(reason && { reason }) })];
  });
}

export function sharedFacts({ listing, publisherListings: count, shared, reading }: ListingFacts) {
  const told = { source: listing.origin, observed_at: reading.observed_at };
  const seen = (kind: RecordKind, value: number, only?: string) =>
    toSignal(kind, told, { value, outcome: 'seen', ...(only && { shared_with: only }) });
  const ofShared = shared.flatMap((one): ImportedSignal[] => {
    const { others, own: ofPublisher, onlyOwn, isCut, first } = one;
    const kind = sharedKinds.find(({ of }) => of === one.kind);
    if (!kind) return [];
    if (first) {
      const checked = first.as_of && { source: ofChecks, observed_at: first.as_of };
      const reason = sharedWords(kind, one, first, listing);
      const said = { value: others, outcome: 'seen', reason, shared_with: first.handle } as const;
      return [toSignal(kind, { ...told, ...checked }, said)];
    }
    if (isCut && kind.basis !== 'names') {
      const reason = own(
        'The 200 oldest listings that share this are of this listing’s publisher; newer ones were not read.',
      );
      return [toSignal(kind, told, { value: null, outcome: 'not_asked', reason })];
    }
    return one.kind === 'endpoint' ? [seen(publisherSameEndpoint, ofPublisher, onlyOwn)] : [];
  });
  return [...(count === undefined ? [] : [seen(publisherListings, count)]), ...ofShared];
}

export interface TextFact {
  readonly text: Words;
  readonly state: 'known' | 'not_there' | 'not_known';
  readonly source: Source | 'this service';
  /** The fact is known as of this day. */
  readonly date: string;
  readonly isSignal?: true;
  /** If `not_known` lists this kind, the short answer names it there and not in its line. */
  readonly gap?: string;
}

const statedBy =
  (source: 'record' | 'this service', dateOf: (listing: ListingDocument) => string) =>
  ({ listing }: JudgedListing, text: Words, state: TextFact['state'] = 'known'): TextFact => ({
    text,
    state,
    source,
    date: dateOf(listing),
  });

export const recorded = statedBy('record', ({ observed_at }) => dayText(observed_at));
export const ofService = statedBy('this service', ({ evidence_snapshot_date }) => evidence_snapshot_date);

export const observed = (judged: JudgedListing, one: DatedObservation, text: Words): TextFact => ({
  text: say`${text}${sinceThen(judged, one)}`,
  state: isKnown(one) ? 'known' : 'not_there',
  source: 'Dossier',
  date: dayText(one.observed_at),
});

export function whyOf(one: DatedObservation): Words {
  const reason = reasonOf(one);
  return reason ? within(phrase(reason)) : outcomeWords(one);
}

/** Not `none` if the field is not read, or if the copy of the registry has it for no listing. */
export function noneRecorded(judged: JudgedListing, field: CopyField, none: Words, gap?: string) {
  const why = whyNoneRead(judged.listing, field);
  const fact = recorded(judged, why ? within(phrase(why)) : none, 'not_known');
  return why ? fact : { ...fact, ...(gap && { gap }) };
}

export function unknownOf(judged: JudgedListing, { kind }: AskedKind, notStated: Words): TextFact {
  const item = judged.listing.not_known.find((one) => one.kind === kind);
  const text = item?.state === 'not_checked' ? phrase(item.reason) : notStated;
  return { ...recorded(judged, text, 'not_known'), gap: kind };
}

export type FactsOf = (judged: JudgedListing) => TextFact[];

/** The most endpoints or packages that an answer names for a kind, unless its detail is `full`. */
export const mostPlaces = 3;

/** Each is followed by the words that `note` returns. */
export function saidIn(
  line: NonNullable<Kind['saidIn']>,
  note: (one: DatedObservation, judged: JudgedListing) => Words = () => say``,
): FactsOf {
  const ofLine = kinds.filter((kind) => kind.saidIn === line);
  return (judged) =>
    ofLine.flatMap((kind) => {
      const all = judged.known(kind);
      const places = kind.restsOn === 'package' ? judged.listing.packages : all;
      return all.slice(0, judged.detail === 'full' ? all.length : mostPlaces).flatMap((one) => {
        const said = kind.sayInLine?.(one);
        return said ? [observed(judged, one, say`${said}${atPlace(one, places)}${note(one, judged)}`)] : [];
      });
    });
}
