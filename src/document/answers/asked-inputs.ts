import { code, isEmpty, listed, own, say, toText, type Words } from '../../core/words.ts';
import type { ListingInput } from '../../listings/listing.ts';
import { firstOfEach, ownersOf } from '../../listings/naming.ts';
import { subjectWords } from '../../observations/known/kinds/packages/packages.ts';
import type { ListingDocument } from '../listing-document.ts';
import { mostPlaces } from '../recorded-facts.ts';
import type { JudgedListing } from '../seen.ts';
import { inputsWords, overWords } from '../sentences.ts';
import { unique } from '../words.ts';
import { hostOf } from './whose.ts';

interface Way {
  readonly subject: string;
  readonly transport?: string | undefined;
  readonly inputs?: readonly ListingInput[] | undefined;
}

/** All ways to use the service, the shown endpoint first, then one of each owner. */
function placesOf(listing: ListingDocument) {
  const { remotes, packages, endpoint } = listing;
  const owned = ownersOf(listing);
  const toPlaces = (
    noun: 'endpoint' | 'package',
    ways: readonly Way[],
    owners: readonly { owner: string }[],
  ) => {
    const places = ways.map(({ subject, transport, inputs = [] }, at) => {
      const isTwice = ways.filter((one) => one.subject === subject).length > 1;
      const name = say`${subjectWords(subject)}${isTwice && overWords(transport)}`;
      const isSent = noun === 'endpoint' && inputs.some(({ secret }) => secret);
      return { noun, subject, name, asked: inputsWords(inputs), isSent, owner: owners[at]?.owner ?? '' };
    });
    const isShown = ({ subject }: Way) => Number(subject === endpoint);
    return firstOfEach(places, ({ owner }) => owner).toSorted((a, b) => isShown(b) - isShown(a));
  };
  const endpoints = remotes.map(({ url, type, inputs }) => ({ subject: url, transport: type, inputs }));
  const named = packages.map((one) => ({ ...one, subject: one.identifier }));
  return [...toPlaces('endpoint', endpoints, owned.remotes), ...toPlaces('package', named, owned.packages)];
}

function forHosts(places: ReturnType<typeof placesOf>): Words {
  const hosts = new Set(places.flatMap(({ subject, isSent }) => (isSent ? (hostOf(subject) ?? []) : [])));
  const names = [...hosts].map((host) => code(host));
  return names.length === 0 ? say`` : say` for ${listed(names, mostPlaces)}`;
}

/**
 * Places that ask for the same are said together, and by name if others of their kind ask for something
 * else. `none`: of those that ask for nothing while others ask.
 */
export function askedInputs({ listing, detail }: Pick<JudgedListing, 'listing' | 'detail'>) {
  const places = placesOf(listing);
  const isOfBoth = new Set(places.map(({ noun }) => noun)).size > 1;
  const most = detail === 'full' ? places.length : mostPlaces;
  const groups = [...Map.groupBy(places, ({ noun, asked }) => `${noun} ${toText(asked)}`).values()];
  const said = groups.flatMap((group) => {
    const [{ noun, asked }] = group as [(typeof places)[number]];
    const isAll = places.every((one) => one.noun !== noun || group.includes(one));
    const names = unique(group.map(({ name }) => name));
    const at = (what: Words) => say`${what} at ${listed(names, most)}`;
    if (isEmpty(asked)) return isAll ? [] : [{ isNone: true, text: at(own('no credentials recorded')) }];
    if (!isAll || (detail === 'full' && places.length > 1)) return [{ isNone: false, text: at(asked) }];
    return [{ isNone: false, text: say`${isOfBoth && own(`${noun} `)}${asked}${forHosts(group)}` }];
  });
  const textsOf = (isNone: boolean) => said.filter((one) => one.isNone === isNone).map(({ text }) => text);
  return { some: textsOf(false), none: textsOf(true) };
}
