import { expect, it } from 'vitest';
import { createClient, DossierProblem } from '../../src/client/client.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { opened, openedEndpoint } from '../support/opened.ts';

const handle = 'co.webhook/webhook';
const directory = await opened(openClaimedDirectory({ listening: true }));

it('calls tools of a running service, with types of what goes in and what comes back', async () => {
  const dossier = createClient({ url: `${directory.url}/` });
  const found = await dossier.call('search_agents', { query: 'webhook', limit: 1 });
  expect(found.listings[0]?.handle).toBe(handle);
  const agent = await dossier.call('get_agent', { handle });
  expect(agent.unchecked).toMatch(/^price, tools\b/);
  const compared = await dossier.call('compare_agents', {
    handles: [handle, 'com.politicalcomms/api'],
    criteria: ['claimed'],
  });
  expect(compared.listings.map(({ native }) => native)).toEqual([
    { claimed: 'not_met' },
    { claimed: 'not_met' },
  ]);
  // @ts-expect-error: a tool that there is not is no call, and the service says so too.
  await expect(dossier.call('buy_agent', {})).rejects.toThrow('not_found: No tool has this name');
});

it('reads a listing document', async () => {
  const document = await createClient({ url: directory.url }).listing(handle);
  expect(document.signals.imported.length).toBeGreaterThan(0);
  expect(document).toEqual(await (await fetch(`${directory.url}/agents/${handle}.json`)).json());
});

it('throws the problem that the service answers with', async () => {
  const dossier = createClient({ url: directory.url });
  const refused = await dossier
    .call('get_agent', { handle: 'co.webhook/none' })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DossierProblem);
  expect((refused as DossierProblem).problem).toMatchObject({
    code: 'unknown_handle',
    status: 404,
    near: [],
    others: [handle],
  });
  await expect(dossier.listing('no handle')).rejects.toThrow(DossierProblem);
  const elsewhere = createClient({ url: `${directory.url}/tags` });
  await expect(elsewhere.call('list_tags', {})).rejects.toThrow(/HTTP status|not_found/);
});

it('ends in a TimeoutError also while an answer arrives', async () => {
  const slow = await openedEndpoint((_body, _request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"results":');
  });
  const dossier = createClient({ url: slow.url, timeout_ms: 50 });
  await expect(dossier.call('list_tags', {})).rejects.toMatchObject({ name: 'TimeoutError' });
});

it('sends the capability of a claimed listing', async () => {
  const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
  const dossier = createClient({ url: directory.url, capability });
  const rating = await dossier.call('submit_rating', {
    handle,
    interaction_id: 'job-1',
    interaction_at: new Date(directory.context.clock().getTime() - 60_000).toISOString(),
    outcome: 'succeeded',
    protocol: 'mcp',
    relationship: 'customer',
  });
  expect(rating.status).toBe('created');
  expect((await dossier.call('list_ratings', { handle })).ratings[0]?.rating_id).toBe(rating.rating_id);
});
