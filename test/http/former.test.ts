import { afterAll, describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { createSharedDatabase } from '../support/database.ts';
import { callTool, type Directory, openDirectory } from '../support/directory.ts';
import { packageAt, type RegistryEntry, registryEntry, remotesAt } from '../support/entries.ts';
import { takeBackMigrations } from '../support/nodes.ts';
import { openedDirectory, openFolder } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const dayAt = (day: string) => `${day}T08:00:00Z`;
const at = (url: string) => remotesAt(url);
const npm = (identifier: string) => packageAt('npm', identifier);
/** The versions of a listing, of which the last one is the latest; `version day`, and what each records. */
const versionsOf = (
  name: string,
  ...all: readonly (readonly [when: string, server: object, status?: string])[]
) =>
  all.map(([when, server, status = 'active'], index) => {
    const [version = '', day = ''] = when.split(' ');
    return registryEntry(
      name,
      { version, ...server },
      { status, isLatest: index === all.length - 1, publishedAt: dayAt(day), updatedAt: dayAt(day) },
    );
  });

const many = Array.from({ length: 130 }, (_, n) => {
  const day = new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
  return [`1.${n}.0 ${day}`, at(`https://v${n}.many.example/mcp`)] as const;
});

const entries: readonly RegistryEntry[] = [
  ...versionsOf(
    'com.relocate/mail',
    [
      '1.0.0 2026-09-01',
      { ...at('https://mail.vendor.example/mcp'), ...npm('vendor-mail'), ...onGitHub('vendor/mail') },
    ],
    ['1.0.1 2026-10-01', { ...at('https://mail.vendor.example/mcp'), ...npm('vendor-mail') }],
    ['1.0.2 2026-11-01', at('https://mail.evil.example/mcp')],
  ),
  ...versionsOf(
    'com.taken/api',
    ['1.0.0 2026-09-01', at('https://api.taken.example/mcp')],
    ['2.0.0 2026-10-01', at('https://api.new.example/mcp')],
  ),
  ...versionsOf('com.taker/api', ['1.0.0 2026-10-02', at('https://api.taken.example/mcp'), 'deprecated']),
  ...versionsOf(
    'com.left/swap',
    ['1.0.0 2026-09-01', at('https://left.swap.example/mcp')],
    ['2.0.0 2026-10-01', at('https://right.swap.example/mcp')],
  ),
  ...versionsOf(
    'com.right/swap',
    ['1.0.0 2026-09-01', at('https://right.swap.example/mcp')],
    ['2.0.0 2026-10-01', at('https://left.swap.example/mcp')],
  ),
  ...['one', 'two'].flatMap((name, index) =>
    versionsOf(
      `com.twin-${name}/pack`,
      ['1.0.0 2026-09-01', npm('twin-pack')],
      [`2.0.0 2026-10-0${index + 1}`, npm(`twin-pack-${name}`)],
    ),
  ),
  // The registry's latest version is older than the last one that was published, which has the old endpoint
  // again.
  ...versionsOf(
    'com.backport/api',
    ['1.0.0 2026-09-01', at('https://v1.backport.example/mcp')],
    ['1.0.1 2026-11-01', at('https://v1.backport.example/mcp')],
    ['2.0.0 2026-10-01', at('https://v2.backport.example/mcp')],
  ),
  ...versionsOf(
    'com.returned/api',
    ['1.0.0 2026-09-01', at('https://first.returned.example/mcp')],
    ['1.1.0 2026-09-10', at('https://second.returned.example/mcp')],
    ['1.2.0 2026-09-20', at('https://first.returned.example/mcp')],
  ),
  ...versionsOf(
    'com.retracted/api',
    ['1.0.0 2026-09-01', at('https://bad.retracted.example/mcp'), 'deleted'],
    ['1.1.0 2026-10-01', at('https://good.retracted.example/mcp')],
  ),
  ...versionsOf('com.many/api', ...many),
];

interface Body {
  readonly code?: string;
  readonly detail?: string;
  readonly handle?: string;
  readonly found_by?: string;
  readonly candidates?: readonly { readonly handle: string; readonly differs: string }[];
  readonly results?: readonly Body[];
}
const call = (at: Directory, tool: string, input: object) => callTool<Body>(at, tool, input);

/** One registry that was read as a whole, and one that was read again after each version was published. */
let [whole, grown]: Directory[] = [];
const directories = () => [whole, grown].filter((one) => one !== undefined);
whole = await openDirectory({ entries, environment: { LIMITS: 'off' } });
grown = await openDirectory({ entries: [], environment: { LIMITS: 'off' } });
const metaOf = (entry: RegistryEntry) => entry._meta['io.modelcontextprotocol.registry/official'];
const dayOf = (entry: RegistryEntry) => String(metaOf(entry).publishedAt);
const byDay = entries.toSorted((a, b) => (dayOf(a) < dayOf(b) ? -1 : 1));
const days = [...new Set(byDay.map(dayOf))];
// Most days only the listing of many versions has a new one; a few of these are enough.
for (const day of days.filter((_, n) => n > 120 || n % 25 === 0)) {
  const listed = byDay.filter((entry) => dayOf(entry) <= day);
  const last = new Map(listed.map((entry) => [entry.server.name, entry]));
  await grown.importEntries(
    listed.map((entry) => ({
      ...entry,
      _meta: {
        'io.modelcontextprotocol.registry/official': {
          ...metaOf(entry),
          isLatest:
            entry.server.name === 'com.backport/api'
              ? metaOf(entry).isLatest
              : last.get(entry.server.name) === entry,
        },
      },
    })),
  );
}
await grown.importEntries(entries);
afterAll(async () => {
  for (const directory of directories()) await directory.close();
});

const formerly = (what: string, until: string) =>
  `the only listing that recorded this ${what}, until ${until}; no listing records it now`;
const earlier = (handle: string) => `\`${handle}\` recorded it until 2026-10-01`;
const now = (what: string) => `the only listing that records this ${what}; recording does not show control`;

describe.each([
  ['one whole import', () => whole],
  ['many small imports', () => grown],
])('what earlier versions named, after %s', (_name, opened) => {
  const get = async (handle: string) => call(opened() as Directory, 'get_agent', { handle });

  it.each([
    ['https://mail.vendor.example/mcp', 'com.relocate/mail', formerly('endpoint', '2026-11-01')],
    ['npm:vendor-mail@1.0.0', 'com.relocate/mail', formerly('npm package', '2026-11-01')],
    ['vendor-mail', 'com.relocate/mail', formerly('package', '2026-11-01')],
    ['https://github.com/vendor/mail', 'com.relocate/mail', formerly('repository', '2026-10-01')],
    ['https://mail.evil.example/mcp', 'com.relocate/mail', now('endpoint')],
    ['https://second.returned.example/mcp', 'com.returned/api', formerly('endpoint', '2026-09-20')],
    ['https://first.returned.example/mcp', 'com.returned/api', now('endpoint')],
    ['https://v2.backport.example/mcp', 'com.backport/api', now('endpoint')],
    ['https://v128.many.example/mcp', 'com.many/api', formerly('endpoint', '2026-05-10')],
    // What is recorded now comes first, whoever recorded it before.
    ['https://api.taken.example/mcp', 'com.taker/api', `${now('endpoint')}; ${earlier('com.taken/api')}`],
    ['https://left.swap.example/mcp', 'com.right/swap', `${now('endpoint')}; ${earlier('com.left/swap')}`],
    ['https://right.swap.example/mcp', 'com.left/swap', `${now('endpoint')}; ${earlier('com.right/swap')}`],
  ])('%s is of %s', async (name, handle, found_by) => {
    expect(await get(name)).toMatchObject({ handle, found_by });
    const { results } = await call(opened() as Directory, 'resolve_agents', { handles: [name] });
    expect(results).toMatchObject([{ outcome: 'listed', handle, found_by }]);
    const [{ stands_out = [], unknown = [] } = {}] = results as {
      stands_out?: { key: string }[];
      unknown?: string[];
    }[];
    expect(unknown.filter((name) => stands_out.some(({ key }) => key === name))).toEqual([]);
  });

  it.each(['https://mail.vendor.example/mcp', 'mail.vendor.example', 'npm:vendor-mail'])(
    'and no criterion is met of %s, because the record names something else',
    async (name) => {
      const handles = [name, 'com.relocate/mail'];
      const criteria = ['active', 'has_endpoint', 'endpoint_at_domain'];
      const answer = await call(opened() as Directory, 'compare_agents', { handles, criteria });
      const [former] = comparedOf(answer);
      expect(Object.values(former?.results ?? {})).toEqual(['unknown', 'unknown', 'unknown']);
      expect(former?.reasons?.active).toBe('the record that is shown does not name what was asked for');
    },
  );

  it('an endpoint at a former host', async () => {
    expect(await get('mail.vendor.example')).toMatchObject({
      handle: 'com.relocate/mail',
      found_by:
        'the only listing that recorded an endpoint at this host, until 2026-11-01; no listing records it now',
    });
  });

  it('several listings are told apart by until when, the last first', async () => {
    const several = await get('npm:twin-pack');
    expect(several.code).toBe('several_listings');
    expect(several.detail).toMatch(
      /^No listing shown here records this npm package now; 2 listings recorded it\. /,
    );
    expect(several.candidates?.map(({ handle, differs }) => [handle, differs.slice(0, 28)])).toEqual([
      ['com.twin-two/pack', 'recorded it until 2026-10-02'],
      ['com.twin-one/pack', 'recorded it until 2026-10-01'],
    ]);
  });

  it.each([
    ['of a deleted version', 'https://bad.retracted.example/mcp'],
    ['of so many versions that it is not stored', 'https://v1.many.example/mcp'],
  ])('nothing is found %s', async (_what, name) => {
    expect(await get(name)).toMatchObject({ code: 'unknown_handle' });
  });

  it('what only a version after the shown one names is found, and said to be of another version', async () => {
    expect(await get('https://v1.backport.example/mcp')).toMatchObject({
      handle: 'com.backport/api',
      found_by:
        'the only listing that records this endpoint, in another version, not the shown one, published 2026-11-01',
    });
  });

  it('none is of a listing that was withdrawn or hidden, and a deleted one has only its name', async () => {
    const directory = opened() as Directory;
    await directory.act('withdraw', 'com.twin-two/pack', 'unlawful');
    expect(await get('npm:twin-pack')).toMatchObject({ handle: 'com.twin-one/pack' });
    await directory.act('hide', 'com.twin-one/pack', 'personal_data');
    const none = await get('npm:twin-pack');
    expect(none).toMatchObject({ code: 'unknown_handle' });
    expect(JSON.stringify(none)).not.toContain('com.twin-two');
    await directory.restore('com.twin-two/pack');
    expect(await get('npm:twin-pack')).toMatchObject({ handle: 'com.twin-two/pack' });
    const gone = entries.map((entry) =>
      entry.server.name === 'com.relocate/mail'
        ? registryEntry('com.relocate/mail', entry.server, {
            ...entry._meta['io.modelcontextprotocol.registry/official'],
            status: 'deleted',
          })
        : entry,
    );
    await directory.importEntries(gone);
    const deleted = await get('https://mail.vendor.example/mcp');
    expect(deleted.code).toBe('listing_withdrawn');
    expect(deleted.detail).not.toContain(' that it recorded; ');
    await directory.importEntries(
      gone.map((entry) =>
        entry.server.name === 'com.taken/api'
          ? registryEntry('com.taken/api', entry.server, { ...metaOf(entry), status: 'deleted' })
          : entry,
      ),
    );
    const renamed = await get('com.taken/api');
    expect(renamed.detail).toContain(
      '`com.taker/api` (deprecated) records an endpoint that it recorded; that does not show that one replaces the other. This is not a verdict about it.',
    );
    expect(deleted.detail).toMatch(
      /^`com.relocate\/mail` is the only listing that recorded this endpoint, until 2026-11-01; no listing records it now\. The registry has deleted it without a stated reason, /,
    );
  });
});

it('a database of an older version is filled by the next full import and the next checks', async () => {
  const folder = openFolder();
  const DATABASE_URL = await createSharedDatabase(folder);
  await (await openDirectory({ entries, environment: { DATABASE_URL } })).close();
  await takeBackMigrations(DATABASE_URL, '0001-tables');
  const directory = await openedDirectory({ entries, environment: { DATABASE_URL } });
  expect(await call(directory, 'get_agent', { handle: 'npm:vendor-mail' })).toMatchObject({
    handle: 'com.relocate/mail',
    found_by: formerly('npm package', '2026-11-01'),
  });
});
