import { expect, it } from 'vitest';
import { createObserver } from '../../src/observations/observer.ts';
import { openDirectory } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';

const handle = 'com.example.modern/a';

it('what is seen for the first time is in the log and no change; what differs at the next check is one', async () => {
  const offered = [{ name: 'send', description: 'Sends a message', readOnlyHint: false }];
  const server = await startModernServer(() => offered);
  const directory = await openDirectory({
    entries: [
      registryEntry(handle, {
        remotes: [{ type: 'streamable-http', url: 'https://modern.example.com/mcp' }],
      }),
    ],
    environment: { HOST_OVERRIDES: JSON.stringify({ 'modern.example.com': server.url }) },
  });
  const observer = createObserver(directory.context);
  const observe = async () => {
    const listing = await directory.store.listings.byHandle(handle);
    if (listing) await observer.observe(listing);
    directory.wait(86_400);
  };
  const told = async () => {
    const text = await (await directory.app.request('/changes?since=0')).text();
    const lines = text.split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'observation.changed');
  };
  try {
    await observe();
    expect(await directory.store.log.size()).toBe(1);
    expect(await told()).toEqual([]);
    expect(await (await directory.app.request('/')).text()).not.toContain('observed facts');
    offered.push({ name: 'charge', description: 'Charges a card', readOnlyHint: false });
    await observe();
    expect(await told()).toMatchObject([{ handle, data: { kinds: ['tools.count', 'tools.surface'] } }]);
  } finally {
    await observer.close();
    await directory.close();
    await server.close();
  }
});
