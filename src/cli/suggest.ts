import { distance } from 'fastest-levenshtein';
import { settings } from '../config/settings.ts';

const letters = (text: string) => [...text].sort().join('');

/** Whether one text is most likely the other, misspelt: one letter more, less or other, or the same in another order. */
const isMisspelt = (text: string, known: string): boolean =>
  text !== known && (distance(text, known) === 1 || letters(text) === letters(known));

/** The word that was most likely meant. */
export const suggest = (text: string, known: readonly string[]): string | undefined =>
  known.find((one) => isMisspelt(text, one)) ??
  known.find((one) => text.length > 2 && (one.startsWith(text) || distance(text, one) === 2));

const names = Object.keys(settings);

/** A line for each variable of the environment that is most likely a misspelt setting; it has no effect. */
export const misspeltSettings = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment).flatMap((name) => {
    const meant = names.includes(name) ? undefined : names.find((known) => isMisspelt(name, known));
    return meant ? [`${name}: there is no such setting, so it has no effect; did you mean ${meant}?`] : [];
  });
