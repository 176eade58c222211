import { describe, expect, it } from 'vitest';
import { toSteps } from '../../src/search/plan.ts';
import type { RankedWord } from '../../src/search/score.ts';

const word = (term: string, listings: number, alternatives: readonly (readonly string[])[]): RankedWord => ({
  term,
  typed: term,
  alternatives: alternatives.map((terms) => ({ terms, factor: 1 })),
  listings,
  strong: listings / 4,
  value: 1 / listings,
  isCounted: true,
  parts: 1,
  isSubject: false,
  isGuessed: false,
});

/** Each look as text: groups divided by `&`, the terms of an alternative joined by `+`. */
const looks = (words: readonly RankedWord[]) =>
  toSteps(words, 1_000_000).steps.map(({ groups }) =>
    groups
      .map((group) => group.map(({ terms, strong }) => `${strong ? 'h' : 'w'}${terms.join('+')}`).join('|'))
      .join(' & '),
  );

describe('the looks into the search index', () => {
  it('ask for all listings with a rare word at once, then for those with several words', () => {
    expect(
      looks([word('rare', 10, [['rare']]), word('map', 5000, [['map']]), word('free', 9000, [['free']])]),
    ).toEqual(['wrare', 'hmap & hfree', 'hmap', 'wmap & wfree', 'wmap', 'wfree']);
  });
  it('leave out an alternative that another one implies', () => {
    const text = word('messag', 5000, [['text', 'messag'], ['text'], ['sms'], ['messag', 'text'], ['sms']]);
    expect(looks([text])).toEqual(['htext|hsms', 'wtext|wsms']);
  });
  it('ask once for two words that find the same', () => {
    const slides = word('slide', 4000, [['present'], ['slide', 'present']]);
    expect(looks([word('powerpoint', 4000, [['present']]), slides])).toEqual(['hpresent', 'wpresent']);
  });
  it('begin with the rarest word, even if a later one finds the same', () => {
    const [rare, same] = [word('rare', 10, [['deck']]), { ...word('deck', 10, [['deck']]), value: 1 / 9000 }];
    expect(looks([rare, word('map', 5000, [['map']]), same])).toEqual(['wdeck', 'hmap', 'wmap']);
  });
});
