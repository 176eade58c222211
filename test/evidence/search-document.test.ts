import { describe, expect, it } from 'vitest';
import { isStrong, toSearchDocument, toTermsOfText } from '../../src/search/document.ts';
import { isCorrectable, stem } from '../../src/search/words.ts';

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
  it('has a name of two or three words as one too, without the words that only end names', () => {
    const named = (name: string) =>
      toSearchDocument({
        id: 2,
        handle: `io.github.alice/${name}`,
        title: null,
        description: 'None',
        tags: '[]',
        facets: '',
        keys: [],
      });
    expect(named('invoice-printer-mcp-server').strong).toContain('invoiceprint');
    expect(named('mcp-invoice').strong).not.toContain(stem('mcpinvoice'));
  });
  it('has the same terms, says most by the same ones, and names their forms, when it is read again', () => {
    const read = toTermsOfText(document.text);
    const [forms = [], terms = []] = [true, false].map((is) =>
      [...read.keys()].filter((term) => term.startsWith('=') === is).toSorted(),
    );
    expect(terms).toEqual([...document.terms].toSorted());
    expect(forms.slice(0, 6)).toEqual([
      '=accounting=accounting',
      '=alic=alice',
      '=follow=follow',
      '=invoic=invoice',
      '=invoic=invoices',
      '=invoiceprint=invoice-printer',
    ]);
    expect([...read].filter(([, weight]) => isStrong(weight)).map(([term]) => term)).toEqual([
      'invoic',
      'printer',
      'invoiceprint',
    ]);
  });
});

it.each([
  ['invoce', true],
  ['smss', true],
  ['sms', false],
  ['x'.repeat(24), true],
  ['x'.repeat(25), false],
  ['größe', false],
])('a word that no listing has: %s may be a misspelling: %s', (word, is) => {
  expect(isCorrectable(word)).toBe(is);
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
