import { beforeEach, describe, expect, test } from 'vitest';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { serverFailure } from '../support/endpoints/dns-server.ts';
import { registryEntry } from '../support/entries.ts';
import { file, recorded, wellKnown } from './domain-directory.ts';
import { openEach, reopen } from './open-each.ts';

const handle = 'com.example.api/tool';
const both = 'com.example.api/both';
const ofAccount = 'io.github.alice/tool';
const line = `optout ${handle}`;
const name = '_dossier-challenge.api.example.com';
const day_s = 86_400;
const directory = openEach(
  [registryEntry(handle), recorded(both, 'corp/both'), registryEntry(ofAccount)],
  ['example.com', 'api.example.com'],
);

const pageStatus = async (of = handle) => (await directory.get(`/agents/${of}`)).status;
const events = () => directory.directory.store.claims.history(handle);

describe('a line on the web server of the domain', () => {
  const serve = (text: string | undefined) =>
    text === undefined ? directory.web.files.delete(wellKnown) : directory.web.files.set(wellKnown, text);
  const ask = (input = {}, as?: string) => directory.ask(handle, { method: 'well_known', ...input }, as);

  test('withdraws a listing that was never claimed after two checks a day apart, until it is gone', async () => {
    serve(`${line}\n`);
    const first = await ask();
    expect(first).toMatchObject({ status: 'not_proven', reason: 'no_challenge_in_file' });
    expect(first.message).toMatch(/The line "optout com\.example\.api\/tool" was read on 20\d\d-\d\d-\d\d\./);
    directory.directory.wait(0.9 * day_s);
    await ask();
    expect(await pageStatus()).toBe(200);
    expect(await directory.recheck()).toBe(1);
    expect(await pageStatus()).toBe(410);
    expect(await ask()).toMatchObject({
      status: 'opted_out',
      message: expect.stringMatching(
        /^The line "optout \S+" was read on \d{4}-\d\d-\d\d, and the listing is withdrawn\. It is listed again when /,
      ),
    });
    serve(undefined);
    expect(await directory.recheck()).toBe(1);
    expect(await pageStatus()).toBe(410);
    serve(line);
    expect(await directory.recheck()).toBe(1);
    // One answer of 404 that a stranger waited for publishes nothing again.
    directory.web.fault = (_, response) => response.writeHead(404).end();
    await ask();
    directory.web.fault = undefined;
    await ask();
    serve(undefined);
    await ask();
    expect(await pageStatus()).toBe(410);
    expect(await directory.recheck()).toBe(1);
    expect(await pageStatus()).toBe(200);
    expect(await events()).toMatchObject([
      { type: 'listing_withdrawn', kind: 'well_known', domain: 'api.example.com', reason: 'optout' },
      { type: 'listing_restored', kind: 'well_known', domain: 'api.example.com', reason: 'optout_removed' },
    ]);
  });

  test('of a claimed listing may stay for months: the claim comes back by a line that was there all the time', async () => {
    const { challenge, capability } = await directory.claimBy('well_known', handle);
    const removed = await ask({ rotate: true }, capability);
    serve(`${challenge}\n${removed.challenge}\n`);
    await ask();
    serve(`${challenge}\n${line}\n`);
    await ask({}, capability);
    for (let pass = 0; pass < 32; pass += 1) await directory.recheck();
    serve(`${challenge}\n${removed.challenge}\n`);
    expect(await ask()).toMatchObject({ status: 'claimed', changed: 'restored' });
    expect(await directory.standing(capability)).toBe('200');
    expect(await directory.standing(removed.capability)).toBe('capability_lapsed');
  });

  test('stays in force while the server fails, while other places have nothing, and through an import', async () => {
    const { challenge, capability } = await directory.claimBy('well_known', handle);
    serve(`${challenge}\n${line}\n`);
    await ask({}, capability);
    for (const method of ['dns', 'registry_key'])
      expect(await directory.ask(handle, { method })).toMatchObject({ status: 410 });
    expect(await directory.ask(handle, {})).toMatchObject({ status: 'opted_out' });
    await directory.directory.importEntries([
      registryEntry(handle, { description: 'Newer.', version: '2.0.0' }),
    ]);
    for (const status of [503, 302, 429]) {
      directory.web.fault = (_request, response) => response.writeHead(status).end();
      await directory.recheck();
      expect(await pageStatus()).toBe(410);
    }
    directory.web.fault = undefined;
    serve('nothing of ours');
    await directory.recheck();
    expect((await directory.get(`/agents/${handle}`)).body).toContain('Newer.');
  });
});

describe('a TXT record of the domain', () => {
  const ask = (as?: string) => directory.ask(handle, { method: 'dns' }, as);

  test('withdraws a claimed listing at once; only servers that agree on its absence restore it', async () => {
    const { challenge, capability } = await directory.claimBy('dns', handle);
    directory.dns[0].zone.set(name, [challenge, line]);
    expect(await ask(capability)).toMatchObject({ status: 'claimed' });
    directory.setTxt(name, challenge, line);
    expect(await ask(capability)).toMatchObject({ status: 'opted_out' });
    directory.dns[1].zone.set(name, [challenge]);
    expect(await ask()).toMatchObject({ status: 'opted_out' });
    directory.dns[1].zone.set(name, serverFailure);
    expect(await ask()).toMatchObject({ status: 'opted_out' });
    directory.setTxt(name, challenge);
    expect(await ask()).toMatchObject({ status: 'claimed', changed: 'restored' });
    expect(await pageStatus()).toBe(200);
  });

  test('counts at a domain above that of the namespace too, beside a record below it', async () => {
    directory.setTxt('_dossier-challenge.example.com', line);
    directory.setTxt(name, 'dossier-claim-v1.something-else');
    await ask();
    await directory.recheck();
    expect(await pageStatus()).toBe(410);
    directory.setTxt('_dossier-challenge.example.com');
    await directory.recheck();
    expect(await pageStatus()).toBe(410);
    await directory.recheck();
    expect(await pageStatus()).toBe(200);
  });
});

describe('while the listing is claimed by a domain above that of its namespace', () => {
  const above = '_dossier-challenge.example.com';
  const ask = (as?: string) => directory.ask(handle, { method: 'dns' }, as);
  let challenge: string;
  let capability: string;
  beforeEach(async () => {
    ({ challenge, capability } = await ask());
    directory.setTxt(above, challenge);
    expect(await ask()).toMatchObject({ status: 'claimed', check: { domain: 'example.com' } });
  });

  test('a line of the domain below it withdraws nothing, and its own line does at once', async () => {
    directory.setTxt(name, line, 'dossier-claim-v1.something-else');
    expect(await ask()).toMatchObject({ status: 'claimed' });
    await directory.recheck();
    expect(await pageStatus()).toBe(200);
    directory.setTxt(above, challenge, line);
    expect(await ask(capability)).toMatchObject({ status: 'opted_out' });
  });

  test('nothing that the domain below it answers keeps the claim or its line from being read', async () => {
    const many = Array.from(
      { length: 90 },
      (_, at) => `optout com.example.api/${`${at}`.padStart(180, 'x')}`,
    );
    directory.setTxt(name, ...many);
    expect(await ask()).toMatchObject({ status: 'claimed', check: { result: 'proven', pinned: true } });
    directory.dns[0].zone.set(name, serverFailure);
    expect(await ask()).toMatchObject({ status: 'claimed', check: { result: 'proven', pinned: true } });
    directory.setTxt(above, challenge, line);
    directory.dns[0].zone.set(name, serverFailure);
    expect(await ask(capability)).toMatchObject({ status: 'opted_out' });
  });
});

describe('while it is opted out by a domain above that of its namespace, which claimed it', () => {
  const above = '_dossier-challenge.example.com';
  const ask = (as?: string) => directory.ask(handle, { method: 'dns' }, as);

  test('a claim line of the domain below it neither ends that claim nor begins another', async () => {
    const { challenge, capability } = await ask();
    directory.setTxt(above, challenge);
    await ask();
    const below = await directory.ask(handle, { method: 'dns', rotate: true });
    directory.setTxt(above, challenge, line);
    expect(await ask(capability)).toMatchObject({ status: 'opted_out' });
    directory.setTxt(name, below.challenge);
    for (let day = 0; day < 3; day++) await directory.recheck();
    directory.setTxt(above, challenge);
    await directory.recheck();
    await ask();
    expect(await directory.history(handle)).toEqual([
      'activated dns:example.com 0',
      'suspended withdrawn dns:example.com 0',
      'listing_withdrawn optout dns:example.com 0',
      'listing_restored optout_removed dns:example.com 0',
      'restored dns:example.com 0',
    ]);
    expect(await directory.standing(capability)).toBe('200');
  });
});

describe('while the listing is claimed by the domain of its namespace', () => {
  const ask = (as?: string) => directory.ask(handle, { method: 'dns' }, as);
  const above = '_dossier-challenge.example.com';

  test('a line of the domain above it is contested, and withdraws once the claim has ended', async () => {
    const { capability } = await directory.claimBy('dns', handle);
    directory.setTxt(above, line);
    for (let day = 0; day < 3; day++) {
      expect(await ask()).toMatchObject({ status: 'claimed' });
      expect(await ask(capability)).toMatchObject({ status: 'claimed' });
      await directory.recheck();
    }
    expect((await directory.directory.store.figures.counts()).contested_opt_outs).toBe(1);
    expect(await directory.history(handle)).toEqual(['activated dns:api.example.com 0']);
    directory.setTxt(name);
    for (let day = 0; day < 2; day++) await directory.recheck();
    expect([await pageStatus(), await directory.standing(capability)]).toEqual([200, 'capability_suspended']);
    for (let day = 0; day < 2; day++) await directory.recheck();
    expect(await pageStatus()).toBe(410);
    expect(await events()).toMatchObject([
      { type: 'activated', domain: 'api.example.com' },
      { type: 'suspended', reason: 'proof_missing', root: 'dns:api.example.com' },
      { type: 'listing_withdrawn', domain: 'example.com' },
    ]);
    expect((await events()).at(-1)?.root).toBeUndefined();
    expect(await directory.directory.audit()).toEqual([]);
  });

  test('its own line is told from that of the domain above, and each is taken back by itself', async () => {
    const { challenge, capability } = await directory.claimBy('dns', handle);
    directory.setTxt(above, line);
    directory.setTxt(name, challenge, line);
    expect(await ask(capability)).toMatchObject({ status: 'opted_out' });
    directory.setTxt(above);
    expect(await ask()).toMatchObject({ status: 'opted_out' });
    directory.setTxt(name, challenge);
    expect(await ask()).toMatchObject({ status: 'claimed', changed: 'restored' });
    expect((await directory.history(handle)).slice(1)).toEqual([
      'suspended withdrawn dns:api.example.com 0',
      'listing_withdrawn optout dns:api.example.com 0',
      'listing_restored optout_removed dns:api.example.com 0',
      'restored dns:api.example.com 0',
    ]);
  });
});

describe('a line that waits for its second check', () => {
  const ask = (method: string) => directory.ask(both, { method });

  test('does not keep another place from withdrawing once its repository is no longer recorded', async () => {
    const repository = directory.git.createRepository('corp/both');
    repository.commit({ [file]: `optout ${both}\n` });
    await ask('repository');
    await directory.directory.importEntries([registryEntry(both, { version: '2.0.0' })]);
    directory.web.files.set(wellKnown, `optout ${both}\n`);
    await directory.recheck();
    await directory.recheck();
    expect((await ask('well_known')).message).toContain('was read on');
    await directory.recheck();
    expect(await pageStatus(both)).toBe(410);
  });

  test('does not keep another place from withdrawing while its own host does not answer', async () => {
    const repository = directory.git.createRepository('corp/both');
    repository.commit({ [file]: `optout ${both}\n` });
    await ask('repository');
    directory.git.fault = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    directory.web.files.set(wellKnown, `optout ${both}\n`);
    expect((await ask('well_known')).message).toContain('was read on');
    await directory.recheck();
    expect(await pageStatus(both)).toBe(410);
  });
});

test('a line in the profile repository of the account withdraws its listing', async () => {
  const profile = directory.git.createRepository('alice/alice');
  profile.commit({ [file]: `optout ${ofAccount}\n` });
  const ask = () => directory.ask(ofAccount, { method: 'profile_repository' });
  expect(await ask()).toMatchObject({ status: 'not_proven' });
  await directory.recheck();
  expect(await pageStatus(ofAccount)).toBe(410);
  profile.commit({ [file]: null });
  await directory.recheck();
  expect(await pageStatus(ofAccount)).toBe(410);
  await directory.recheck();
  expect(await pageStatus(ofAccount)).toBe(200);
});

test('while the listing is claimed by another account or domain, a line of its domain counts for nothing', async () => {
  const { repository } = await directory.claimIn('corp/both', both);
  directory.web.files.set(wellKnown, `optout ${both}\n`);
  const ask = () => directory.ask(both, { method: 'well_known' });
  await ask();
  await directory.recheck();
  expect(await ask()).toMatchObject({ status: 'not_proven' });
  expect(await pageStatus(both)).toBe(200);
  repository.commit({ [file]: null });
  await directory.askTwice(both, { method: 'repository' });
  await ask();
  expect(await pageStatus(both)).toBe(200);
  await directory.recheck();
  expect(await pageStatus(both)).toBe(410);
  repository.commit({ 'README.md': 'nothing to say about it' });
  expect(await directory.ask(both, { method: 'repository' })).toMatchObject({ status: 410 });
});

test('while the domain has claimed the listing, a line in its recorded repository is only shown to the operator', async () => {
  const settings = { DATABASE_URL: await createSharedDatabase() };
  await reopen(directory, [recorded(both, 'corp/both')], ['api.example.com'], settings);
  const { challenge, capability } = await directory.claimBy('dns', both);
  const repository = directory.git.createRepository('corp/both');
  repository.commit({ [file]: `optout ${both}\n` });
  await directory.ask(both, { method: 'repository' });
  for (let day = 0; day < 3; day++) await directory.recheck();
  expect([await pageStatus(both), await directory.standing(capability)]).toEqual([200, '200']);
  const doctor = async () => {
    const { stdout } = await runDossier(['doctor'], { ...settings, REGISTRY_URL: 'off', LOG_LEVEL: 'error' });
    return /^(.*) claims: (.*)$/m
      .exec(stdout)
      ?.slice(1)
      .map((text) => text.trim());
  };
  const today = expect.stringMatching(
    /^there is an opt-out line of somebody who does not hold the claim: com\.example\.api\/both \(at https:\/\/github\.com\/corp\/both since \d{4}-\d\d-\d\d\)$/,
  );
  expect(await doctor()).toEqual(['warning', today]);
  expect((await directory.directory.store.figures.counts()).contested_opt_outs).toBe(1);

  directory.setTxt(name, challenge, `optout ${both}`);
  expect(await directory.ask(both, { method: 'dns' }, capability)).toMatchObject({ status: 'opted_out' });
  directory.setTxt(name, 'dossier-claim-v1.none');
  await directory.recheck();
  expect(await pageStatus(both)).toBe(200);

  await directory.ask(both, { method: 'repository' });
  expect(await pageStatus(both)).toBe(200);
  // A claim that only an opt-out suspended stands until two checks have found its line gone.
  await directory.recheck();
  expect(await pageStatus(both)).toBe(200);
  for (let day = 0; day < 2; day++) await directory.recheck();
  expect(await pageStatus(both)).toBe(410);
});
