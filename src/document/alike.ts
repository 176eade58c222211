import { code, join, own, say, type Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import { lightWords, questionWords, stem, stopWords, toWords, verbs } from '../search/words.ts';
import { isRecordedTag } from './record.ts';
import { typeWords } from './sentences.ts';

type Comparable = Pick<Listing, 'handle' | 'title' | 'tags' | 'repository_key' | 'packages'>;

/** Listings of one publisher among those that are alike: others would never be seen beside a large one. */
const mostOfPublisher = 2;
const weights = { place: 4, word: 2, tag: 1 };
const saysLittle = [stopWords, lightWords, questionWords, verbs];

const publisherOf = ({ handle }: Comparable) => handle.slice(0, handle.indexOf('/'));

function nameWords({ handle, title }: Comparable): Map<string, string> {
  const words = toWords(`${handle.slice(handle.indexOf('/') + 1)} ${title ?? ''}`).map(({ text }) => text);
  const telling = words.filter((word) => word.length > 1 && !saysLittle.some((list) => list.has(word)));
  return new Map(telling.toReversed().map((word) => [stem(word), word]));
}

const topics = ({ tags }: Comparable) => tags.map(({ tag }) => tag).filter((tag) => !isRecordedTag(tag));
/** Packages by registry and name. */
const packageNames = ({ packages }: Comparable): [key: string, words: Words][] =>
  packages.map(({ registry_type: type, identifier }) => [
    JSON.stringify([type, identifier]),
    say`${typeWords(type)} ${code(identifier)}`,
  ]);

/** The search that finds candidates: words of name and title, and tags; empty if there are none. */
export const toAlikeQuery = (listing: Comparable): string =>
  [...nameWords(listing).values(), ...topics(listing)].join(' ');

type Shared = ReturnType<ReturnType<typeof createComparison>>;

/** Finds what other listings have in common with one; words as it writes them. */
function createComparison(one: Comparable) {
  const ofOne = { packages: packageNames(one), tags: topics(one), words: [...nameWords(one)] };
  return (other: Comparable) => {
    const [words, tags, packages] = [nameWords(other), new Set(topics(other)), new Map(packageNames(other))];
    return {
      repository: one.repository_key !== undefined && one.repository_key === other.repository_key,
      packages: ofOne.packages.flatMap(([key, name]) => (packages.has(key) ? [name] : [])),
      tags: ofOne.tags.filter((tag) => tags.has(tag)),
      words: ofOne.words.flatMap(([term, word]) => (words.has(term) ? [word] : [])),
    };
  };
}

const amountOf = ({ repository, packages, tags, words }: Shared) =>
  (repository ? weights.place : 0) +
  packages.length * weights.place +
  words.length * weights.word +
  tags.length * weights.tag;

/**
 * The candidates of other publishers that have anything in common with a listing, most first; between equal ones in the
 * order given. At most two of one publisher. Ratings and claims have no part in it.
 */
export function pickAlike<One extends Comparable>(
  listing: Comparable,
  candidates: readonly One[],
  most: number,
): { listing: One; shared: Shared }[] {
  const ofPublisher = new Map<string, number>();
  const compare = createComparison(listing);
  return candidates
    .filter((one) => publisherOf(one) !== publisherOf(listing))
    .map((one) => ({ listing: one, shared: compare(one) }))
    .filter(({ shared }) => amountOf(shared) > 0)
    .sort((a, b) => amountOf(b.shared) - amountOf(a.shared))
    .filter(({ listing: one }) => {
      const before = ofPublisher.get(publisherOf(one)) ?? 0;
      ofPublisher.set(publisherOf(one), before + 1);
      return before < mostOfPublisher;
    })
    .slice(0, most);
}

const namesOf = (names: readonly string[]) =>
  join(
    names.map((name) => code(name)),
    ', ',
  );

/** What is shared, in words: `shares the recorded repository; the tags sms, payments; the word relay in name or title`. */
export function alikeWords({ repository, packages, tags, words }: Shared): Words {
  const isOne = ({ length }: { readonly length: number }) => length === 1;
  const all = [
    repository ? own('the recorded repository') : say``,
    packages.length > 0
      ? say`the recorded ${isOne(packages) ? own('package') : own('packages')} ${join(packages, ', ')}`
      : say``,
    tags.length > 0 ? say`the ${isOne(tags) ? own('tag') : own('tags')} ${namesOf(tags)}` : say``,
    words.length > 0
      ? say`the ${isOne(words) ? own('word') : own('words')} ${namesOf(words)} in name or title`
      : say``,
  ];
  return say`shares ${join(all, '; ')}`;
}
