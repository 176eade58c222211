import { stemmer } from 'stemmer';

/**
 * Words that mean something else than others with the stem that Porter's rules give them (`documentation` is no
 * `document`): each line is one word in its forms, and the first of them is their stem.
 */
const ownStems = `
  accessibility accessible
  accounting
  animation animations
  applicant applicants
  community communities
  conversation conversations conversational
  customer customers
  customs
  documentation
  earnings
  emergency emergencies
  engineering engineer engineers
  experiment experiments experimentation experimental
  filing filings
  findings
  fitness
  general
  generic
  government governments governmental
  importance
  insider insiders
  international
  marketing
  medication medications
  news
  opening openings
  organic
  organization organizations organisation organisations
  parking
  personality personalities
  production
  productivity
  projection projections
  publication publications
  rating ratings
  reservation reservations
  ruling rulings
  savings
  securities
  settings setting
  transition transitions
  university universities
  universe
  wellness`;
const stemOf: ReadonlyMap<string, string> = new Map(
  ownStems
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '))
    .flatMap((words) => words.map((word) => [word, words[0] ?? word])),
);
const mostCached = 40_000;
const stems = new Map<string, string>();

/**
 * The stem that a lower-case word is indexed and searched by; words of three letters, and of other
 * letters than a-z, are their own stem.
 */
export function stem(word: string): string {
  const cached = stems.get(word);
  if (cached !== undefined) return cached;
  const found = stemOf.get(word) ?? (/^[a-z]{4,30}$/.test(word) ? stemmer(word) : word);
  if (stems.size >= mostCached) stems.clear();
  stems.set(word, found);
  return found;
}
