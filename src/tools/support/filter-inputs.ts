import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { own } from '../../evidence/text/json-object.ts';
import { tokenize } from '../../evidence/text/tokenize.ts';

/** What callers say for values of filters. */
const otherNames: Readonly<Record<string, string>> = {
  http: 'streamable-http',
  https: 'streamable-http',
  remote: 'streamable-http',
  local: 'stdio',
  docker: 'oci',
  container: 'oci',
  node: 'npm',
  nodejs: 'npm',
  javascript: 'npm',
  typescript: 'npm',
  pip: 'pypi',
  python: 'pypi',
  uvx: 'pypi',
  npx: 'npm',
  dotnet: 'nuget',
  rust: 'cargo',
  crates: 'cargo',
  unclaimed: 'imported',
};

/** The value that a text most likely means, by its other names and spelling. */
export function findNearest(sent: string, values: readonly string[]): string | undefined {
  const text = sent.trim().toLowerCase().slice(0, 40);
  const meant = own(otherNames, text) ?? '';
  if (values.includes(meant)) return meant;
  const similar = values
    .map((value) => ({
      value,
      edits: value.includes(text) || text.includes(value) ? 0 : distance(text, value),
    }))
    .filter(({ value, edits }) => text.length > 1 && edits <= Math.floor(value.length / 2))
    .sort((a, b) => a.edits - b.edits);
  return similar[0]?.value;
}

/** One of a closed set of values; the error for any other one lists them, and names the nearest. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, {
    error: ({ input }) => {
      const nearest = typeof input === 'string' ? findNearest(input, values) : undefined;
      return `must be one of ${values.join(', ')}${nearest ? `; the nearest is ${nearest}` : ''}`;
    },
  });

/** A tag; the error for another form of one names what it would be as a tag. */
export const tagInput = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,39}$/, {
  error: ({ input }) => {
    const tag = typeof input === 'string' ? tokenize(input.slice(0, 200)).join('-').slice(0, 40) : '';
    const nearest = /^[a-z0-9][a-z0-9.-]*$/.test(tag) ? `; the nearest is ${tag}` : '';
    return `must be at most 40 lower-case letters, digits, hyphens and dots${nearest}`;
  },
});
