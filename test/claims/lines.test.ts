import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { operationsOf } from '../support/operations.ts';
import { file, recorded } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const handle = 'io.github.alice/a';
const rated = 'io.github.bob/b';
const day_s = 86_400;

const service = openEach([recorded(handle, 'alice/a'), recorded(rated, 'bob/b')]);

const today = () => service.directory.context.clock().toISOString();
const dayIn = (days: number) =>
  new Date(Date.parse(today()) + days * day_s * 1000).toISOString().slice(0, 10);
const endLine = (id: unknown, as: string) => service.post(`/api/capability/revoke?id=${id}`, {}, as);
/** A check on each of these days. */
async function stand(days: number) {
  for (let day = 0; day < days; day++) {
    service.directory.wait(day_s);
    await service.claim(handle);
  }
}
const generation = async () => (await service.directory.store.claims.claim(handle))?.root_generation;

/** Alice claims, and then somebody commits a line that was asked for without her key. */
async function addLine() {
  const { repository, issued: owner } = await service.claimIn('alice/a', handle);
  const added = await service.claim(handle, { rotate: true });
  const both = `${owner.challenge}\n${added.challenge}\n`;
  repository.commit({ [file]: both });
  expect(await service.claim(handle)).toMatchObject({ status: 'claimed', changed: 'none' });
  return { repository, owner, added, both };
}

test('who lost every key adds a line, waits a week, and keeps the ratings', async () => {
  const { repository, issued: lost } = await service.claimIn('alice/a', handle);
  const { rating_id } = await service.rate(rated, lost.capability);
  const next = await service.claim(handle, { rotate: true });
  expect(next.next).toMatch(
    /^You sent no capability: .* until then\. A line in the file stands for a capability\. .* The cost of a new claim: .* Then send the request again without rotate\.$/,
  );
  repository.commit({ [file]: `${lost.challenge}\n${next.challenge}\n` });
  const waits = `The line of capability_id ${next.capability_id} was asked for without a capability of the claim, and was first read on ${dayIn(0)}. It works from ${dayIn(7)} on if no check until then misses it, or later, once checks on seven days have found it.`;
  expect(await service.claim(handle, { challenge: next.challenge })).toMatchObject({
    status: 'not_proven',
    reason: 'line_waits',
    message: `The line was read. It works after it has stood there for seven days. ${waits}`,
  });
  expect(await service.claim(handle)).toMatchObject({ status: 'claimed', message: waits });
  for (const path of [`/agents/${handle}`, `/agents/${handle}.json`, `/agents/${handle}/claim`])
    expect((await service.get(path)).body.replace(/<[^>]*>/g, '')).toContain(waits);
  expect((await service.get(`/agents/${handle}/history`)).body).toContain(
    'a line was added without a capability',
  );
  expect((await service.get('/changes')).body).toContain('"type":"claim.line_added"');
  expect(await service.post('/api/capability/check', {}, next.capability)).toMatchObject({
    code: 'capability_waiting',
    detail: expect.stringContaining(`It works from ${dayIn(7)} on`),
  });
  await stand(6);
  expect(await service.standing(next.capability)).toBe('capability_waiting');
  await stand(1);
  expect(await service.standing(next.capability)).toBe('200');
  expect(await generation()).toBe(0);
  expect(await service.history(handle)).toEqual([
    'activated github.com/alice 0',
    'line_added github.com/alice 0',
    'rotated github.com/alice 0',
  ]);
  expect(await service.post('/api/tools/withdraw_rating', { rating_id }, next.capability)).toHaveProperty(
    'withdrawn_at',
  );
  expect(await service.directory.audit()).toEqual([]);
});

test('a line needs nobody who asks: the checks of Dossier itself let it stand', async () => {
  const { owner, added } = await addLine();
  for (let quarter = 0; quarter < 34; quarter++) {
    service.directory.wait(day_s / 4);
    await service.directory.recheck();
  }
  expect([await service.standing(added.capability), await service.standing(owner.capability)]).toEqual([
    '200',
    '200',
  ]);
});

describe('a line that somebody slipped in', () => {
  test('is ended by taking it out', async () => {
    const { repository, owner, added } = await addLine();
    await stand(5);
    repository.commit({ [file]: owner.challenge });
    await stand(2);
    expect(await service.standing(added.capability)).toBe('capability_revoked');
    expect((await service.history(handle)).slice(1)).toEqual([
      'line_added github.com/alice 0',
      'revoked line_removed github.com/alice 0',
    ]);
  });

  test('is ended by any key that works, and by no other, though it stays', async () => {
    const { owner, added } = await addLine();
    const { capability_id } = added;
    expect(await endLine(capability_id, added.capability)).toMatchObject({ code: 'capability_waiting' });
    expect(await endLine(owner.capability_id, owner.capability)).toMatchObject({ code: 'not_found' });
    expect(await endLine(capability_id, owner.capability)).toMatchObject({ capability_id });
    await stand(8);
    expect([await service.standing(added.capability), await service.standing(owner.capability)]).toEqual([
      'capability_revoked',
      '200',
    ]);
    expect(await service.claim(handle, { challenge: added.challenge })).toMatchObject({ reason: 'reused' });
  });

  test('that is taken out and put back on day six starts anew', async () => {
    const { repository, owner, added, both } = await addLine();
    await stand(5);
    repository.commit({ [file]: owner.challenge });
    await service.claim(handle);
    repository.commit({ [file]: both });
    await stand(6);
    expect(await service.standing(added.capability)).toBe('capability_waiting');
    await stand(2);
    expect(await service.standing(added.capability)).toBe('200');
  });

  test('begins a new claim if the holder revokes the last key, however long it has stood', async () => {
    const { owner, added } = await addLine();
    await stand(6);
    await service.post('/api/capability/revoke', {}, owner.capability);
    await stand(1);
    expect([await service.standing(added.capability), await generation()]).toEqual(['200', 1]);
  });

  test('asks for no line that works at once', async () => {
    const { repository, added, both } = await addLine();
    const second = await service.claim(handle, { rotate: true }, added.capability);
    repository.commit({ [file]: `${both}${second.challenge}\n` });
    await service.claim(handle);
    expect(await service.standing(second.capability)).toBe('capability_waiting');
  });

  test('twice in the file is one line', async () => {
    const { repository, added, both } = await addLine();
    repository.commit({ [file]: both + both });
    await stand(6);
    expect(await service.standing(added.capability)).toBe('capability_waiting');
    await stand(1);
    expect(await service.standing(added.capability)).toBe('200');
  });
});

describe('write access', () => {
  test('for a moment at a time gains nothing, though checks are asked for in each', async () => {
    const { repository, owner, added, both } = await addLine();
    for (let day = 0; day < 9; day++) {
      repository.commit({ [file]: both });
      await stand(1);
      repository.commit({ [file]: owner.challenge });
      service.directory.wait(day_s / 2);
      await service.claim(handle);
    }
    expect(await service.standing(added.capability)).toMatch(/^capability_(waiting|revoked)$/);
  });

  test('for a day begins a new claim, which has no power over ratings before', async () => {
    const { repository, owner, added } = await addLine();
    repository.commit({ [file]: added.challenge });
    await service.claim(handle);
    expect(await service.standing(owner.capability)).toBe('200');
    await stand(1);
    expect([
      await service.standing(added.capability),
      await service.standing(owner.capability),
      await generation(),
    ]).toEqual(['200', 'capability_revoked', 1]);
  });

  test('for eight days gains a key of the claim; every key before it keeps working while its line is there', async () => {
    const { repository, owner, added } = await addLine();
    await stand(7);
    repository.commit({ [file]: added.challenge });
    await service.claim(handle);
    expect([await service.standing(added.capability), await service.standing(owner.capability)]).toEqual([
      '200',
      '200',
    ]);
    await stand(1);
    expect([
      await service.standing(added.capability),
      await service.standing(owner.capability),
      await generation(),
    ]).toEqual(['200', 'capability_suspended', 0]);
    repository.commit({ [file]: `${owner.challenge}\n${added.challenge}\n` });
    await service.claim(handle);
    expect(await service.standing(owner.capability)).toBe('200');
  });

  test('to flood the file lets five lines wait, and ends no key', async () => {
    const { repository, owner, both } = await addLine();
    const flood = [];
    for (let n = 0; n < 12; n++) flood.push((await service.claim(handle, { rotate: true })).challenge);
    const size = await service.directory.store.log.size();
    repository.commit({ [file]: `${both}${flood.join('\n')}` });
    await stand(3);
    expect((await service.directory.store.log.size()) - size).toBe(4);
    const rows = await service.directory.store.claims.capabilities(handle);
    expect(rows.map(({ state }) => state).toSorted()).toEqual(['active', ...Array(5).fill('waiting')]);
    const more = Array.from({ length: 60 }, (_, n) => `dossier-claim-v1.${String(n).padStart(72, 'A')}`);
    repository.commit({ [file]: [...flood, ...more].join('\n') });
    await stand(3);
    expect(await service.standing(owner.capability)).toBe('200');
  });
});

describe('a line stands by readings alone', () => {
  test.each([
    ['fails', 503],
    ['answers 404', 404],
  ])('while its forge %s for a week, it grows no older and is not gone', async (_, status) => {
    const { added } = await addLine();
    await stand(3);
    service.git.fault = (_request, response) => {
      response.writeHead(status).end();
      return true;
    };
    service.directory.wait(6 * day_s);
    await service.claim(handle);
    service.git.fault = undefined;
    await stand(2);
    expect(await service.standing(added.capability)).toBe('capability_waiting');
    await stand(1);
    expect(await service.standing(added.capability)).toBe('200');
  });

  test('one answer that is cut takes no key away, and lets a line that waits start anew', async () => {
    const { repository, owner, added, both } = await addLine();
    await stand(4);
    repository.commit({ [file]: both.slice(0, 40) });
    await service.claim(handle);
    expect(await service.standing(owner.capability)).toBe('200');
    repository.commit({ [file]: both });
    await stand(6);
    expect([await service.standing(owner.capability), await service.standing(added.capability)]).toEqual([
      '200',
      'capability_waiting',
    ]);
  });

  test('a clock that is eight days ahead on one node lets no line work before its time', async () => {
    const { added } = await addLine();
    const { context } = service.directory;
    const ahead = operationsOf({
      ...context,
      clock: () => new Date(context.clock().getTime() + 8 * day_s * 1000),
    });
    for (let day = 0; day < 4; day++) {
      await ahead.recheck();
      expect(await service.standing(added.capability)).toBe('capability_waiting');
      await stand(1);
    }
    expect(await service.standing(added.capability)).toBe('capability_waiting');
  });
});

test('of two working lines, one that two readings a day apart do not find is gone', async () => {
  const { repository, issued: first } = await service.claimIn('alice/a', handle);
  const second = await service.claim(handle, { rotate: true }, first.capability);
  repository.commit({ [file]: second.challenge });
  expect(await service.claim(handle)).toMatchObject({ changed: 'rotated' });
  expect([await service.standing(first.capability), await service.standing(second.capability)]).toEqual([
    '200',
    '200',
  ]);
  service.directory.wait(day_s - 60);
  await service.claim(handle);
  expect(await service.standing(first.capability)).toBe('200');
  service.directory.wait(60);
  await service.claim(handle);
  expect([await service.standing(first.capability), await service.standing(second.capability)]).toEqual([
    'capability_suspended',
    '200',
  ]);
});

test('a capability that is replaced as SECURITY.md says leaves the claim as it is; after the only one was revoked, a line begins a new claim, at a cost that every page states in the same words', async () => {
  const { repository, issued: first } = await service.claimIn('alice/a', handle);
  const second = await service.claim(handle, { rotate: true }, first.capability);
  repository.commit({ [file]: `${first.challenge}\n${second.challenge}\n` });
  await service.claim(handle);
  await service.post('/api/capability/revoke', {}, first.capability);
  expect(await service.claim(handle)).toMatchObject({
    changed: 'none',
    capabilities: [{ id: second.capability_id }],
  });
  await service.post('/api/capability/revoke', {}, second.capability);
  const third = await service.claim(handle, { rotate: true });
  repository.commit({ [file]: third.challenge });
  expect(await service.claim(handle)).toMatchObject({ changed: 'activated' });
  expect(await generation()).toBe(1);
  const plain = (text: string) => text.replace(/`/g, '').replace(/\s+/g, ' ');
  const read = (path: string) => plain(readFileSync(path, 'utf8'));
  const llms = plain((await service.get('/llms.txt')).body);
  const errors = read('src/core/problems.json');
  const cost =
    'ratings that the listing has made until then can no longer be changed or withdrawn, and count as those of an ended source; ratings that it has received until then can no longer be responded to; and every earlier capability ends.';
  for (const text of [read('docs/claims.md'), llms, errors, third.next]) expect(text).toContain(cost);
  const replacing =
    'Call claim_agent with rotate: true and the old capability in the Authorization header, publish the new line beside the old one, and call again without rotate. POST /api/capability/revoke with the old capability then ends it at once, and the claim goes on.';
  for (const text of [read('SECURITY.md'), llms, errors]) expect(text).toContain(replacing);
});
