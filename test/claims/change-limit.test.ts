import { expect, test } from 'vitest';
import { file, recorded } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const handle = 'co.webhook/webhook';
const service = openEach([recorded(handle, 'alice/a')], [], {
  LIMITS: 'on',
  LIMIT_OVERRIDES: 'claim_change=3/1d',
});

const entries = () => service.directory.store.log.size();
async function claimWithTwoLines() {
  const { repository, issued: first } = await service.claimIn('alice/a', handle);
  const second = await service.claim(handle, { rotate: true }, first.capability);
  const both = `${first.challenge}\n${second.challenge}\n`;
  repository.commit({ [file]: both });
  expect(await service.claim(handle)).toMatchObject({ changed: 'rotated' });
  return { repository, first, both };
}

test('lines that come and go add a bounded number of entries a day; a re-check still takes away what is gone', async () => {
  const { repository, first, both } = await claimWithTwoLines();
  const lines = [both];
  const addLine = async () => {
    lines.push((await service.claim(handle, { rotate: true }, first.capability)).challenge);
    repository.commit({ [file]: lines.join('\n') });
  };
  await addLine();
  expect(await service.claim(handle)).toMatchObject({ changed: 'rotated' });
  const before = await entries();
  await addLine();
  for (let turn = 0; turn < 3; turn++)
    expect(await service.claim(handle)).toMatchObject({
      code: 'rate_limited',
      retry_after_s: expect.any(Number),
    });
  expect(await entries()).toBe(before);
  service.directory.wait(8 * 3600);
  expect(await service.claim(handle)).toMatchObject({ changed: 'rotated' });
  repository.commit({ [file]: first.challenge });
  for (let pass = 0; pass < 2; pass++) await service.recheck();
  expect(await service.claim(handle)).toMatchObject({
    changed: 'none',
    capabilities: [{ id: first.capability_id }],
  });
});

test('so does an opt-out that its holder puts there and takes away', async () => {
  const { repository, first, both } = await claimWithTwoLines();
  repository.commit({ [file]: `${both}optout ${handle}\n` });
  expect(await service.claim(handle, {}, first.capability)).toMatchObject({ status: 'opted_out' });
  const before = await entries();
  repository.commit({ [file]: both });
  expect(await service.claim(handle)).toMatchObject({ code: 'rate_limited' });
  expect(await entries()).toBe(before);
  service.directory.wait(8 * 3600);
  expect(await service.claim(handle)).toMatchObject({ changed: 'restored' });
  repository.commit({ [file]: `${both}optout ${handle}\n` });
  expect(await service.claim(handle, {}, first.capability)).toMatchObject({ code: 'rate_limited' });
});
