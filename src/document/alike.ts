import { namespaceIdentity } from '../core/identity.ts';
import { code, eachCode, isEmpty, join, own, say, type Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import { keyOfReference, toPackageReference } from '../listings/references/references.ts';
import type { SharedKind } from '../listings/references/shared.ts';
import { lightWords, questionWords, stem, stopWords, toWords, verbs } from '../search/words.ts';
import { isRecordedTag } from './record.ts';
import { typeWords } from './sentences.ts';

type Comparable = Pick<Listing, 'id' | 'handle' | 'title' | 'tags' | 'packages'>;

/** Without a limit, the listings of one large publisher could fill the list. */
const mostOfPublisher = 2;
const weights = { same: 4, word: 2, tag: 1 };
const saysLittle = [stopWords, lightWords, questionWords, verbs];

const publisherKey = ({ handle }: Comparable) => namespaceIdentity(handle);

function nameWords({ handle, title }: Comparable): Map<string, string> {
  const words = toWords(`${handle.slice(handle.indexOf('/') + 1)} ${title ?? ''}`).map(({ text }) => text);
  const telling = words.filter((word) => word.length > 1 && !saysLittle.some((list) => list.has(word)));
  return new Map(telling.toReversed().map((word) => [stem(word), word]));
}

const topics = ({ tags }: Comparable) => tags.map(({ tag }) => tag).filter((tag) => !isRecordedTag(tag));
const packageNames = ({ packages }: Comparable): [key: string, words: Words][] =>
  packages.map((one) => [
    keyOfReference(toPackageReference(one)),
    say`${typeWords(one.registry_type)} ${code(one.identifier)}`,
  ]);

/** Empty if name and title have only common words and no tag names a topic. */
export const toAlikeQuery = (listing: Comparable): string =>
  [...nameWords(listing).values(), ...topics(listing)].join(' ');

type Sharing = readonly { readonly id: number; readonly kind: string }[];

/** What it has in common with another. */
function createComparison(one: Comparable, sharing: Sharing) {
  const kindsOf = Map.groupBy(sharing, ({ id }) => id);
  const ofOne = { packages: packageNames(one), tags: topics(one), words: [...nameWords(one)] };
  return (other: Comparable) => {
    const names = nameWords(other);
    const topicsOfOther = topics(other);
    const ofOther = new Map(packageNames(other));
    const same = new Set(kindsOf.get(other.id)?.map(({ kind }) => kind));
    const packages = ofOne.packages.flatMap(([key, name]) => (ofOther.has(key) ? [name] : []));
    const tags = ofOne.tags.filter((tag) => topicsOfOther.includes(tag));
    const words = ofOne.words.flatMap(([term, word]) => (names.has(term) ? [word] : []));
    const amount = same.size * weights.same + words.length * weights.word + tags.length * weights.tag;
    return { same, packages, tags, words, amount, isOfOwn: publisherKey(other) === publisherKey(one) };
  };
}
type SharedTraits = ReturnType<ReturnType<typeof createComparison>>;

/** Of what is used, not what is said. */
const placeKinds = ['repository', 'package', 'endpoint'];

const rankOf = ({ same, isOfOwn }: SharedTraits): number =>
  placeKinds.some((kind) => same.has(kind)) ? 2 : Number(isOfOwn);

/**
 * By handle, in what they are alike. The given order decides among equals. Leaves out those that share
 * nothing or have the same publisher. If the listing needs a replacement, what shares a place with it comes
 * first, and then its publisher's others.
 */
export function pickAlike(
  listing: Comparable,
  { candidates, sharing }: { readonly candidates: readonly Comparable[]; readonly sharing: Sharing },
  most: number,
  isReplaced: boolean,
): ReadonlyMap<string, Words> {
  const compare = createComparison(listing, sharing);
  const alike = candidates
    .filter(({ id }) => id !== listing.id)
    .map((one) => ({ ...compare(one), handle: one.handle, publisher: publisherKey(one) }))
    .filter(({ amount, isOfOwn }) => (isOfOwn ? isReplaced : amount > 0))
    .sort((a, b) => (isReplaced ? rankOf(b) - rankOf(a) : 0) || b.amount - a.amount);
  const ofPublisher = Map.groupBy(alike, ({ publisher }) => publisher);
  const isFirst = (one: (typeof alike)[number]) =>
    ofPublisher.get(one.publisher)?.slice(0, mostOfPublisher).includes(one);
  const shown = alike.filter((one) => one.isOfOwn || isFirst(one)).slice(0, most);
  return new Map(shown.map((one) => [one.handle, alikeWords(one)]));
}

const sameWords = {
  endpoint: own('the recorded endpoint'),
  repository: own('the recorded repository'),
  package: own('the recorded package'),
  description: own('the description'),
  namesake: own('the name and the description'),
  tools: own('the tools that Dossier saw'),
  pay_to: own('the address for payments'),
} as const satisfies Readonly<Record<Exclude<SharedKind, 'word' | 'account' | 'website'>, Words>>;

/** Example: `shares the recorded repository; the tags sms, payments`. */
function alikeWords({ same, packages, tags, words, isOfOwn }: SharedTraits): Words {
  const which = (kind: string, what: Words) => {
    if (kind !== 'package' || packages.length === 0) return what;
    return say`the recorded ${packages.length === 1 ? own('package') : own('packages')} ${join(packages, ', ')}`;
  };
  const all = [
    ...Object.entries(sameWords).map(([kind, what]) => (same.has(kind) ? which(kind, what) : say``)),
    tags.length > 0 && say`the ${own(tags.length === 1 ? 'tag' : 'tags')} ${join(eachCode(tags), ', ')}`,
    words.length > 0 &&
      say`the ${own(words.length === 1 ? 'word' : 'words')} ${join(eachCode(words), ', ')} in name or title`,
  ];
  const shares = join(all, '; ');
  return join([isOfOwn && own('of the same publisher'), !isEmpty(shares) && say`shares ${shares}`], ', ');
}
