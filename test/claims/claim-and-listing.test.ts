import { expect, test } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { wellKnown } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const handle = 'com.example/tool';
const rated = 'org.rated/service';
const page = `/agents/${handle}`;

const entry = (status: 'active' | 'deleted', second: number) =>
  registryEntry(
    handle,
    { version: '1.0.0' },
    { status, updatedAt: new Date(Date.UTC(2026, 9, 3, 0, 0, second)).toISOString() },
  );
const service = openEach([entry('active', 1), registryEntry(rated)], ['example.com']);

const ask = () => service.ask(handle, { method: 'well_known' });
const shown = async () => [(await service.get(page)).status, (await service.history(handle)).at(-1)];

test('a listing that the registry deletes during a check of its claim gets no claim back by it', async () => {
  const issued = await service.claimBy('well_known', handle);
  const answered = Promise.withResolvers<void>();
  const release = new Promise<() => void>((held) => {
    service.web.fault = (_, response) =>
      held(() => {
        response.setHeader('content-type', 'text/plain').end(issued.challenge);
        answered.resolve();
      });
  });
  const pending = ask();
  const answer = await release;
  await service.directory.importEntries([entry('deleted', 9)]);
  answer();
  await answered.promise;
  expect(await pending).toMatchObject({ code: 'unavailable' });
  expect(await service.standing(issued.capability)).toBe('capability_unlisted');
  expect(await shown()).toEqual([410, 'suspended withdrawn dns:example.com 0']);
  expect(await service.rate(rated, issued.capability)).toMatchObject({
    code: 'capability_unlisted',
    detail: expect.stringMatching(/registry does not list it/),
  });
  expect(await service.directory.audit()).toEqual([]);
});

test('a listing that is opted out and then deleted is not listed again by taking the line away, and its claim neither', async () => {
  const issued = await service.claimBy('well_known', handle);
  service.web.files.set(wellKnown, `${issued.challenge}\noptout ${handle}\n`);
  service.directory.wait(86_400);
  await ask();
  service.directory.wait(86_400);
  await ask();
  expect((await service.get(page)).status).toBe(410);
  expect(await service.rate(rated, issued.capability)).toMatchObject({
    code: 'capability_unlisted',
    detail: expect.stringMatching(
      /^The line "optout [^"]*" was read on .*, and the listing is withdrawn. It is listed again when .* Leave the challenge line in place. Once the listing is shown again, the line restores/,
    ),
  });
  await service.directory.importEntries([entry('deleted', 9)]);
  service.web.files.set(wellKnown, issued.challenge);
  expect(await ask()).toMatchObject({ status: 'opted_out' });
  expect(await service.standing(issued.capability)).toBe('capability_unlisted');
  expect(await shown()).toEqual([410, 'listing_withdrawn optout dns:example.com 0']);
  expect(await service.rate(rated, issued.capability)).toMatchObject({
    code: 'capability_unlisted',
    detail: expect.stringMatching(/registry does not list it/),
  });
  await service.directory.importEntries([entry('active', 19)]);
  expect(await shown()).toEqual([410, 'listing_withdrawn optout dns:example.com 0']);
  expect(await ask()).toMatchObject({ status: 'claimed', changed: 'restored' });
  expect(await shown()).toEqual([200, 'restored dns:example.com 0']);
  expect(await service.directory.audit()).toEqual([]);
});

test('a claim in force on a listing that is gone cannot be written', async () => {
  await service.claimBy('well_known', handle);
  const { store } = service.directory;
  const listing = await store.listings.byHandle(handle);
  if (!listing) throw new Error(handle);
  const gone = { ...listing, withdrawn: 'deleted' } as const;
  const said = 'the claim of com.example/tool is in force, and the listing is not shown';
  await expect(store.write((tx) => tx.listings.putListings([gone]))).rejects.toThrow(said);
  const claimed = await store.claims.claim(handle);
  if (!claimed) throw new Error(handle);
  await service.directory.importEntries([entry('deleted', 9)]);
  await expect(store.write((tx) => tx.claims.putClaim(claimed))).rejects.toThrow(said);
});
