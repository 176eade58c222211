import { afterEach, expect, it, vi } from 'vitest';
import { createBar } from '../../src/cli/shell.ts';

afterEach(() => vi.restoreAllMocks());

it('a bar leaves the counts that it was given as they are', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  using bar = createBar('{value} rows, {rows_new} new');
  const first = { rows_new: 1 };
  bar.show(1, 10, first);
  bar.show(2, 10, { rows_new: 2 });
  bar[Symbol.dispose]();
  expect(first).toEqual({ rows_new: 1 });
  expect(written.mock.calls.map(([text]) => text).join('')).toContain('2 rows, 2 new');
});
