import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { opened } from '../support/opened.ts';

const endpoint = await opened(
  startModernServer(() => [{ name: 'replay', description: 'Replays a webhook' }]),
);
const service = await opened(openClaimedDirectory({ hosts: { 'mcp.webhook.co': endpoint } }));

async function observe() {
  const { observations } = await service.observe('co.webhook/webhook');
  return Object.fromEntries(observations.map(({ kind, outcome, reason }) => [kind, { outcome, reason }]));
}

it('sends nothing to a service whose claim file says "observe: no", and says why', async () => {
  const repository = service.git.createRepository('webhook-co/webhook');
  repository.commit({ 'dossier-claim.txt': 'Leave us alone, please.\r\nobserve: no\r\n' });
  expect((await observe())['endpoint.answers']).toEqual({
    outcome: 'refused',
    reason:
      '`dossier-claim.txt` in `github.com/webhook-co/webhook` asks Dossier not to check this service (a line “observe: no”).',
  });
  expect(endpoint.sent).toEqual([]);
});

it.each([429, 500, 404])(
  'leaves it alone as long as the file cannot be read again: HTTP %d',
  async (status) => {
    service.git.fault = (_, response) => Boolean(response.writeHead(status).end());
    service.wait(86_400);
    expect((await observe())['endpoint.answers']).toMatchObject({ outcome: 'refused' });
    service.git.fault = undefined;
    expect(endpoint.sent).toEqual([]);
  },
);

it('looks again once the line is gone, and HEAD of the repository is a fact', async () => {
  service.git.removeRepository('webhook-co/webhook');
  const anew = service.git.createRepository('webhook-co/webhook');
  const commit = anew.commit({ 'README.md': 'no claim file' });
  const found = await observe();
  expect(found['endpoint.answers']).toMatchObject({ outcome: 'seen' });
  const listing = await service.store.observations.ofListing('co.webhook/webhook');
  expect(listing?.observations.find(({ kind }) => kind === 'repository.head')).toMatchObject({
    value: { commit, branch: 'main' },
  });
});
