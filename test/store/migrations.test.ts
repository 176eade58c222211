import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { queryDatabase } from '../support/nodes.ts';
import { listingRow } from './rows.ts';

const proof = {
  kind: 'namespace_proof',
  value: 'domain',
  source: 'registry',
  observed_at: '2026-01-01T00:00:00.000Z',
  method_version: 'import/1',
  state: 'observed',
} as const;

/** A database as the version before left it. */
const asBefore0005 = [
  'drop table if exists written',
  'drop table if exists listing_search_word',
  'drop table publisher_count',
  'create index listing_published on listing (published_at, id)',
  'create index listing_namespace on listing (namespace, withdrawn)',
  `update imported_signal set signals = '${JSON.stringify([proof])}'`,
  `delete from kysely_migration where name >= '0005'`,
];

it('a database of the version before says the same of a listing as it did', async () => {
  const databaseUrl = await createSharedDatabase(mkdtempSync(join(tmpdir(), 'dossier-migrations-')));
  const before = await openDatabase(databaseUrl);
  await before.write(async (tx) => {
    await tx.listings.putListings([
      listingRow('a/one', 1),
      listingRow('a/two', 2),
      { ...listingRow('a/gone', 3), withdrawn: 'deleted' },
      listingRow('b/one', 4),
    ]);
    await tx.listings.putSignals([{ handle: 'a/one', source: 'registry', signals: [proof] }]);
  });
  await before.close();
  for (const statement of asBefore0005) await queryDatabase(databaseUrl, statement);

  const after = await openDatabase(databaseUrl);
  const facts = await after.listings.facts('a/one');
  expect(facts?.publisherListings).toBe(2);
  expect(facts?.imported).toEqual([proof]);
  expect(await after.listings.completions('namespace', '', 5)).toEqual(['a', 'b']);
  await after.write((tx) => tx.listings.putListings([{ ...listingRow('b/one', 4), withdrawn: 'optout' }]));
  expect(await after.listings.completions('namespace', '', 5)).toEqual(['a']);
  await after.close();
});
