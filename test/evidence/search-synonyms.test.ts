import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/search/query.ts';
import tables from '../../src/search/synonyms.json' with { type: 'json' };

const factorsOf = (query: string) =>
  new Map(
    parseQuery(query).words.flatMap(({ alternatives }) =>
      alternatives.map(({ terms, factor }) => [terms.join(' '), factor] as const),
    ),
  );

describe('the tables of synonyms', () => {
  it('have two or more different phrases in a line, in lower case', () => {
    for (const line of Object.values(tables).flatMap((table) => Object.values(table).flat())) {
      const phrases = line.split(', ');
      expect(phrases.length, line).toBeGreaterThan(1);
      expect(new Set(phrases).size, line).toBe(phrases.length);
      for (const phrase of phrases) expect(phrase).toMatch(/^[\p{Ll}\p{Lm}\p{Lo}\d]+( [\p{Ll}\p{Lo}\d]+)*$/u);
    }
  });
  it('count what means the same nearly as the word itself, and what is related less', () => {
    expect(factorsOf('k8s').get('kubernet')).toBe(0.85);
    expect(factorsOf('german').get('deutschland')).toBe(0.85);
    expect(factorsOf('postgres').get('postgresql')).toBe(0.85);
    expect(factorsOf('xrechnung').get('e invoic')).toBe(0.8);
    expect(factorsOf('xrechnung').get('zugferd')).toBeUndefined();
    expect(factorsOf('hotel').get('accommod')).toBe(0.35);
  });
  it('find a phrase of a question though it has stop words', () => {
    expect(factorsOf('which agent does text to speech').get('tts')).toBe(0.85);
  });
});
