import { readDistributions } from './distributions.ts';
import { createPicker, type Random } from './random.ts';

const { words, rareWords, listings: realListings } = readDistributions();
const pickWord = createPicker<string | undefined>([...words, [undefined, rareWords.uses]]);

const syllables = 'ba co di fu ge hi jo ku la me ni po qua re si to ul va we xi yo zu'.split(' ');

/** A made-up word, the same one for the same number. */
export function toRareWord(number: number): string {
  let word = '';
  for (let rest = number + syllables.length ** 2; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

/**
 * Makes texts of a length, of words as often as real descriptions use them. Rare words grow with the
 * directory, more slowly than it (Heaps), and most of their uses are of few of them.
 */
export function createWriter(listings: number, random: Random): (length: number) => string {
  const distinct = rareWords.distinct * (listings / realListings) ** 0.6;
  const nextWord = () => pickWord(random) ?? toRareWord(Math.floor(distinct * random() ** 3));
  return (length) => {
    let text = '';
    while (text.length < length) text += `${text && ' '}${nextWord()}`;
    return text.slice(0, length).trim() || 'server';
  };
}

/** The part of a name or address that a text makes. */
export const toSlug = (text: string): string =>
  text.replaceAll(/[^a-zA-Z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
