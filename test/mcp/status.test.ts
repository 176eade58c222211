import { expect, it } from 'vitest';
import { statusDocument } from '../../src/document/listing-document.ts';
import { openDirectory } from '../support/directory.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });
await directory.store.write((tx) =>
  tx.imports.quarantine([
    {
      name: 'com.example/broken',
      version: '1.0.0',
      reason: 'name is missing',
      run_id: 1,
      seen_at: '2026-10-02T08:00:00.000Z',
    },
  ]),
);

it('agent://status: what is listed, how fresh it is and what could not be read, as its schema says', async () => {
  const client = await opened(connect('v2', { app: directory.app }));
  const [content] = await client.read('agent://status');
  const status = JSON.parse(content?.text ?? '');
  expect(statusDocument.strict().safeParse(status).error).toBeUndefined();
  const [date] = directory.context.clock().toISOString().split('T');
  expect(status).toMatchObject({
    service: 'Dossier',
    as_of: expect.stringContaining(`${date}T`),
    origin: 'registry.modelcontextprotocol.io (MCP), saved copy',
    listings: { count: 2, by_state: { imported: 2, claimed: 0, suspended: 0 } },
    import: {
      state: 'done',
      newest: { kind: 'full', counts: { rows_seen: 2, listings_new: 2 } },
      last_completed: { kind: 'full', finished_at: expect.stringContaining(`${date}T`) },
      is_retried: false,
      updates_from: 'saved_copy',
    },
    quarantine: {
      records: 1,
      reasons: [{ reason: 'name is missing', records: 1 }],
      newest: [{ name: 'com.example/broken', version: '1.0.0', reason: 'name is missing' }],
    },
    untrusted_fields: ['quarantine.newest'],
  });
});

it('names no registry where none is imported from', async () => {
  const service = await openDirectory({ entries: [], environment: { REGISTRY_URL: 'off' } });
  const client = await opened(connect('v2', { app: service.app }));
  const [content] = await client.read('agent://status');
  await service.close();
  const status = JSON.parse(content?.text ?? '');
  expect(statusDocument.strict().safeParse(status).error).toBeUndefined();
  expect(status.import.updates_from).toBe('nothing');
  expect(status).not.toHaveProperty('origin');
});
