import { describe, expect, it } from 'vitest';
import { file, recorded, wellKnown } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const tool = 'com.example/tool';
const server = 'io.github.alice/a';
const rated = 'io.github.bob/b';
const name = '_dossier-challenge.example.com';

const service = openEach(
  [
    recorded(tool, 'alice/tool'),
    recorded(server, 'alice/a'),
    recorded('io.github.alice/second', 'alice/a'),
    recorded(rated, 'bob/b'),
  ],
  ['example.com'],
);

const byDns = (input: object = {}, as?: string) => service.ask(tool, { method: 'dns', ...input }, as);
const byFile = (input: object = {}, as?: string) => service.ask(tool, { method: 'well_known', ...input }, as);
async function call(action: string, input: object, as: string): Promise<string> {
  const { code, rating_id, status } = await service.post(`/api/tools/${action}`, input, as);
  return String(code ?? rating_id ?? status);
}
/** Somebody else has the name, and a copy of all that was public. */
function takeName(path: string, text: string) {
  service.git.removeRepository(path);
  const repository = service.git.createRepository(path);
  repository.commit({ [file]: text });
  return repository;
}

describe('while a listing is opted out', () => {
  it('elsewhere, the place of the claim is checked too: a co-signed line alone begins a new claim once its line was gone', async () => {
    const { challenge, capability } = await service.claimBy('dns', tool);
    const next = await byDns({ rotate: true }, capability);
    service.web.files.set(wellKnown, `${challenge}\noptout ${tool}\n`);
    expect(await byFile({}, capability)).toMatchObject({ status: 'opted_out' });
    service.setTxt(name);
    await service.recheck();
    await service.recheck();
    service.setTxt(name, next.challenge);
    service.web.files.set(wellKnown, 'nothing of ours');
    await byFile();
    expect(await byDns()).toMatchObject({ status: 'claimed', changed: 'activated' });
    expect(await service.held(tool)).toBe('claimed dns:example.com 1');
  });

  it('elsewhere, a line of the claim that stays keeps it, and restores nothing before the opt-out ends', async () => {
    const { challenge, capability } = await service.claimBy('dns', tool);
    service.web.files.set(wellKnown, `${challenge}\noptout ${tool}\n`);
    await byFile({}, capability);
    for (let pass = 0; pass < 3; pass += 1) await service.recheck();
    expect([await service.held(tool), (await service.get(`/agents/${tool}`)).status]).toEqual([
      'suspended dns:example.com 0',
      410,
    ]);
    service.web.files.set(wellKnown, 'nothing of ours');
    await byFile();
    expect(await byDns()).toMatchObject({ status: 'claimed', changed: 'restored' });
    expect(await service.held(tool)).toBe('claimed dns:example.com 0');
  });

  it.each([
    ['with the line that opts out', (secret: string) => [`optout ${server}\n${secret}\n`]],
    ['after it', (secret: string) => [`optout ${server}\n`, `optout ${server}\n${secret}\n`]],
  ])('a capability that is published %s is ended', async (_, texts) => {
    const { repository, issued } = await service.claimIn('alice/a', server);
    for (const text of texts(issued.capability)) {
      repository.commit({ [file]: `${issued.challenge}\n${text}` });
      expect(await service.claim(server, {}, issued.capability)).toMatchObject({ status: 'opted_out' });
    }
    repository.commit({ [file]: issued.challenge });
    await service.claim(server);
    expect(await service.standing(issued.capability)).toBe('capability_revoked');
  });

  it('whoever took the name of its repository begins a new claim', async () => {
    const { repository, issued } = await service.claimIn('alice/a', server);
    const rating_id = (await service.rate(rated, issued.capability)).rating_id;
    repository.commit({ [file]: `${issued.challenge}\noptout ${server}\n` });
    await service.claim(server, {}, issued.capability);
    service.git.removeRepository('alice/a');
    await service.recheck();
    await service.recheck();
    takeName('alice/a', issued.challenge);
    await service.claim(server);
    const mallory = await service.claim(server, { rotate: true });
    takeName('alice/a', `${issued.challenge}\n${mallory.challenge}\n`);
    await service.claim(server);
    expect(await service.held(server)).toBe('claimed github.com/alice 1');
    expect(await call('withdraw_rating', { rating_id }, mallory.capability)).toBe('rating_not_yours');
  });
});

describe('whoever is not the holder', () => {
  it('gets nothing by a record that names a copy of the repository, nor the holder by its return', async () => {
    const { issued } = await service.claimIn('alice/a', server);
    const rating_id = (await service.rate(rated, issued.capability)).rating_id;
    await service.directory.importEntries([recorded(server, 'mallory/a', { version: '2.0.0' })]);
    const copy = service.git.createRepository('mallory/a');
    const mallory = await service.claim(server, {}, issued.capability);
    copy.commit({ [file]: `${issued.challenge}\n${mallory.challenge}\n` });
    expect(await service.claim(server)).toMatchObject({ changed: 'activated' });
    expect(await service.held(server)).toBe('claimed github.com/mallory 0');
    expect(await call('withdraw_rating', { rating_id }, mallory.capability)).toBe('rating_not_yours');
    expect(await service.standing(issued.capability)).toBe('capability_revoked');
    await service.directory.importEntries([recorded(server, 'alice/a', { version: '3.0.0' })]);
    expect(await service.claim(server)).toMatchObject({ status: 'not_proven', reason: 'reused' });
    expect(await service.standing(mallory.capability)).toBe('capability_repository_changed');
  });

  it('gets nothing by a name that was free while the record named another repository', async () => {
    const { issued } = await service.claimIn('alice/a', server);
    const rating_id = (await service.rate(rated, issued.capability)).rating_id;
    await service.directory.importEntries([recorded(server, 'alice/other', { version: '2.0.0' })]);
    await service.recheck(20);
    await service.directory.importEntries([recorded(server, 'alice/a', { version: '3.0.0' })]);
    const mallory = await service.claim(server, { rotate: true });
    const taken = takeName('alice/a', `${issued.challenge}\n${mallory.challenge}\n`);
    await service.claim(server);
    expect(await call('withdraw_rating', { rating_id }, mallory.capability)).toBe('capability_waiting');
    taken.commit({ [file]: mallory.challenge });
    await service.claimTwice(server);
    expect(await service.held(server)).toBe('claimed github.com/alice 1');
    expect(await call('withdraw_rating', { rating_id }, mallory.capability)).toBe('rating_not_yours');
  });

  it('responds to no rating that the listing received before', async () => {
    const { repository, issued } = await service.claimIn('alice/a', server);
    const bob = await service.claimIn('bob/b', rated);
    const rating_id = (await service.rate(server, bob.issued.capability)).rating_id;
    repository.commit({ [file]: null });
    await service.claimTwice(server);
    const mallory = await service.claim(server);
    repository.commit({ [file]: mallory.challenge });
    await service.claim(server);
    for (const as of [issued.capability, mallory.capability])
      expect(await call('respond_to_rating', { rating_id, text: 'It was fixed.' }, as)).toMatch(
        /^(capability_revoked|rating_not_yours)$/,
      );
    const sent = { rating_id, text: 'It was fixed.' };
    const { detail } = await service.post('/api/tools/respond_to_rating', sent, mallory.capability);
    expect(detail).toContain(
      'When the rating was made, this listing had a different claim, by github.com/alice; only that claim can respond.',
    );
  });

  it.each(['optout', 'nothing'])(
    'co-signs with no capability that was ended (the file says %s)',
    async (says) => {
      const { repository, issued } = await service.claimIn('alice/a', server);
      const revoke = { method: 'POST', headers: { authorization: `Bearer ${issued.capability}` } };
      if (says === 'optout') {
        repository.commit({ [file]: `${issued.challenge}\noptout ${server}\n` });
        await service.claim(server, {}, issued.capability);
      }
      expect((await service.directory.app.request('/api/capability/revoke', revoke)).status).toBe(200);
      repository.commit({ [file]: 'nothing' });
      await service.claim(server);
      const next = await service.claim(server, { rotate: true }, issued.capability);
      repository.commit({ [file]: next.challenge });
      expect(await service.claim(server)).toMatchObject({ changed: 'activated' });
      expect(await service.held(server)).toBe('claimed github.com/alice 1');
    },
  );

  it.each([
    ['an emptied repository', () => ''],
    ['another history', (challenge: string) => challenge],
  ])('gets nothing by %s', async (_, text) => {
    const { issued } = await service.claimIn('alice/a', server);
    service.git.removeRepository('alice/a');
    service.git.createRepository('alice/a');
    await service.claimTwice(server);
    takeName('alice/a', `${text(issued.challenge)}\n`);
    expect(await service.claim(server)).toMatchObject({ status: 'not_proven' });
    expect(await service.held(server)).toBe('suspended github.com/alice 0');
  });
});

it.each([
  ['that was read before the domain claimed', 0],
  ['while the records of the domain are gone for a moment', 1],
])('an opt-out line of a repository takes down no listing %s', async (_, gaps) => {
  const repository = service.git.createRepository('alice/tool');
  repository.commit({ [file]: `optout ${tool}\n` });
  await service.claim(tool);
  const { challenge } = await service.claimBy('dns', tool);
  service.directory.wait(2 * 86_400);
  await service.claim(tool);
  if (gaps > 0) {
    service.setTxt(name);
    await byDns();
    await service.claim(tool);
    service.setTxt(name, challenge);
    await byDns();
  }
  await service.recheck();
  await service.claim(tool);
  expect([(await service.get(`/agents/${tool}`)).status, await service.held(tool)]).toEqual([
    200,
    'claimed dns:example.com 0',
  ]);
});
