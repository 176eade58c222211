import { expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const at = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });
const entries = [
  registryEntry('io.github.alice/server', at('https://mcp.example.com/mcp')),
  registryEntry('com.example/server', { remotes: [], repository: undefined }),
];
const directory = await openedDirectory({ entries });
const client = await opened(connect('v2', { app: directory.app }));

it('why a criterion is unknown is said, also where no line shows it', async () => {
  const { structuredContent } = await client.call('compare_agents', {
    handles: entries.map(({ server }) => String(server.name)),
    criteria: [
      'endpoint_at_domain',
      'namespace_matches_repository_owner',
      'listed_for_days:3000',
      'needs_no_secret',
    ],
  });
  const ofCopy = {
    'listed_for_days:3000': 'the saved copy that was read has no older version of any listing',
    namespace_matches_repository_owner: 'this copy records no repositories',
    needs_no_secret: 'this copy records no packages',
  };
  const unknownOf = comparedOf(structuredContent).map(({ results, reasons = {} }) =>
    Object.fromEntries(
      Object.entries(results).flatMap(([name, result]) =>
        result === 'unknown' ? [[name, reasons[name]]] : [],
      ),
    ),
  );
  expect(unknownOf).toEqual([
    { endpoint_at_domain: 'its namespace is an account, not a domain', ...ofCopy },
    ofCopy,
  ]);
});

it('of a listing that nothing was checked of, it is said that nothing was checked', async () => {
  const said = 'Dossier has checked nothing of this listing.';
  const handles = entries.map(({ server }) => String(server.name));
  const { structuredContent } = await client.call('resolve_agents', { handles });
  expect(structuredContent).toMatchObject({ results: [{ notes: [said] }, { notes: [said] }] });
  const query = new URLSearchParams([...handles.map((handle) => ['handle', handle]), ['active', 'true']]);
  const page = await (await directory.app.request(`/compare?${query}`)).text();
  expect(page).toContain(said);
  expect(page).not.toContain('Nothing.');
});
