import { describe, expect, it } from 'vitest';
import { callTool, openDirectory } from '../support/directory.ts';
import { registryEntry, remotesAt, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const at = (host: string) => remotesAt(`https://${host}.example.com/mcp`);

/** A bundle among the release files of an account. */
const file = (account: string, name: string) => ({
  registryType: 'mcpb',
  identifier: `https://github.com/${account}/server/releases/download/v1.0.0/${name}.mcpb`,
  fileSha256: 'a'.repeat(64),
  transport: { type: 'stdio' },
});

const get = (path: string) => directory.app.request(path, { headers: { accept: 'text/html' } });
const textOf = async (path: string) => (await get(path)).text();

const directory = await openedDirectory({
  entries: [
    ...seedEntries,
    ...Array.from({ length: 53 }, (_, at) =>
      registryEntry(`io.many/server-${String(at).padStart(2, '0')}`, {}),
    ),
    registryEntry('io.many-more/one', {}),
    registryEntry(
      'io.github.alice/a',
      { ...onGitHub('alice/a'), ...at('one') },
      { publishedAt: '2026-01-05T08:00:00Z' },
    ),
    registryEntry('io.github.alice/b', { ...onGitHub('bob/b'), ...at('two') }),
    registryEntry('io.github.alice/c', at('two')),
  ],
  environment: {
    OPERATOR_NAME: 'Example <b>Ltd</b>',
    OPERATOR_CONTACT: 'desk@example.com',
    IMPRINT_URL: 'https://example.com/imprint',
  },
});

describe('the page of a publisher', () => {
  it('shows the listings under the namespace, and no others, by ordinary links', async () => {
    const page = await textOf('/publishers/io.many');
    const handles = (text: string) =>
      [...text.matchAll(/<h3><a class="handle" href="\/agents\/([^"]+)"/g)].map(([, handle]) => handle);
    expect(handles(page)).toHaveLength(50);
    expect(page).toContain('control of the domain');
    expect(page).toContain('<p class="total">53 listings, 50 on this page.</p>');
    const next = /rel="next" href="([^"]+)"/.exec(page)?.[1] ?? '';
    const last = await textOf(next);
    expect(handles(last)).toEqual(['io.many/server-50', 'io.many/server-51', 'io.many/server-52']);
    expect(last).toContain('<p class="total">53 listings, 3 on this page.</p>');
    expect(last).not.toContain('io.many-more');
    expect(last).toContain('Compare ticked listings');
    expect(await textOf('/publishers/io.many-more')).not.toContain('Compare ticked listings');
  });

  it('says since when, at which hosts, and how many record a repository of another account', async () => {
    const page = (await textOf('/publishers/io.github.alice')).replaceAll(/<[^>]+>/g, '');
    expect(page).toContain('The oldest version that was read was published 2026-01-05.');
    expect(page).toContain('The records name as hosts of endpoints: two.example.com, one.example.com.');
    expect(page).toContain('2 listings record a repository, 1 of them the repository of another account.');
    const domain = (await textOf('/publishers/io.many')).replaceAll(/<[^>]+>/g, '');
    expect(domain).toContain('No host of an endpoint is recorded.');
    expect(domain).toContain('No repository is recorded.');
  });

  it('is where a namespace without a name leads', async () => {
    const moved = await get('/agents/co.webhook');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/publishers/co.webhook']);
    expect((await get('/agents/com.unknown')).status).toBe(400);
    const none = await get('/publishers/com.unknown');
    const page = await none.text();
    expect([none.status, page.includes('<meta name="robots" content="noindex">')]).toEqual([200, true]);
    expect(page).toContain(
      'No listing shown here is in this namespace; capitals count. One that is imported under it comes here',
    );
    expect(page).toContain('<a href="/publishers/com.unknown/feed.atom">Atom</a>');
    expect((await get('/publishers/com.unknown?after=com.unknown/a')).status).toBe(404);
    expect((await get('/publishers/com_none')).status).toBe(404);
    expect((await get('/publishers/%3Cb%3E')).status).toBe(404);
  });
});

it.each(['/api/webhooks', '/openapi.json', '/llms-full.txt', '/tools'])(
  'an example in %s is of a listing that is here, or plainly made up',
  async (path) => {
    const read = async (names: readonly string[]) => {
      const other = await openDirectory({ entries: names.map((name) => registryEntry(name, {})) });
      const text = await (await other.app.request(path)).text();
      await other.close();
      return text.replaceAll('&quot;', '"');
    };
    const ofOne = await read(['net.here/one']);
    expect(ofOne).toMatch(/"handle": ?"net\.here\/one"/);
    expect(ofOne).not.toMatch(/co\.webhook|com\.politicalcomms/);
    const ofNone = await read([]);
    expect(ofNone).toMatch(/"handle": ?"com\.example\/server"/);
    expect(ofNone).not.toMatch(/co\.webhook|com\.politicalcomms/);
  },
);

it('/api/webhooks says what becomes of a message that is not accepted, and how to catch up', async () => {
  const text = (await textOf('/api/webhooks')).replaceAll(/\s+/g, ' ');
  for (const said of [
    'A message that fails is sent up to 9 more times, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours, 20 hours, 24 hours. Later changes of its listing wait. Then it is given up: it is a dead letter, which only the operator can send again, and the next change is sent.',
    'After 3 failures in a row the address gets nothing for 5 seconds, then longer, up to an hour. A webhook whose attempts all fail for 5 days ends.',
    'is in the stream: read http://127.0.0.1:3000/changes?since=<id of the last change that you have>.',
  ])
    expect(text).toContain(said);
});

it('the examples of the reference page are about listings that are here', async () => {
  const other = await openDirectory({
    entries: [registryEntry('com.example/first', {}), registryEntry('com.example/second', {})],
  });
  const page = (await (await other.app.request('/tools')).text()).replaceAll('&quot;', '"');
  await other.close();
  expect(page).toContain('-d &#39;{"handle":"com.example/first"');
  expect(page).not.toContain('"co.webhook/webhook"');
  expect((await textOf('/tools')).replaceAll('&quot;', '"')).toContain('{"handle":"co.webhook/webhook"');
});

it('somebody who looks for what is not there gets a search field with the words of the address', async () => {
  const page = await textOf('/agents/com.supabase/mcp');
  expect(page).toContain('id="q" name="q" type="search" value="com supabase mcp"');
  expect(page).not.toContain('search_agents');
  expect(await textOf('/nothing/here')).toContain('id="q" name="q" type="search" value=""');
});

it('the page of a listing and its history name its feeds for readers', async () => {
  const visible =
    'Its changes as <a href="/agents/co.webhook/webhook/feed.atom">Atom</a> or <a href="/agents/co.webhook/webhook/feed.json">JSON feed</a>.';
  for (const path of ['/agents/co.webhook/webhook', '/agents/co.webhook/webhook/history']) {
    const page = await textOf(path);
    expect(page).toContain(visible);
    expect(page.split('</head>')[0]).toContain('href="/agents/co.webhook/webhook/feed.atom">');
  }
});

describe('who runs the service', () => {
  it('is what the operator said, as text', async () => {
    const page = await textOf('/about');
    expect(page).toContain('<dt>Operator</dt><dd>Example &lt;b&gt;Ltd&lt;/b&gt;</dd>');
    expect(page).toContain('<a href="mailto:desk@example.com">desk@example.com</a>');
    expect(page).toContain('<a href="https://example.com/imprint">');
    expect(page).toContain('<h2 id="privacy">Privacy and removal</h2>');
  });

  it('is said not to be known where the operator said nothing', async () => {
    const silent = await openedDirectory({ entries: [] });
    const page = await (await silent.app.request('/about')).text();
    expect(page).toContain('The operator has not said who runs this instance of Dossier.');
    expect(page).toContain('The operator has given no contact.');
  });
});

it('what browsers and crawlers ask for is there: an icon, and a sitemap with home, lists and tags', async () => {
  for (const [path, type, bytes] of [
    ['/favicon.ico', 'image/x-icon', [0, 0, 1, 0]],
    ['/apple-touch-icon.png', 'image/png', [0x89, 0x50, 0x4e, 0x47]],
  ] as const) {
    const icon = await get(path);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type]);
    expect([...new Uint8Array(await icon.arrayBuffer()).slice(0, 4)]).toEqual(bytes);
  }
  const map = await textOf('/sitemap.xml');
  for (const path of ['/', '/agents', '/tags', '/about', '/tags/webhooks', '/agents/co.webhook/webhook'])
    expect(map).toContain(`<loc>http://127.0.0.1:3000${path}</loc>`);
});

it.each([
  [
    'io.github.alice/files',
    { ...onGitHub('alice/files'), packages: ['linux', 'mac'].map((name) => file('zed', name)) },
    '2 packages are of another account `github.com/zed`',
  ],
  ['io.github.alice/own-file', { packages: [file('alice', 'linux')] }, undefined],
  ['io.github.alice/fork', { ...onGitHub('bob/b'), packages: [file('bob', 'linux')] }, undefined],
  [
    'com.example/image',
    {
      packages: [
        { registryType: 'oci', identifier: 'ghcr.io/zed/server:1.0.0', transport: { type: 'stdio' } },
      ],
    },
    'Its package is of the account `github.com/zed`',
  ],
])('the answer about %s says whose the packages are, if nothing else does', async (handle, record, said) => {
  await directory.importEntries([registryEntry(handle, record)]);
  const { lines } = await callTool<{ lines: { whose: string } }>(directory, 'get_agent', { handle });
  if (said === undefined) expect(lines.whose).not.toMatch(/package/);
  else expect(lines.whose).toContain(said);
});
