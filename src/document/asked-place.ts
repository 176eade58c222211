import { code, dayOf, ended, isEmpty, join, listed, own, say, sentence, type Words } from '../core/words.ts';
import type { Listing, ListingPackage, ListingRemote } from '../listings/listing.ts';
import { anyVersion, isAddress, versionOfImage } from '../listings/references/command.ts';
import { isAtHost, toPlainHost } from '../listings/references/look-alike.ts';
import { type Name, toReferences } from '../listings/references/name.ts';
import { placeKeysOf } from '../listings/references/of-record.ts';
import {
  folderIn,
  isSameReference,
  keyOfReference,
  nounOf,
  type Reference,
  toAddressKey,
  toHost,
  toPackageReference,
} from '../listings/references/references.ts';
import { isFitting } from '../listings/references/templates.ts';
import { packageName, typeWords } from './sentences.ts';

export type AskedPlace = Pick<Name, 'text' | 'references' | 'within' | 'version'>;

export const isAtPlace = (place: Reference) => (url: string) =>
  toReferences(url).some((one) => isSameReference(place, one));

export const isOfAddress = ({ kind }: Reference): boolean => kind === 'endpoint' || kind === 'template';

export const isRecordedAt = (place: Reference) => (one: ListingRemote) =>
  isFitting(one, place) || isAtPlace(place)(one.url);

export const recordedAt = ({ remotes }: Listing, place: Reference): readonly string[] =>
  remotes.filter(isRecordedAt(place)).map(({ url }) => url);

const namesOn = (day?: string): Words => (day === undefined ? own('names') : say`named on ${dayOf(day)}`);

function unencryptedWords(only: Listing, found: Reference, asked: string, day?: string): Words | undefined {
  if (!isOfAddress(found) || !/^http:/i.test(asked)) return undefined;
  const recorded = recordedAt(only, found);
  const [one] = recorded.some((url) => /^http:/i.test(url)) ? [] : recorded;
  return one === undefined
    ? one
    : say`The address asked for begins with ${code('http:')}, so what is sent there, keys too, can be read on its way; the record ${namesOn(day)} ${code(one)}.`;
}

const places: ReadonlySet<Reference['kind']> = new Set([
  'endpoint',
  'host',
  'repository',
  'folder',
  'package',
]);

const mostOthers = 2;
export const recordedWords = (one: ListingPackage): Words =>
  isAddress(one.identifier)
    ? say`the file ${code(one.identifier)}`
    : say`the ${typeWords(one.registry_type)} package ${packageName(one)}`;

/** What of a place was asked for, where the facts are not about it. */
export function beyondWords(
  found: Listing | undefined,
  { kind, key, registry }: Reference,
  { text, within, version }: AskedPlace,
  isNow = true,
  day?: string,
): Words | undefined {
  if (isNow && isOfAddress({ kind, key }) && toAddressKey(text)?.startsWith(`${key}?`))
    return own(
      'The address asked for has a query that the recorded one does not have; the facts are about the address without it.',
    );
  if (!places.has(kind)) return undefined;
  // Of what one record names now, the version is compared with the recorded one.
  const isCompared = isNow && kind === 'package' && found !== undefined;
  const asked = isCompared || version?.text === anyVersion ? undefined : version?.text;
  const part = kind === 'repository' ? (within ?? asked) : kind === 'package' ? asked : undefined;
  const { packages = [], remotes = [], repository } = found ?? {};
  const isWhole =
    repository !== undefined && !text.includes('#') && toAddressKey(repository) === toAddressKey(text);
  if (isNow && (part === undefined || isWhole)) return undefined;
  const of = part !== undefined && say`${code(part)} ${own(kind === 'repository' ? 'in' : 'of')} `;
  const place =
    kind === 'folder'
      ? say`${code(folderIn({ kind, key }))} of the repository ${code(key.replace(/\/\/.*/s, ''))}`
      : code(key);
  const what = say`You asked about ${of}the ${own(nounOf({ kind, key, registry }))} ${place}`;
  if (found?.withdrawn) return part === undefined ? undefined : sentence(what);
  const askedType = registry ?? (versionOfImage(text) && 'oci');
  const ofType = packages.filter((one) =>
    kind === 'package' ? toPackageReference(one).registry === askedType : isAddress(one.identifier),
  );
  const others = kind === 'package' && ofType.length === 0 ? packages : ofType;
  const named =
    kind === 'endpoint' || kind === 'host'
      ? remotes.map(({ url }) => say`the endpoint ${code(url)}`)
      : others.map(recordedWords);
  const other = named.length > 0 && say`, ${listed(named, mostOthers)}`;
  const about = own(
    found ? 'the facts are about what the record' : 'what is known of each is about what its record',
  );
  return say`${what}; ${about} ${namesOn(day)}${other}.`;
}

function lookAlikeWords(found: Reference): Words | undefined {
  const host = toHost(found.key);
  const alike = isAtHost(found) ? toPlainHost(host) : undefined;
  return alike === undefined
    ? undefined
    : ended(say`The host ${code(host)} is not ${code(alike)}, which looks like it`);
}

export interface AskedAt {
  /** The place by which a listing is found, and its record as it is now. */
  readonly at?: { readonly place: Reference; readonly name: AskedPlace; readonly listing: Listing };
  /** What was asked for that the facts are not about, besides what `atRecord` says; said before them. */
  readonly beside?: Words;
}

/** What is asked for, compared with the record that is shown: that of the `day`, if it is a past one. */
export function atRecord(
  { at, ...found }: AskedAt,
  shown = at?.listing,
  day?: string,
): Pick<AskedAt, 'beside'> & { readonly formerly?: Reference } {
  if (!at || !shown) return found;
  const { place, name } = at;
  const isNamed = recordedAt(shown, place).length > 0 || placeKeysOf(shown).has(keyOfReference(place));
  const isNow = isNamed && !shown.withdrawn;
  const beyond = beyondWords(shown, place, name, isNow, day);
  const beside = join(
    [found.beside, beyond, unencryptedWords(shown, place, name.text, day) ?? lookAlikeWords(place)],
    ' ',
  );
  return { ...(!isEmpty(beside) && { beside }), ...(beyond && !isNow && { formerly: place }) };
}
