import type { Context } from '../../context.ts';
import { code, ended, join, say, toText, type Words } from '../../core/words.ts';
import { isOfMalware } from '../../document/answers/notices.ts';
import { type HitFacts, withPrices } from '../../document/hit.ts';
import type { Resolved } from '../../document/resolved.ts';
import type { Listing, ListingPackage } from '../../listings/listing.ts';
import { anyVersion } from '../../listings/references/command.ts';
import type { Name } from '../../listings/references/name.ts';
import { isSameReference, toPackageReference } from '../../listings/references/references.ts';
import { toPackage } from '../../observations/asked/published/recorded.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { packageAdvisories } from '../../observations/known/kinds/packages/advisories.ts';
import { packageExists } from '../../observations/known/kinds/packages/packages.ts';
import { packageNames } from '../../observations/known/kinds/packages/says.ts';
import { reportsOf } from '../../observations/known/malware.ts';
import { absentWords, type KnownVersions, noticesOfOther } from './asked-version.ts';
import type { Several } from './holders.ts';

type PackageNotice = Required<Resolved>['stands_out'][number];

export const askedPackages = ({ packages }: Pick<Listing, 'packages'>, { references }: Name) =>
  packages.filter((one) => references.some((asked) => isSameReference(asked, toPackageReference(one))));

const reportsOfAsked = ({ listing, observations }: KnownVersions, asked: Name) =>
  askedPackages(listing, asked).map((one) => reportsOf(observations, one));

/** The key of a notice about the recorded package. */
export function keysOfRecorded(known: KnownVersions, asked: Name): (key: string) => string {
  const { isOther, isUnclear } = noticesOfOther(asked.text, known);
  const isExact = asked.version?.isExact === true && asked.version.text !== anyVersion;
  const isUndecided = reportsOfAsked(known, asked).some((one) => one.isUndecided);
  return (key) => {
    if (isUnclear && isOfMalware({ key })) return 'malware';
    if (isOther) return 'other_version';
    if (key !== 'other_malware') return key;
    return isUndecided ? 'malware' : isExact ? 'other_version' : key;
  };
}

function noticesOf({ listing, observations }: KnownVersions, asked: Name): PackageNotice[] {
  const known = { listing, observations };
  const packages = askedPackages(listing, asked);
  const notices = noticesOfOther(asked.text, known).notices.map(({ key, text }) => ({ key, text }));
  const reports = reportsOfAsked(known, asked);
  const toKey = keysOfRecorded(known, asked);
  const keyed = (key: string) => (text: Words) => ({ key: toKey(key), text: ended(text) });
  const subjects = new Set(packages.map((one) => toPackage(one)?.subject));
  const absent = factsOf(packageExists, observations).filter(({ subject }) => subjects.has(subject));
  return [
    ...notices.filter(isOfMalware),
    ...reports.flatMap(({ ofVersion }) => ofVersion).map(keyed('malware')),
    ...reports.flatMap(({ ofOthers }) => ofOthers).map(keyed('other_malware')),
    ...notices.filter((one) => !isOfMalware(one)),
    ...absent.map(absentWords).map(keyed('not_there')),
    ...reports.flatMap(({ advisories }) => advisories).map(keyed('advisories')),
  ].filter(({ text }) => toText(text) !== '');
}

/** Of the package or version that was asked for, whichever of its listings is meant. */
export function noticesOfAsked(all: readonly KnownVersions[], asked: Name): PackageNotice[] {
  const notices = all.flatMap((one) => noticesOf(one, asked));
  return [...new Map(notices.map((one) => [toText(one.text), one])).values()];
}

/** Its record is empty, so the packages are those that a check looked at. */
export async function noticesOfDeleted(
  listing: Listing,
  asked: Name,
  { store }: Pick<Context, 'store'>,
): Promise<PackageNotice[]> {
  const { observations = [] } = (await store.observations.ofListing(listing.handle)) ?? {};
  const packages = factsOf(packageAdvisories, observations).map(
    ({ subject = '', details }): ListingPackage => {
      const [registry_type = '', ...name] = subject.split(':');
      const { version } = details ?? {};
      return { registry_type, identifier: name.join(':'), ...(typeof version === 'string' && { version }) };
    },
  );
  return noticesOfAsked([{ listing: { ...listing, packages }, observations }], asked);
}

export const candidatesOf = ({ candidates }: Several, known: readonly HitFacts[]): Several['candidates'] =>
  withPrices(candidates, known).map(({ handle, differs }) => {
    const { observations = [] } = known.find(({ listing }) => listing.handle === handle) ?? {};
    const isNamed = factsOf(packageNames, observations).some(({ value }) => value?.names_this);
    return { handle, differs: isNamed ? say`${differs}, named by the package itself` : differs };
  });

/** With what is known of the package or version asked for. */
export async function describeSeveral(
  found: Several,
  { name, asked, beside }: { readonly name: Name; readonly asked: string; readonly beside: Words },
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<Several> {
  const handles = found.candidates.map(({ handle }) => handle);
  const facts = await store.documents.factsOfAll(handles, clock().toISOString());
  const known = facts.map((one) => ({ ...one, observations: one.observed?.observations ?? [] }));
  const read = name.said === asked.trim() ? say`` : say`What you sent was read as ${code(name.said)}.`;
  const notices = noticesOfAsked(known, name).map(({ text }) => text);
  return {
    ...found,
    detail: join([found.detail, beside, read, ...notices], ' '),
    candidates: candidatesOf(found, known),
  };
}
