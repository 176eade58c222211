import type { Context } from '../../context.ts';
import { lazy } from '../../core/lazy.ts';
import { code, say, toText } from '../../core/words.ts';
import { type ListingAnswer, toAnswer } from '../../document/answers/answers.ts';
import { useOf } from '../../document/answers/notice-uses.ts';
import { isOfMalware, type Notice, unnoticed } from '../../document/answers/notices.ts';
import type { StandOut } from '../../document/answers/stands-out.ts';
import { type AskedPart, atPart, partOf } from '../../document/asked-part.ts';
import { toListingDocument } from '../../document/document.ts';
import { type HitFacts, withPrices } from '../../document/hit.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import type { ListingFacts } from '../../document/record.ts';
import type { Listing, ListingPackage } from '../../listings/listing.ts';
import { anyVersion } from '../../listings/references/command.ts';
import type { Name } from '../../listings/references/name.ts';
import { isSameReference, toPackageReference } from '../../listings/references/references.ts';
import { toPackage } from '../../observations/asked/published/recorded.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { packageAdvisories } from '../../observations/known/kinds/packages/advisories.ts';
import { packageNames } from '../../observations/known/kinds/packages/says.ts';
import { reportsOf } from '../../observations/known/malware.ts';
import { type KnownVersions, noticesOfOther } from './asked-version.ts';
import type { Several } from './holders.ts';

export const askedPackages = ({ packages }: Pick<Listing, 'packages'>, { references }: Name) =>
  packages.filter((one) => references.some((asked) => isSameReference(asked, toPackageReference(one))));

/** The key of a notice about the recorded package. */
export function keysOfRecorded(known: KnownVersions, asked: Name): (key: string) => string {
  const { isOther, isUnclear } = noticesOfOther(asked.text, known);
  const isExact = asked.version?.isExact === true && asked.version.text !== anyVersion;
  const { listing, observations } = known;
  const isUndecided = askedPackages(listing, asked).some((one) => reportsOf(observations, one).isUndecided);
  return (key) => {
    if (isUnclear && isOfMalware({ key })) return 'malware';
    if (isOther) return 'other_version';
    if (key !== 'other_malware') return key;
    return isUndecided ? 'malware' : isExact ? 'other_version' : key;
  };
}

/** A listing with what is known of it, and as if its record had no other part. */
export interface KnownListing extends HitFacts {
  readonly observations: HitFacts['observations'] & KnownVersions['observations'];
  document(): ListingDocument;
  at(part: AskedPart): KnownListing;
}

export function toKnownListing(
  facts: ListingFacts,
  context: Pick<Context, 'config' | 'clock'>,
  toDocument = (one: ListingFacts) => toListingDocument(one, context.config, context.clock()),
): KnownListing {
  const { listing, observed, native, versions, reading } = facts;
  return {
    listing,
    observations: observed?.observations ?? [],
    native,
    versions,
    copyLacks: reading.copyLacks,
    document: lazy(() => toDocument(facts)),
    at: (part) => toKnownListing(atPart(facts, part), context, toDocument),
  };
}

interface ToldNotice extends Notice {
  readonly version?: string;
  /** Absent from what is about another version than the recorded one. */
  readonly fact?: StandOut['fact'];
}

export function noticesOf(
  known: KnownListing,
  asked: Name,
  { standsOut }: Pick<ListingAnswer, 'standsOut'>,
): ToldNotice[] {
  const toKey = keysOfRecorded(known, asked);
  const { notices } = noticesOfOther(asked.text, known);
  const texts = notices.map(({ text }) => text);
  return [
    ...notices,
    ...unnoticed(standsOut, texts).map(({ key, text, of, fact }) => ({
      key: of === 'package' ? toKey(key) : key,
      text,
      fact,
    })),
  ];
}

/** As if the records had only the endpoint or the package that was asked for; without those that lack it. */
export const atAsked = (all: readonly KnownListing[], { references }: Name): KnownListing[] =>
  all.flatMap((one) => {
    const part = partOf(one.listing, references);
    return part ? [one.at({ ...part, about: say`` })] : [];
  });

/** `of`: what a notice is about, if that is what was asked for. */
function heldBy(known: KnownListing, asked: Name) {
  const { handle, remotes, packages } = known.listing;
  const document = known.document();
  const subjects = new Set([
    ...remotes.map(({ url }) => url),
    ...packages.map((one) => toPackage(one)?.subject),
  ]);
  const told = noticesOf(known, asked, toAnswer(document, 'short')).map(({ key, text, version, fact }) => {
    if (version !== undefined) return { key, text, of: toText(text) };
    // What a package says of its listing is about both.
    const isOfSubject = key !== 'contradiction' && subjects.has(fact?.subject ?? '');
    return { key, text, of: isOfSubject ? [key, fact?.kind, packages[0]?.version].join(' ') : undefined };
  });
  return { handle, told };
}

/** `held`: of `atAsked`. */
export function longestChecked(held: readonly KnownListing[]): KnownListing[] {
  const sinceOf = (one: KnownListing) => {
    const seen = one
      .document()
      .observations.flatMap((fact) => fact.changed_from?.seen_until ?? fact.first_seen_at ?? []);
    return seen.toSorted()[0] ?? '9';
  };
  const dated = held.map((one) => [sinceOf(one), one] as const);
  return dated.toSorted(([a], [b]) => a.localeCompare(b)).map(([, one]) => one);
}

/**
 * What checks saw of an endpoint or a package is told whichever of its listings records it, once, as checks
 * of the listing with the longest history saw it. What is about a record is told with its listing.
 * `at`: of `atAsked`.
 */
export function noticesOfAsked(at: readonly KnownListing[], asked: Name): Notice[] {
  const held = longestChecked(at).map((one) => heldBy(one, asked));
  const isNew = held.every(({ told }) => told.some(({ key }) => key === 'new'));
  const isTold = ({ key }: Notice) =>
    key === 'new' ? isNew : key === 'ratings' || useOf({ key }).hook !== 'counts';
  const before = new Set<string>();
  const all = held.flatMap(({ handle, told }) => {
    const shown = told.filter((one) => (one.of === undefined ? isTold(one) : !before.has(one.of)));
    for (const { of } of told) if (of !== undefined) before.add(of);
    return shown.map(({ key, text, of }) => ({
      key,
      text: of === undefined ? say`${code(handle)}: ${text}` : text,
    }));
  });
  return [...all.filter(isOfMalware), ...all.filter((one) => !isOfMalware(one))];
}

/** Its record is empty, so the packages are those that a check looked at. */
export async function noticesOfDeleted({ handle }: Listing, asked: Name, context: Context) {
  const { store, clock } = context;
  const [facts, observed] = await Promise.all([
    store.documents.facts(handle, clock().toISOString()),
    store.observations.ofListing(handle),
  ]);
  if (!facts || !observed) return [];
  const packages = factsOf(packageAdvisories, observed.observations).map(
    ({ subject = '', details }): ListingPackage => {
      const [registry_type = '', ...name] = subject.split(':');
      const { version } = details ?? {};
      return { registry_type, identifier: name.join(':'), ...(typeof version === 'string' && { version }) };
    },
  );
  const listing = { ...facts.listing, packages };
  const known = toKnownListing({ ...facts, listing, observed: { due_since: null, ...observed } }, context);
  return atAsked([known], asked)
    .flatMap((one) => heldBy(one, asked).told)
    .flatMap(({ key, text, of }) => (of === undefined ? [] : [{ key, text }]));
}

export const candidatesOf = ({ candidates }: Several, known: readonly KnownListing[]) =>
  withPrices(candidates, known).map(({ handle, differs }) => {
    const { observations = [] } = known.find(({ listing }) => listing.handle === handle) ?? {};
    const isNamed = factsOf(packageNames, observations).some(({ value }) => value?.names_this);
    return { handle, differs: isNamed ? say`${differs}, named by the package itself` : differs };
  });

export async function readKnown(
  found: readonly { readonly handle: string }[],
  context: Context,
): Promise<KnownListing[]> {
  const handles = found.map(({ handle }) => handle);
  const facts = await context.store.documents.factsOfAll(handles, context.clock().toISOString());
  return facts.map((one) => toKnownListing(one, context));
}
