import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DomainDirectory, openDomainDirectory } from '../claims/domain-directory.ts';
import { comparedOf } from '../support/compared.ts';
import { documentOf } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_s = 86_400;
type Json = Readonly<Record<string, unknown>>;

type Repository = ReturnType<DomainDirectory['git']['createRepository']>;

let service: DomainDirectory;
const repositories = new Map<string, Repository>();
/** The claim lines of domains. */
const lines = new Map<string, string>();
let made = 0;

const call = async (tool: string, input: object, as?: string) => {
  const response = await service.directory.post(`/api/tools/${tool}`, input, as);
  return (await response.json()) as Json & { readonly rating_id: string; readonly group: string };
};
const now = () => service.directory.context.clock().toISOString();
const rate = async (handle: string, as: string, outcome = 'failed', change: object = {}) => {
  service.directory.wait(1);
  const sent = { handle, outcome, interaction_id: `source-${made++}`, interaction_at: now(), ...change };
  const rated = await call('submit_rating', { protocol: 'mcp', relationship: 'none', ...sent }, as);
  return {
    ...rated,
    interaction: { interaction_id: sent.interaction_id, interaction_at: sent.interaction_at },
  };
};

async function claimByDomain(handle: string): Promise<string> {
  const domain = handle.split('/')[0]?.toLowerCase().split('.').toReversed().join('.');
  const { challenge, capability } = await service.ask(handle, { method: 'dns' });
  lines.set(handle, challenge);
  service.setTxt(`_dossier-challenge.${domain}`, challenge);
  expect([handle, (await service.ask(handle, { method: 'dns' })).status]).toEqual([handle, 'claimed']);
  return capability;
}
async function claimByRepository(handle: string, path: string): Promise<string> {
  const repository = service.git.createRepository(path);
  repositories.set(path, repository);
  repository.commit({ 'README.md': handle });
  const { file_contents, capability } = await service.claim(handle);
  repository.commit({ 'dossier-claim.txt': String(file_contents) });
  expect([handle, (await service.claim(handle)).status]).toEqual([handle, 'claimed']);
  return capability;
}

/** Listings by the domain of their namespace, and by a repository. */
const byDomain = [
  'page.codeberg.dave/a',
  'com.one/a',
  'com.one.www/a',
  'com.one.api.eu/a',
  'uk.co.first/a',
  'uk.co.second/a',
  'com.blogspot.x/a',
  'com.blogspot.y/a',
  'page.codeberg.carol/a',
  'page.codeberg.dave.www/a',
  'net.five/a',
  'net.six/a',
  'net.seven/a',
  'net.eight/a',
  'net.nine/a',
  'com.one-more/a',
  'run.modal.a/a',
  'run.modal.b.c/a',
];
const byRepository: Readonly<Record<string, string>> = {
  'org.erin/a': 'Erin/a',
  'org.erin/b': 'erin/b',
  'io.github.erin/c': 'erin/c',

  'org.frank/a': 'frank/a',
};
const capabilities = new Map<string, string>();
const as = (handle: string) => String(capabilities.get(handle));
const subjects = Array.from({ length: 30 }, (_, at) => `org.subject${at}/s`);
let taken = 0;
const nextSubject = () => String(subjects[taken++]);

beforeAll(async () => {
  service = await openDomainDirectory(
    [
      ...[...byDomain, ...subjects].map((handle) => registryEntry(handle)),
      ...Object.entries(byRepository).map(([handle, path]) => registryEntry(handle, onGitHub(path))),
    ],
    [],
  );
  for (const handle of byDomain) capabilities.set(handle, await claimByDomain(handle));
  for (const [handle, path] of Object.entries(byRepository))
    capabilities.set(handle, await claimByRepository(handle, path));
  service.directory.wait(8 * day_s);
}, 240_000);
afterAll(() => service.close());

interface Native {
  readonly independent: { readonly ratings: number; readonly sources: number };
  readonly statement: string;
}
const nativeOf = async (handle: string) =>
  ((await documentOf(service.directory, handle)).signals as unknown as { native: Native }).native;
/** What the criteria say of a listing: five sources, and that most succeeded. */
async function judge(handle: string): Promise<string[]> {
  const answer = await call('compare_agents', {
    handles: [handle, 'net.five/a'],
    criteria: [
      { criterion: 'independent_sources_at_least', value: 5 },
      { criterion: 'succeeded_percent_at_least', value: 60 },
    ],
  });
  return Object.values(comparedOf(answer)[0]?.native ?? {});
}

describe('what is counted as a source', () => {
  it.each([
    ['names below one domain', ['com.one/a', 'com.one.www/a', 'com.one.api.eu/a'], 1],
    ['domains of names that are alike', ['com.one/a', 'com.one-more/a'], 2],
    ['domains below a suffix of two labels', ['uk.co.first/a', 'uk.co.second/a'], 2],
    ['blogs of one service', ['com.blogspot.x/a', 'com.blogspot.y/a'], 1],
    ['hosts of a service that is on no public list', ['run.modal.a/a', 'run.modal.b.c/a'], 1],
    ['repositories of one account, in other capitals', ['org.erin/a', 'org.erin/b', 'io.github.erin/c'], 1],
    ['the pages of an account and a name below', ['page.codeberg.dave/a', 'page.codeberg.dave.www/a'], 1],
    ['pages of two accounts', ['page.codeberg.carol/a', 'page.codeberg.dave/a'], 2],
  ] as const)('%s: %j are %i', async (_, sources, count) => {
    const handle = nextSubject();
    for (const source of sources)
      expect(await rate(handle, as(source))).toMatchObject({ group: 'independent' });
    const { independent, statement } = await nativeOf(handle);
    expect([independent.ratings, independent.sources]).toEqual([sources.length, count]);
    expect(statement).toMatch(new RegExp(`^${count} independent source`));
  });

  it('is one whatever it rates, amends, withdraws and rates again', async () => {
    const handle = nextSubject();
    const first = await rate(handle, as('net.five/a'));
    await rate(handle, as('net.five/a'));
    const amended = await rate(handle, as('net.five/a'), 'succeeded', {
      ...first.interaction,
      supersedes: first.rating_id,
    });
    await call('withdraw_rating', { rating_id: amended.rating_id }, as('net.five/a'));
    await rate(handle, as('net.five/a'), 'failed', first.interaction);
    expect((await nativeOf(handle)).independent).toMatchObject({ ratings: 2, sources: 1 });
  });

  it('is one with all the capabilities of a listing', async () => {
    const handle = nextSubject();
    const domain = '_dossier-challenge.nine.net';
    const known = as('net.nine/a');
    const next = await service.ask('net.nine/a', { method: 'dns', rotate: true }, known);
    service.setTxt(domain, String(lines.get('net.nine/a')), next.challenge);
    expect(await service.ask('net.nine/a', { method: 'dns' })).toMatchObject({ status: 'claimed' });
    for (const capability of [known, next.capability]) await rate(handle, capability);
    expect((await nativeOf(handle)).independent).toMatchObject({ ratings: 2, sources: 1 });
  });
});

describe('a share', () => {
  const five = ['net.five/a', 'net.six/a', 'net.seven/a', 'net.eight/a', 'uk.co.first/a'];

  it('is unknown of many ratings of four sources, and known of five', async () => {
    const handle = nextSubject();
    for (const source of five.slice(1))
      for (let time = 0; time < 3; time += 1) await rate(handle, as(source), 'succeeded');
    expect(await judge(handle)).toEqual(['not_met', 'unknown']);
    await rate(handle, as('net.five/a'), 'succeeded');
    expect(await judge(handle)).toEqual(['met', 'met']);
  });

  it('has the newest word of each source, however often another one was said', async () => {
    const handle = nextSubject();
    for (const source of five) await rate(handle, as(source), 'succeeded');
    for (const source of five.slice(0, 3)) await rate(handle, as(source), 'failed');
    expect(await judge(handle)).toEqual(['met', 'not_met']);
    for (let time = 0; time < 4; time += 1) await rate(handle, as('uk.co.first/a'), 'succeeded');
    expect(await judge(handle)).toEqual(['met', 'not_met']);
  });

  it('is what it was once the newest word is withdrawn', async () => {
    const handle = nextSubject();
    for (const source of five) await rate(handle, as(source), 'succeeded');
    const last = [];
    for (const source of five.slice(0, 3))
      last.push([source, await rate(handle, as(source), 'failed')] as const);
    expect(await judge(handle)).toEqual(['met', 'not_met']);
    for (const [source, { rating_id }] of last) await call('withdraw_rating', { rating_id }, as(source));
    expect(await judge(handle)).toEqual(['met', 'met']);
  });

  it('has no word of a source whose claim ended, nor of a new claim of it for seven days', async () => {
    const handle = nextSubject();
    for (const source of [...five.slice(1), 'org.frank/a']) await rate(handle, as(source), 'succeeded');
    expect(await judge(handle)).toEqual(['met', 'met']);
    const repository = repositories.get('frank/a') as Repository;
    repository.commit({ 'dossier-claim.txt': null });
    await service.claimTwice('org.frank/a');
    const next = await service.claim('org.frank/a');
    repository.commit({ 'dossier-claim.txt': next.challenge });
    await service.claim('org.frank/a');
    await rate(handle, next.capability, 'succeeded');
    expect(await judge(handle)).toEqual(['not_met', 'unknown']);
    service.directory.wait(8 * day_s);
    expect(await judge(handle)).toEqual(['met', 'met']);
    expect((await nativeOf(handle)).independent).toMatchObject({ ratings: 5, sources: 5 });
  });
});

it('the audit counts the same', async () => {
  expect(await service.directory.audit()).toEqual([]);
});
