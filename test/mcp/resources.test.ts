import { describe, expect, it } from 'vitest';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { clientKinds, connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const entries = [...seedEntries, registryEntry('tags/webhooks'), registryEntry('tags/Any_Name')];
const directory = await openedDirectory({ entries, environment: { LIMITS: 'off' } });

describe.each(clientKinds)('a listing under the namespace tags, read by %s', (kind) => {
  it('wins over the tag of its name, for a handle is exact; other tags are lists', async () => {
    const client = await opened(connect(kind, { app: directory.app }));
    const read = async (uri: string) => JSON.parse((await client.read(uri))[0]?.text ?? '');
    expect(await read('agent://tags/webhooks')).toMatchObject({ handle: 'tags/webhooks' });
    expect(await read('agent://tags/Any_Name')).toMatchObject({ handle: 'tags/Any_Name' });
    expect(await read('agent://tags/webhooks/ratings')).toMatchObject({ handle: 'tags/webhooks' });
    expect(await read('agent://tags/payments')).toMatchObject({
      listings: [{ handle: 'com.politicalcomms/api' }],
    });
  });

  it('does not win once it is withdrawn', async () => {
    const row = await directory.store.listings.byHandle('tags/webhooks');
    if (!row) throw new Error('there is no such listing');
    await directory.store.write((tx) => tx.listings.putListings([{ ...row, withdrawn: 'deleted' }]));
    const client = await opened(connect(kind, { app: directory.app }));
    const [tag] = await client.read('agent://tags/webhooks');
    expect(JSON.parse(tag?.text ?? '')).toMatchObject({ listings: [{ handle: 'co.webhook/webhook' }] });
    await directory.store.write((tx) => tx.listings.putListings([row]));
  });
});
