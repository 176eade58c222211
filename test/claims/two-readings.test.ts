import { describe, expect, test } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { file, recorded, wellKnown } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const tool = 'com.example/tool';
const rated = 'org.rated/service';
const day_s = 86_400;
const owners = ['alice', 'bob', 'carol'];
const handleOf = (owner: string) => `io.github.${owner}/tool`;

const service = openEach(
  [
    recorded(tool, 'mallory/tool'),
    ...owners.map((owner) => recorded(handleOf(owner), `${owner}/tool`)),
    registryEntry(rated),
  ],
  ['example.com'],
);

const byFile = (input: object = {}, as?: string) => service.ask(tool, { method: 'well_known', ...input }, as);
const inRepository = (input: object = {}) => service.ask(tool, { method: 'repository', ...input });
const claimsOf = (handles: readonly string[]) => Promise.all(handles.map(service.held));
const groupOfRating = async () => {
  const { ratings } = await service.post('/api/tools/list_ratings', { handle: rated });
  return (ratings as { group?: string }[])[0]?.group;
};
describe('one reading that finds nothing', () => {
  test('hands the claim to nobody else, and its owner loses nothing', async () => {
    const owner = await service.claimBy('well_known', tool);
    service.directory.wait(8 * day_s);
    expect(await service.rate(rated, owner.capability)).toMatchObject({ group: 'independent' });
    const repository = service.git.createRepository('mallory/tool');
    const mallory = await inRepository({ rotate: true });
    repository.commit({ [file]: mallory.challenge });
    expect(await inRepository()).toMatchObject({ reason: 'claimed_elsewhere' });
    service.web.fault = (_, response) => response.writeHead(404).end();
    expect(await byFile()).toMatchObject({ status: 'claimed', check: { result: 'well_known_absent' } });
    expect(await inRepository()).toMatchObject({ reason: 'claimed_elsewhere' });
    service.web.fault = undefined;
    await service.recheck(0.3);
    service.web.fault = (_, response) => response.writeHead(404).end();
    service.directory.wait(day_s);
    await byFile();
    expect(await inRepository()).toMatchObject({ reason: 'claimed_elsewhere' });
    service.web.fault = undefined;
    expect(await byFile()).toMatchObject({ status: 'claimed', changed: 'none' });
    expect(await service.standing(owner.capability)).toBe('200');
    expect(await groupOfRating()).toBe('independent');
    expect(await service.history(tool)).toEqual(['activated dns:example.com 0']);
    expect(await service.directory.audit()).toEqual([]);
  });

  test('is said on the page and in the JSON until one that finds the line', async () => {
    const owner = await service.claimBy('well_known', tool);
    service.web.files.delete(wellKnown);
    await service.recheck();
    const { tried_at, failing } = (await service.claimOf(tool)) ?? {};
    const on = String(tried_at).slice(0, 10);
    const said = `check on ${on} found nothing there that proves the claim; the claim stands until a check a day or more later finds nothing either`;
    expect(failing).toBe(`a ${said}`);
    const text = async () =>
      (await service.get(`/agents/${tool}`)).body.replace(/<\/?time>/g, '').replace(/\s+/g, ' ');
    expect(await text()).toContain(`A ${said}.`);
    const compared = await service.post('/api/tools/compare_agents', {
      handles: [tool, rated],
      criteria: ['claim_checked_within_days:30'],
    });
    expect(compared.listings).toMatchObject([
      {
        native: { 'claim_checked_within_days:30': 'met' },
        lines: { whose: expect.stringContaining(`; a ${said}.`) },
      },
      {},
    ]);
    service.web.files.set(wellKnown, owner.challenge);
    await byFile();
    expect(await service.claimOf(tool)).not.toHaveProperty('failing');
    expect(await text()).not.toContain('the claim stands until');
  });
});

test('pages and Markdown name the day of the last check, although it failed', async () => {
  await service.claimBy('well_known', tool);
  service.web.fault = (_request, response) => void response.writeHead(503).end();
  service.directory.wait(1.25 * day_s);
  await byFile();
  const at = service.directory.context.clock().toISOString();
  const [day, minute] = [at.slice(0, 10), `${at.slice(0, 16).replace('T', ' ')} UTC`];
  const page = (await service.get(`/agents/${tool}`)).body;
  expect(page).toMatch(new RegExp(`Last recorded check: <time[^>]*>${day}<`));
  expect((await service.get(`/agents/${tool}/claim`)).body).toMatch(
    new RegExp(`Last recorded check: <time[^>]*>${minute}<`),
  );
  expect((await service.get(`/agents/${tool}.md`)).body).toContain(`Last recorded check: ${day}.`);
});

test('a claim whose line is gone ends, although somebody asks about it whenever its host fails', async () => {
  const { capability } = await service.claimBy('well_known', tool);
  service.web.files.delete(wellKnown);
  for (let hour = 0; hour < 72; hour += 4) {
    service.web.fault = (_request, response) => void response.writeHead(503).end();
    await byFile();
    service.web.fault = undefined;
    service.directory.wait(4 * 3600);
    await service.directory.recheck();
  }
  expect(await claimsOf([tool])).toEqual(['suspended dns:example.com 0']);
  expect(await service.standing(capability)).toBe('capability_suspended');
});

test('the place of an ended claim is read until its line restores nothing any more', async () => {
  await service.claimBy('well_known', tool);
  service.web.files.delete(wellKnown);
  for (let pass = 0; pass < 2; pass++) await service.recheck(1.3);
  expect(await claimsOf([tool])).toEqual(['suspended dns:example.com 0']);
  const readsOf = async (days: number) => {
    const before = service.web.requests.length;
    await service.recheck(days);
    return service.web.requests.length - before;
  };
  expect(await readsOf(28)).toBe(1);
  expect(await readsOf(3)).toBe(0);
  expect(await readsOf(30)).toBe(0);
});

test('what others wait for while an opt-out or the registry suspends a claim is not theirs before two readings', async () => {
  const owner = await service.claimBy('well_known', tool);
  const repository = service.git.createRepository('mallory/tool');
  const mallory = await inRepository({ rotate: true });
  repository.commit({ [file]: mallory.challenge });
  const at = (status: string, second: number) =>
    registryEntry(
      tool,
      { version: '1.0.0', repository: { url: 'https://github.com/mallory/tool', source: 'github' } },
      { status, updatedAt: new Date(Date.UTC(2026, 9, 3, 0, 0, second)).toISOString() },
    );
  await service.directory.importEntries([at('deleted', 1)]);
  await service.directory.importEntries([at('active', 2)]);
  expect(await inRepository({ challenge: mallory.challenge })).toMatchObject({ reason: 'claimed_elsewhere' });
  expect(await byFile()).toMatchObject({ status: 'claimed', changed: 'restored' });
  expect(await service.standing(owner.capability)).toBe('200');
});
