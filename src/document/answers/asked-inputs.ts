import { code, isEmpty, listed, own, say, toText, type Words } from '../../core/words.ts';
import type { ListingInput } from '../../listings/listing.ts';
import { firstOfEach, ownersOf } from '../../listings/naming.ts';
import { subjectWords } from '../../observations/known/kinds/packages/packages.ts';
import type { ListingDocument } from '../listing-document.ts';
import { mostPlaces } from '../recorded-facts.ts';
import type { JudgedListing } from '../seen.ts';
import { inputsWords, overWords, packageName } from '../sentences.ts';
import { unique } from '../words.ts';
import { hostOf } from './whose.ts';

interface Way {
  readonly subject: string;
  /** If more than one has the subject. */
  readonly named: Words;
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
    const places = ways.map(({ subject, named, transport, inputs = [] }, at) => {
      const isTwice = ways.filter((one) => one.subject === subject).length > 1;
      const name = isTwice ? say`${named}${overWords(transport)}` : subjectWords(subject);
      const isSent = noun === 'endpoint' && inputs.some(({ secret }) => secret);
      return { noun, subject, name, inputs, isSent, owner: owners[at]?.owner ?? '' };
    });
    const isShown = ({ subject }: Pick<Way, 'subject'>) => Number(subject === endpoint);
    return firstOfEach(places, ({ owner }) => owner).toSorted((a, b) => isShown(b) - isShown(a));
  };
  const toWay = (subject: string, transport: string) => ({ subject, named: code(subject), transport });
  const endpoints = remotes.map(({ url, type, inputs }) => ({ ...toWay(url, type), inputs }));
  const started = packages.map((one) => ({ ...one, subject: one.identifier, named: packageName(one) }));
  return [...toPlaces('endpoint', endpoints, owned.remotes), ...toPlaces('package', started, owned.packages)];
}

function forHosts(places: ReturnType<typeof placesOf>): Words {
  const hosts = new Set(places.flatMap(({ subject, isSent }) => (isSent ? (hostOf(subject) ?? []) : [])));
  const names = [...hosts].map((host) => code(host));
  return names.length === 0 ? say`` : say` for ${listed(names, mostPlaces)}`;
}

/**
 * Places that ask for the same are said together, and behind their names if others of their kind ask for
 * something else; what stands between two groups stands within none. `none`: of those that ask for nothing
 * while others ask.
 */
export function askedInputs({ listing, detail }: Pick<JudgedListing, 'listing' | 'detail'>) {
  const places = placesOf(listing);
  const isOfBoth = new Set(places.map(({ noun }) => noun)).size > 1;
  const most = detail === 'full' ? places.length : mostPlaces;
  const groups = Map.groupBy(places, ({ noun, inputs }) => `${noun} ${toText(inputsWords(inputs))}`);
  const said = [...groups.values()].flatMap((group) => {
    const [{ noun, inputs }] = group as [(typeof places)[number]];
    const asked = inputsWords(inputs, groups.size > 1 ? ', and ' : '; ');
    const isAll = places.every((one) => one.noun !== noun || group.includes(one));
    const names = unique(group.map(({ name }) => name));
    const at = say`at ${listed(names, most)}`;
    if (isEmpty(asked)) return [{ isNone: true, text: say`no credentials recorded ${at}` }];
    if (!isAll || (detail === 'full' && places.length > 1))
      return [{ isNone: false, text: say`${at}: ${asked}` }];
    return [{ isNone: false, text: say`${isOfBoth && own(`${noun} `)}${asked}${forHosts(group)}` }];
  });
  const textsOf = (isNone: boolean) => said.filter((one) => one.isNone === isNone).map(({ text }) => text);
  const some = textsOf(false);
  return { some, none: some.length > 0 ? textsOf(true) : [] };
}
