import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readCursor, toCursor } from '../../src/core/paging/cursor.ts';
import { openedDirectory } from '../support/opened.ts';
import { manyEntries } from '../support/registry-entries.ts';

const directory = await openedDirectory({ entries: manyEntries(137), environment: { LIMITS: 'off' } });

async function ask(tool: string, input: object) {
  const answer = await directory.post(`/api/tools/${tool}`, input);
  return { status: answer.status, said: (await answer.json()) as Record<string, unknown> };
}

const position = z.array(z.union([z.string(), z.number()]));

describe('a cursor', () => {
  it('is read back as it was made, and is safe in an address', () => {
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (place) => {
        const cursor = toCursor(place);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(readCursor(cursor, () => position)).toEqual(place);
      }),
    );
  });

  it('made of anything else is invalid_input or a place in the list, never a failure', async () => {
    const forged = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.base64String({ maxLength: 100 }),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
      fc
        .tuple(fc.integer(), fc.oneof(fc.integer(), fc.double(), fc.maxSafeNat()))
        .map((place) => toCursor(place)),
      fc.tuple(fc.string(), fc.string({ unit: 'binary' })).map((place) => toCursor(place)),
    );
    await fc.assert(
      fc.asyncProperty(forged, async (cursor) => {
        for (const [tool, input] of [
          ['search_agents', { cursor }],
          ['search_agents', { cursor, query: 'plain' }],
          ['list_ratings', { cursor, handle: 'com.example.n00000/server' }],
        ] as const) {
          const { status, said } = await ask(tool, input);
          expect([200, 422]).toContain(status);
          if (status === 422) expect(said.code).toBe('invalid_input');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leads through every listing once, whatever the size of the pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 7, max: 50 }),
        fc.constantFrom(undefined, 'plain'),
        async (limit, query) => {
          const seen: string[] = [];
          let cursor: unknown;
          do {
            const { said } = await ask('search_agents', {
              limit,
              ...(query && { query }),
              ...(cursor ? { cursor } : {}),
            });
            seen.push(...(said.listings as { handle: string }[]).map(({ handle }) => handle));
            cursor = said.next_cursor;
          } while (cursor && seen.length <= 200);
          expect(seen).toHaveLength(137);
          expect(new Set(seen).size).toBe(137);
        },
      ),
      { numRuns: 12 },
    );
  });
});
