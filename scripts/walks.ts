import { Session } from 'node:inspector/promises';
import { openDomainDirectory } from '../test/claims/domain-directory.ts';
import { openClaimedDirectory } from '../test/support/claimed-directory.ts';
import { openDirectory } from '../test/support/directory.ts';
import { startModernServer } from '../test/support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../test/support/entries.ts';

// Usage: npm run lab walks. Counts the files of src with a function that ran, for four walks through the
// code, by V8's precise coverage. Imports are not counted.
const session = new Session();
session.connect();
await session.post('Profiler.enable');

async function walk<T>(name: string, work: () => Promise<T>): Promise<T> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  const done = await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const ran = result
    .filter(({ url }) => url.includes('/src/') && !url.includes('/node_modules/'))
    .map(({ url, functions }) => ({
      url,
      functions: functions.filter(({ functionName, ranges }) => functionName && (ranges[0]?.count ?? 0) > 0),
    }))
    .filter(({ functions }) => functions.length > 0);
  const functions = ran.reduce((sum, one) => sum + one.functions.length, 0);
  process.stdout.write(`${name}: ${ran.length} files, ${functions} functions\n`);
  return done;
}

const claimed = await openClaimedDirectory();
await claimed.post('/api/tools/list_tags', {});
await walk('get_agent, uncached, over HTTP', () =>
  claimed.post('/api/tools/get_agent', { handle: 'co.webhook/webhook' }),
);
const capability = await claimed.claim('co.webhook/webhook', 'webhook-co/webhook');
const rating = {
  handle: 'com.politicalcomms/api',
  interaction_id: 'run-1',
  outcome: 'succeeded',
  score: 4,
  protocol: 'mcp',
  relationship: 'none',
  interaction_at: new Date(Date.now() - 60_000).toISOString(),
};
await walk('submit_rating', () => claimed.post('/api/tools/submit_rating', rating, capability));
await claimed.close();

const remotes = [{ type: 'streamable-http', url: 'https://mcp.example.com/mcp' }];
const handle = 'com.example/tool';
const domains = await openDomainDirectory([registryEntry(handle, { remotes })], ['example.com']);
const { challenge } = await domains.ask(handle, { method: 'dns' });
domains.setTxt('_dossier-challenge.example.com', challenge);
await walk('a claim by DNS', () => domains.ask(handle, { method: 'dns' }));
await domains.close();

const { createObserver } = await import('../src/observations/observer.ts');
const server = await startModernServer(() => [{ name: 'send', description: 'Sends', readOnlyHint: false }]);
const observed = await openDirectory({
  entries: [registryEntry(handle, { remotes })],
  environment: { HOST_OVERRIDES: JSON.stringify({ 'mcp.example.com': server.url }) },
});
const observer = createObserver(observed.context);
await walk('an observation, from the wire to the page', async () => {
  const listing = await observed.store.listings.byHandle(handle);
  if (listing) await observer.observe(listing);
  await observed.app.request(`/agents/${handle}`);
});
await observer.close();
await observed.close();
await server.close();
process.exit(0);
