import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Importing, openImporting } from '../support/importing.ts';
import { manyEntries } from '../support/registry-entries.ts';
import type { Trouble } from '../support/registry-server.ts';

let importing: Importing;
beforeEach(async () => {
  importing = await openImporting(manyEntries(250));
});
afterEach(() => importing.close());

describe('a registry that does not answer as it should', () => {
  it.each<[Trouble, string, boolean]>([
    ['cursor_loop', 'the registry gave a cursor that it had given before', false],
    ['html', 'the answer is not JSON (another kind of server, or a sign-in page)', false],
    ['huge', 'the page is larger than 8 MiB', false],
    ['bomb', 'the page is larger than 8 MiB', false],
    ['no_list', 'the answer is not a page of a registry list', false],
    ['bad_utf8', 'the page is not UTF-8', false],
    ['redirect', 'the registry answered with status 302', false],
    ['truncated', 'the page is not well-formed JSON, or was cut off', true],
    ['cut_off', 'the registry cannot be reached, or the connection broke', true],
    ['unavailable', 'the registry answered with status 503', true],
    ['silent', 'the registry did not answer within 0.2 s', true],
  ])(
    'ends the run for %s, says why, keeps what came before, and goes on there if it may pass',
    async (kind, reason, isResumed) => {
      importing.registry.trouble(kind, { after: 1 });
      const report = await importing.run({
        patience: { tries: 2, wait_ms: 1, timeout_ms: kind === 'silent' ? 200 : 5000 },
      });
      expect(report).toMatchObject({
        state: 'failed',
        error: reason,
        counts: { rows_seen: 100, listings_new: 100 },
      });
      expect(await importing.store.listings.count()).toBe(100);
      importing.registry.trouble(kind, { times: 0 });
      expect(await importing.run()).toMatchObject({ state: 'done', isResumed });
      expect(await importing.store.listings.count()).toBe(250);
    },
  );

  it('stops reading a page of 200 MB at 8 MiB', async () => {
    importing.registry.trouble('huge');
    expect((await importing.run({ patience: { tries: 1 } })).state).toBe('failed');
    // What the sockets of both sides buffer is sent too.
    const { requests } = importing.registry;
    expect(requests.map(({ query }) => Number(query.get('limit')))).toEqual([100, 50, 25, 12, 6, 3, 1]);
    expect(importing.registry.sent_bytes() / requests.length).toBeLessThan(50 * 1024 * 1024);
  });

  it('quarantines entries of wrong types, and is no import if there are no others', async () => {
    importing.registry.trouble('wrong_types', { times: 1 });
    expect(await importing.run()).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^5 of 5 entries could not be read/),
      counts: { rows_seen: 5, rows_quarantined: 5 },
    });
  });

  it.each<[Trouble]>([['rate_limited'], ['unavailable'], ['truncated'], ['cut_off']])(
    'tries again after %s and loses no row',
    async (kind) => {
      importing.registry.trouble(kind, { after: 1, times: 2 });
      expect(await importing.run()).toMatchObject({
        state: 'done',
        counts: { rows_seen: 250, rows_new: 250 },
      });
      expect(importing.registry.requests.length).toBe(5);
    },
  );

  it('stops between two pages on request, and resumes later', async () => {
    const stopping = new AbortController();
    const stopped = await importing.run({ signal: stopping.signal, onProgress: () => stopping.abort() });
    expect(stopped).toMatchObject({ state: 'running', counts: { rows_seen: 100 } });
    expect(await importing.run()).toMatchObject({
      state: 'done',
      isResumed: true,
      counts: { rows_new: 250 },
    });
  });
});
