import { isTemplate } from '../core/text.ts';
import { code, ended, listed, say, type Words } from '../core/words.ts';
import {
  type Listing,
  type ListingPackage,
  type ListingRemote,
  recordedOwners,
} from '../listings/listing.ts';
import { deriveOwners } from '../listings/naming.ts';
import type { Name } from '../listings/references/name.ts';
import {
  isSameReference,
  keyOfReference,
  type Reference,
  toAddressKey,
  toPackageReference,
} from '../listings/references/references.ts';
import { isFitting } from '../listings/references/templates.ts';
import { namespaceHoldsEndpoint } from '../observations/known/kinds/publisher.ts';
import { recordPackageTypes, recordTransports } from '../observations/known/kinds/record.ts';
import { type MalwareObservation, saidAs } from '../observations/known/malware.ts';
import { recordedNow } from '../observations/known/to-observations.ts';
import type { Facet, FacetChoice } from '../search/query.ts';
import type { HitFacts } from './hit.ts';
import { type ListingDocument, partAsked } from './listing-document.ts';
import { isRecordedTag, type ListingFacts } from './record.ts';
import { typeWords } from './sentences.ts';
import { unique } from './words.ts';

type Ways = Pick<Listing, 'remotes' | 'packages'>;

/** The endpoint, or the package in all its transports, that somebody asked about. */
export type AskedPart = NonNullable<ReturnType<typeof askedPart>>;

/** As if the record named nothing else to call or to run. */
const onlyPart = ({ remotes, packages, endpoint }: Omit<AskedPart, 'about'>) => ({
  remotes: [...remotes],
  packages: [...packages],
  endpoint,
  [partAsked]: remotes.length > 0 ? ('endpoint' as const) : ('package' as const),
});

const toKey = (one: ListingRemote | ListingPackage) =>
  'url' in one ? (toAddressKey(one.url) ?? one.url) : keyOfReference(toPackageReference(one));

const isMeant = (asked: Reference) => (one: ListingRemote | ListingPackage) =>
  'url' in one
    ? (asked.kind === 'endpoint' && asked.key === toAddressKey(one.url)) || isFitting(one, asked)
    : isSameReference(asked, toPackageReference(one));

const named = (ways: readonly (ListingRemote | ListingPackage)[]) =>
  unique(
    ways.map((one) =>
      'url' in one ? code(one.url) : say`${typeWords(one.registry_type)} ${code(one.identifier)}`,
    ),
  );

const mostOthers = 2;

function aboutWords(all: Ways, part: Ways): Words {
  const ways = [...part.remotes, ...part.packages];
  const others = [...all.remotes, ...all.packages].filter((one) => !ways.includes(one));
  return say`About ${listed(named(ways))}; the record also names ${listed(named(others), mostOthers)}.`;
}

const toPart = (ways: readonly (ListingRemote | ListingPackage)[]) => ({
  remotes: ways.filter((one) => 'url' in one),
  packages: ways.filter((one) => 'identifier' in one),
  /** The first that can be called as written. */
  endpoint: ways.flatMap((one) => ('url' in one && !isTemplate(one.url) ? one.url : []))[0],
});

/** What the first of the references names. */
export function partOf({ remotes, packages }: Ways, references: readonly Reference[]) {
  const ways = [...remotes, ...packages];
  const meant = references.map((one) => ways.filter(isMeant(one))).find((some) => some.length > 0);
  return meant && toPart(meant);
}

/** Undefined for what is asked of the whole listing. */
function meets(way: ListingRemote | ListingPackage, facet: Facet): boolean | undefined {
  const [kind, wanted] = facet.split(':');
  const isRemote = 'url' in way;
  const { type, transport } = isRemote
    ? { type: 'remote', transport: way.type }
    : { type: way.registry_type, transport: way.transport };
  if (kind === 'seen' || facet === 'has:endpoint') return isRemote;
  if (kind === 'transport') return transport === wanted;
  if (kind === 'package') return !isRemote && type === wanted;
  return kind === 'tag' && isRecordedTag(wanted ?? '') ? type === wanted || transport === wanted : undefined;
}

/** What a search with these filters found; undefined if they are met by all of the record. */
export function partFound({ remotes, packages }: Ways, facets: readonly FacetChoice[]) {
  const ways = [...remotes, ...packages];
  const found = ways.filter((way) => facets.flat().every((facet) => meets(way, facet) !== false));
  return found.length === 0 || found.length === ways.length ? undefined : toPart(found);
}

/** Undefined if all of the record is meant. */
export function askedPart(
  listing: Ways & { readonly handle: string },
  { handles, references }: Pick<Name, 'handles' | 'references'>,
) {
  const part = handles.includes(listing.handle) ? undefined : partOf(listing, references);
  const isAll = new Set([...listing.remotes, ...listing.packages].map(toKey)).size === 1;
  return part && !isAll ? { ...part, about: aboutWords(listing, part) } : undefined;
}

const ofWays = [recordTransports, recordPackageTypes, namespaceHoldsEndpoint];

export function hitAt<One extends HitFacts['observations'][number]>(
  { listing: whole, observations }: { readonly listing: Listing; readonly observations: readonly One[] },
  part: Omit<AskedPart, 'about'>,
) {
  const { [partAsked]: _, ...only } = onlyPart(part);
  const listing = { ...whole, ...only, owners: deriveOwners({ ...whole, ...only }) };
  return { listing, observations: recordedNow(listing, observations) };
}

export function atPart({ listing: whole, observed, ...facts }: ListingFacts, part: AskedPart): ListingFacts {
  const { listing, observations } = hitAt(
    { listing: whole, observations: observed?.observations ?? [] },
    part,
  );
  return {
    ...facts,
    listing,
    [partAsked]: onlyPart(part)[partAsked],
    imported: facts.imported.flatMap((one) => {
      const kind = ofWays.find(({ kind }) => kind === one.kind);
      const value = kind ? kind.stated?.({ listing, unread: [], versions: 0, lastPublished: '' }) : one.value;
      return kind && value == null ? [] : [{ ...one, value: value ?? null }];
    }),
    observed: observed && { ...observed, observations },
  };
}

export function documentAt(document: ListingDocument, part: AskedPart): ListingDocument {
  const narrowed = { ...document, ...onlyPart(part) };
  const observations = recordedNow(narrowed, document.observations);
  return { ...narrowed, observations, [recordedOwners]: deriveOwners(narrowed) };
}

/** Malicious code in another part is told too. */
export const malwareBeside = <One extends MalwareObservation>(
  all: readonly One[],
  ofPart: readonly Pick<One, 'subject'>[],
) => {
  const subjects = new Set(ofPart.map(({ subject }) => subject));
  const others = all.filter(({ subject }) => !subjects.has(subject));
  return (['malware', 'other_malware'] as const).flatMap((key) =>
    saidAs(others, [key]).map((words) => ({ key, text: ended(words) })),
  );
};
