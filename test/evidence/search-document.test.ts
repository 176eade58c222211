import { describe, expect, it } from 'vitest';
import { isStrong, toSearchDocument, toTermsOfText } from '../../src/search/document.ts';
import { stem } from '../../src/search/words.ts';

const document = toSearchDocument({
  id: 1,
  handle: 'io.github.alice/invoice-printer',
  title: 'Invoice printer',
  description: 'Prints invoices and the reminders that follow them, for a small office',
  tags: JSON.stringify([{ tag: 'accounting' }]),
  facets: 'tag:accounting state:imported',
  keys: ['owner:alice'],
});

describe('a search document', () => {
  it('says most by the words of its name', () => {
    expect(document.strong).toEqual(['invoic', 'printer', 'invoiceprint']);
  });
  it('has the same terms, and says most by the same ones, when it is read again', () => {
    const read = toTermsOfText(document.text);
    expect([...read.keys()].toSorted()).toEqual([...document.terms].toSorted());
    expect([...read].filter(([, weight]) => isStrong(weight)).map(([term]) => term)).toEqual([
      'invoic',
      'printer',
      'invoiceprint',
    ]);
  });
});

describe('the stem of a word', () => {
  it.each([
    ['documents', 'documentation'],
    ['universal', 'universities'],
    ['organize', 'organic'],
    ['customs', 'customers'],
    ['ratings', 'rates'],
    ['reserves', 'reservations'],
    ['internal', 'international'],
    ['markets', 'marketing'],
    ['new', 'news'],
  ])('is not the same for %s and %s, which mean something else', (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });
  it.each([
    ['customer', 'customers'],
    ['university', 'universities'],
    ['organisation', 'organizations'],
    ['invoice', 'invoices'],
    ['search', 'searching'],
  ])('is the same for %s and %s', (one, other) => {
    expect(stem(one)).toBe(stem(other));
  });
});
