import { expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import { osvRecord, since, startOsvApi } from '../../support/endpoints/osv-api.ts';
import { packaged } from '../../support/entries.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const osv = await opened(
  startOsvApi(() => [
    osvRecord('MAL-2026-7001', ['npm', 'swapped'], { versions: ['2.4.0'] }),
    osvRecord('GHSA-ab12-cd34-ef56', ['npm', 'shared'], since('0'), { aliases: ['CVE-2026-12345'] }),
  ]),
);
const directory = await openedDirectory({
  entries: [
    packaged('com.example/swapped', 'npm', 'swapped', '2.3.1'),
    packaged('com.example/one', 'npm', 'shared', '1.0.0'),
    packaged('com.example/two', 'npm', 'shared', '1.1.0'),
  ],
  environment: { ADVISORIES: osv.url },
});
for (const name of ['swapped', 'one', 'two']) await directory.observe(`com.example/${name}`);
const ask = (handle: string) =>
  callTool<{ readonly found_by?: string; readonly detail?: string }>(directory, 'get_agent', { handle });

it.each(['MAL-2026-7001', 'mal-2026-7001', 'https://osv.dev/vulnerability/MAL-2026-7001'])(
  'finds the listing whose package has the report %s, which may be about another version',
  async (id) => {
    expect(await ask(id)).toMatchObject({
      handle: 'com.example/swapped',
      found_by:
        'the only listing that has a package that Dossier read `MAL-2026-7001` about, for some version of it',
    });
    expect(await callTool(directory, 'resolve_agents', { handles: [id] })).toMatchObject({
      results: [{ outcome: 'listed', handle: 'com.example/swapped' }],
    });
  },
);

it.each(['GHSA-ab12-cd34-ef56', 'https://github.com/advisories/GHSA-ab12-cd34-ef56', 'CVE-2026-12345'])(
  'names the listings whose package has the advisory %s',
  async (id) => {
    const { detail, ...found } = await ask(id);
    expect(found).toMatchObject({
      code: 'several_listings',
      candidates: [{ handle: 'com.example/one' }, { handle: 'com.example/two' }],
    });
    expect(detail).toMatch(
      /^2 listings have a package that Dossier read `[\w-]+` about, for some version of it\./,
    );
  },
);

it('says of an unknown one what Dossier has read, and where to ask', async () => {
  expect(await ask('CVE-2020-1')).toMatchObject({
    code: 'unknown_handle',
    near: [],
    detail: expect.stringMatching(
      /^Dossier has read this advisory about no package that a listing records\. It has checked 3 listings, the last on \d{4}-\d\d-\d\d; it reads what OSV has about recorded packages, not about what they depend on\. Ask also `https:\/\/osv\.dev\/vulnerability\/CVE-2020-1`\. /,
    ),
  });
});
