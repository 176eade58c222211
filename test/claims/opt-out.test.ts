import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { whereShown } from '../support/doors.ts';
import { registryEntry } from '../support/entries.ts';
import { storedTools } from '../support/facts.ts';
import { file, openDomainDirectory, recorded } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const handle = 'io.github.alice/a';
const page = `/agents/${handle}`;
const day_s = 86_400;
const described = { description: 'Counts the days of a year.' };
const formerEndpoint = 'https://old.alice.example/mcp';
const earlier = registryEntry(
  handle,
  { version: '0.9.0', remotes: [{ type: 'streamable-http', url: formerEndpoint }] },
  { isLatest: false, publishedAt: '2026-09-01T08:00:00Z' },
);
const service = openEach([earlier, recorded(handle, 'alice/a', described)]);

const pageStatus = async () => (await service.get(page)).status;
const leafTypes = async () => {
  const { log } = service.directory.store;
  const size = await log.size();
  return Promise.all(
    Array.from({ length: size }, async (_, index) => JSON.parse((await log.leaf(index))?.leaf ?? '{}').t),
  );
};
/** What is answered about the endpoint of an earlier version. */
const findFormer = async () =>
  JSON.stringify(await service.post('/api/tools/get_agent', { handle: formerEndpoint }));
/** The stored texts of the tools that a check saw. */
const seenTools = { handle, kind: 'tools.surface', subject: 'https://alice.example/mcp' };
const putTools = async () => {
  const members = [{ name: 'count', description: 'Counts.' }];
  const first_seen_at = service.directory.context.clock().toISOString();
  const stored = await storedTools(seenTools, { digest: 'd'.repeat(64), first_seen_at, members });
  return service.directory.store.write((tx) => tx.observations.putValue(stored));
};
describe('a listing that was never claimed', () => {
  test('is withdrawn when two checks a day apart read the line', async () => {
    const repository = service.git.createRepository('alice/a');
    repository.commit({ [file]: `optout ${handle}\n` });
    await putTools();
    const first = await service.claim(handle);
    expect(first).toMatchObject({ status: 'not_proven', reason: 'no_challenge_in_file' });
    expect(first.message).toMatch(
      /The line "optout io\.github\.alice\/a" was read on 20\d\d-\d\d-\d\d\. The listing is withdrawn when a check a day or more later reads the line again\. Dossier makes that check by itself\.$/,
    );
    service.directory.wait(0.9 * day_s);
    expect(await service.claim(handle)).toMatchObject({ status: 'not_proven' });
    expect(await pageStatus()).toBe(200);
    expect(await findFormer()).toContain('recorded this endpoint, until 2026-10-01');
    expect(await service.recheck()).toBe(1);
    expect(await pageStatus()).toBe(410);
    expect(await findFormer()).not.toContain(handle);
    expect(await service.directory.store.observations.values(seenTools)).toEqual([]);
    expect(await service.claim(handle)).toMatchObject({ status: 'opted_out' });
    expect(await leafTypes()).toEqual(['listing.withdrawn']);
    expect(await service.history(handle)).toEqual(['listing_withdrawn optout']);
    repository.commit({ [file]: null });
    for (let day = 0; day < 2; day++) expect(await service.recheck()).toBe(1);
    const document = JSON.parse((await service.get(`${page}.json`)).body);
    expect(document.claim).toBeUndefined();
    expect(document.history).toMatchObject([
      { type: 'listing_withdrawn', reason: 'optout', log_index: 0 },
      { type: 'listing_restored', reason: 'optout_removed', log_index: 1 },
    ]);
    const [withdrawn, restored] = document.history.map(({ at }: { at: string }) => at.slice(0, 10));
    expect((await service.get(`${page}/history`)).body.replaceAll(/<[^>]+>/g, ' ')).toMatch(
      new RegExp(
        `${restored}[^]*listed again: the opt-out line is gone[^]*${withdrawn}[^]*no longer listed: an opt-out line was read`,
      ),
    );
    expect((await service.get(`${page}.md`)).body).toContain(
      `History of the listing:\n\n* ${withdrawn} no longer listed: an opt-out line was read\n* ${restored} listed again: the opt-out line is gone`,
    );
  });

  test('is not withdrawn by a line that is gone in between', async () => {
    const repository = service.git.createRepository('alice/a');
    repository.commit({ [file]: `optout ${handle}\n` });
    await service.claim(handle);
    repository.commit({ [file]: null });
    await service.claim(handle);
    repository.commit({ [file]: `optout ${handle}\n` });
    expect(await service.recheck()).toBe(0);
    await service.claim(handle);
    expect(await pageStatus()).toBe(200);
    expect(await leafTypes()).toEqual([]);
  });
});

describe('a claimed listing', () => {
  const shownAt = () =>
    whereShown(service.directory, { handles: [handle], query: 'counts' }, 'Counts the days of a year.');
  async function optOut() {
    const { repository, issued } = await service.claimIn('alice/a', handle);
    repository.commit({ [file]: `${issued.challenge}\noptout ${handle}\n` });
    expect(await service.claim(handle, {}, issued.capability)).toMatchObject({ status: 'opted_out' });
    expect(await pageStatus()).toBe(410);
    const gone = await service.directory.app.request(`/agents/${handle}.json`);
    expect(await gone.json()).toMatchObject({
      detail: expect.stringMatching(
        /^The line "optout io\.github\.alice\/a" was read on [\d-]{10}, and the listing is withdrawn\. .* This is not a verdict about it\. It is no longer shown; search_agents finds others\.$/,
      ),
    });
    return { repository, issued };
  }

  test('is withdrawn at once and restored with its text and claim when the line is gone', async () => {
    expect((await shownAt()).length).toBeGreaterThan(10);
    const { repository, issued } = await optOut();
    expect(await shownAt()).toEqual([]);
    repository.commit({ [file]: issued.challenge });
    expect(await service.claim(handle)).toMatchObject({ status: 'claimed', changed: 'restored' });
    const shown = await service.get(page);
    expect(shown.status).toBe(200);
    expect(shown.body).toContain('Counts the days of a year.');
    expect((await service.get(`${page}/history`)).body).toContain('claim in force again: write access');
    expect((await service.get('/?q=counts+days')).body).toContain(handle);
    expect(await service.history(handle)).toEqual([
      'activated github.com/alice 0',
      'suspended withdrawn github.com/alice 0',
      'listing_withdrawn optout github.com/alice 0',
      'listing_restored optout_removed github.com/alice 0',
      'restored github.com/alice 0',
    ]);
    expect(await leafTypes()).toEqual([
      'claim.activated',
      'claim.suspended',
      'listing.withdrawn',
      'listing.restored',
      'claim.activated',
    ]);
  });

  test('is withdrawn by the second of two readings if nobody presents a capability of the claim', async () => {
    const { repository, issued } = await service.claimIn('alice/a', handle);
    repository.commit({ [file]: `${issued.challenge}\noptout ${handle}\n` });
    expect(await service.claim(handle)).toMatchObject({
      status: 'claimed',
      message: expect.stringContaining(`The line "optout ${handle}" was read on `),
    });
    service.directory.wait(0.9 * day_s);
    expect(await service.claim(handle)).toMatchObject({ status: 'claimed' });
    expect(await pageStatus()).toBe(200);
    service.directory.wait(0.1 * day_s);
    expect(await service.claim(handle)).toMatchObject({ status: 'opted_out' });
    expect(await service.history(handle)).toEqual([
      'activated github.com/alice 0',
      'suspended withdrawn github.com/alice 0',
      'listing_withdrawn optout github.com/alice 0',
    ]);
  });

  test('is withdrawn at once for who presents a capability, whoever asked for a check a moment before', async () => {
    const { repository, issued } = await service.claimIn('alice/a', handle);
    repository.commit({ [file]: `${issued.challenge}\noptout ${handle}\n` });
    expect(await service.claim(handle)).toMatchObject({ status: 'claimed' });
    service.directory.wait(-31);
    expect(await service.claim(handle, {}, issued.capability)).toMatchObject({ status: 'opted_out' });
  });

  test('is checked daily, and restored with the newest text when the file is gone', async () => {
    const { repository } = await optOut();
    await service.directory.importEntries([
      recorded(handle, 'alice/a', { description: 'Counts the weeks of a year.', version: '2.0.0' }),
    ]);
    expect(await pageStatus()).toBe(410);
    expect(await service.recheck()).toBe(1);
    expect(await pageStatus()).toBe(410);
    repository.commit({ [file]: null });
    expect(await service.recheck()).toBe(1);
    expect(await pageStatus()).toBe(410);
    const form = new URLSearchParams({ optout: 'true', method: 'repository' });
    const asked = await service.directory.app.request(`${page}/claim`, { method: 'POST', body: form });
    expect(await asked.text()).toMatch(
      /A check on \d{4}-\d\d-\d\d found no text there\. The listing is listed again when a check a day or more later finds none either/,
    );
    expect(await service.recheck()).toBe(1);
    expect((await service.get(page)).body).toContain('Counts the weeks of a year.');
  });

  test('is restored when its record names another repository', async () => {
    await optOut();
    await service.directory.importEntries([
      recorded(handle, 'alice/other', { description: 'Moved.', version: '2.0.0' }),
    ]);
    expect((await service.get(page)).body).toContain('Moved.');
    expect((await service.history(handle)).at(-1)).toBe(
      'listing_restored repository_not_recorded github.com/alice 0',
    );
    expect((await leafTypes()).at(-1)).toBe('listing.restored');
  });
});

test('an operator restores a listing by command, and its line no longer counts until it is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-opt-out-'));
  const DATABASE_URL = await createSharedDatabase(folder);
  const shared = await openDomainDirectory([recorded(handle, 'alice/a', described)], [], { DATABASE_URL });
  const status = async () => (await shared.get(page)).status;
  const restore = (...args: string[]) =>
    runDossier(['listing', 'restore', ...args], { DATABASE_URL, REGISTRY_URL: 'off' });
  try {
    const repository = shared.git.createRepository('alice/a');
    repository.commit({ [file]: `optout ${handle}\n` });
    await shared.claim(handle);
    shared.directory.wait(1.25 * day_s);
    await shared.claim(handle);
    expect(await status()).toBe(410);
    expect(await restore('io.github.alice/other', '--reason', 'typo')).toMatchObject({
      code: 64,
      stderr: 'no opt-out line has withdrawn a listing io.github.alice/other; nothing was changed\n',
    });
    expect((await restore(handle)).code).toBe(64);
    expect((await restore(handle, '--reason', ' ')).code).toBe(64);
    expect(await restore(handle, '--reason', 'the repository was taken over')).toMatchObject({
      code: 0,
      stdout: 'restored io.github.alice/a\n',
    });
    await expect.poll(status).toBe(200);
    expect(await shared.history(handle)).toEqual([
      'listing_withdrawn optout',
      'listing_restored operator: the repository was taken over',
    ]);
    shared.directory.wait(2 * day_s);
    await shared.directory.recheck();
    expect(await status()).toBe(200);
    repository.commit({ [file]: null });
    await shared.claim(handle);
    repository.commit({ [file]: `optout ${handle}\n` });
    await shared.claim(handle);
    shared.directory.wait(1.25 * day_s);
    await shared.claim(handle);
    expect(await status()).toBe(410);
  } finally {
    await shared.close();
    rmSync(folder, { recursive: true });
  }
});

test('dossier listing restore --help names what it does and its exit codes', async () => {
  const { code, stdout } = await runDossier(['listing', 'restore', '--help'], {});
  expect(code).toBe(0);
  expect(stdout).toContain('Exit codes: 0 restored; 64 usage');
});

test('pages and texts for maintainers name the line', async () => {
  const line = `optout ${handle}`;
  expect((await service.get(`${page}/claim`)).body).toContain(`<code>${line}</code>`);
  expect((await service.get('/about')).body).toContain('<code>optout &lt;handle&gt;</code>');
  expect((await service.get('/llms.txt')).body).toContain('`optout <handle>`');
});
