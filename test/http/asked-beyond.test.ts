import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const repository = 'https://github.com/bob/server';
const release = `${repository}/releases/download`;
const sha256 = 'fe'.repeat(32);

const directory = await openedDirectory({
  environment: { LIMITS: 'off' },
  entries: [
    registryEntry('io.github.bob/server', {
      ...onGitHub('bob/server'),
      packages: [
        {
          registryType: 'mcpb',
          identifier: `${release}/v1.0.0/server.mcpb`,
          version: '1.0.0',
          fileSha256: sha256,
        },
      ],
    }),
    registryEntry('io.github.alice/plain', {
      ...onGitHub('alice/plain'),
      remotes: [{ type: 'streamable-http', url: 'https://plain.example.com/mcp' }],
    }),
    ...[
      ['1.0.0', 'oci', 'docker.io/dora/left:test', undefined],
      [
        '1.1.0',
        'mcpb',
        'https://github.com/dora/box/releases/download/v1.1.0/box-mcp-1.1.0.mcpb',
        '1d'.repeat(32),
      ],
      ['2.0.0', 'mcpb', 'https://github.com/dora/box/releases/download/v2.0.0/box.mcpb', '2d'.repeat(32)],
    ].map(([version, registryType, identifier, fileSha256], at) =>
      registryEntry(
        'io.github.dora/box',
        {
          version,
          ...(at > 0 && onGitHub('dora/box')),
          packages: [{ registryType, identifier, fileSha256, transport: { type: 'stdio' } }],
        },
        { isLatest: at === 2, publishedAt: `2026-10-0${at + 1}T08:00:00Z` },
      ),
    ),
    ...[`docker.io/pia/pin:sha256:${'ee'.repeat(32)}`, 'docker.io/pia/pin:latest'].map((identifier, at) =>
      registryEntry(
        'io.github.pia/pin',
        {
          version: `1.${at}.0`,
          ...onGitHub('pia/pin'),
          packages: [{ registryType: 'oci', identifier, transport: { type: 'stdio' } }],
        },
        { isLatest: at === 1, publishedAt: `2026-10-0${at + 1}T08:00:00Z` },
      ),
    ),
    ...['docker.io/erin/notes:1.5.0', 'ghcr.io/erin/notes:1.5.7'].map((identifier, at) => {
      const file = 'https://github.com/erin/notes/releases/download/v1.5.7/notes.mcpb';
      return registryEntry(
        'io.github.erin/notes',
        {
          version: identifier.slice(-5),
          packages: [
            { registryType: 'mcpb', identifier: file, transport: { type: 'stdio' } },
            { registryType: 'npm', identifier: 'notes-mcp', version: '1.5.7', transport: { type: 'stdio' } },
            { registryType: 'oci', identifier, transport: { type: 'stdio' } },
          ],
        },
        { isLatest: at === 1, publishedAt: `2026-10-0${at + 1}T08:00:00Z` },
      );
    }),
    registryEntry('io.github.carol/one', onGitHub('carol/mono')),
    registryEntry('io.github.carol/two', onGitHub('carol/mono')),
  ],
});

interface Answer {
  readonly handle?: string;
  readonly found_by?: string;
  readonly version_asked?: string;
  readonly detail?: string;
  readonly candidates?: readonly { readonly handle: string; readonly differs: string }[];
  readonly statement?: string;
  readonly changes?: readonly string[];
  readonly listings?: readonly Answer[];
  readonly results?: readonly Answer[];
}
const call = (tool: string, input: object) => callTool<Answer>(directory, tool, input);

it('is found as what records the file itself, not only its repository', async () => {
  const answer = await call('get_agent', { handle: `${release}/v1.0.0/server.mcpb` });
  expect(answer.handle).toBe('io.github.bob/server');
  expect(answer.found_by).toBe('the only listing that records this package; recording does not show control');
  expect(answer.version_asked).toBeUndefined();
});

const otherFile =
  'You asked about `/releases/download/v9.9.9/other.mcpb` in the repository `github.com/bob/server`; the facts are about what the record names, the file `https://github.com/bob/server/releases/download/v1.0.0/server.mcpb`.';

it('says in every tool that the facts are not about another file of the repository', async () => {
  const asked = `${release}/v9.9.9/other.mcpb`;
  const one = await call('get_agent', { handle: asked });
  expect(one).toMatchObject({ handle: 'io.github.bob/server', version_asked: otherFile });
  expect(one.found_by).toMatch(/^the only listing that records this repository/);
  expect((await call('get_history', { handle: asked })).statement).toContain(otherFile);
  const { listings } = await call('compare_agents', { handles: [asked, 'io.github.alice/plain'] });
  expect(listings?.[0]?.version_asked).toBe(otherFile);
  const { results } = await call('resolve_agents', { handles: [asked] });
  expect(results?.[0]?.version_asked).toBe(otherFile);
  expect((await call('list_ratings', { handle: asked })).version_asked).toBe(otherFile);
  expect((await call('check_surface', { handle: asked, digests: {} })).version_asked).toBe(otherFile);
  const page = await directory.app.request(`/agents?q=${encodeURIComponent(asked)}`);
  expect(await page.text()).toContain('/releases/download/v9.9.9/other.mcpb</code> in the repository');
});

it.each([
  ['a path', 'https://github.com/alice/plain/tree/main/src', '`/tree/main/src` in'],
  ['a ref of git', 'git+https://github.com/alice/plain.git#v1.2', '`v1.2` in'],
  ['a ref of a forge', 'github:alice/plain#v1.2', '`v1.2` in'],
  ['a package URL', 'pkg:github/alice/plain@v1.2', '`v1.2` in'],
])('says what was asked beyond the repository: %s', async (_what, handle, said) => {
  const { version_asked } = await call('get_agent', { handle });
  expect(version_asked).toBe(
    `You asked about ${said} the repository \`github.com/alice/plain\`; the facts are about what the record names.`,
  );
});

const digest = `sha256:${'ab'.repeat(32)}`;
const newest = 'the file `https://github.com/dora/box/releases/download/v2.0.0/box.mcpb`.';
const ofLeft = 'of the package `dora/left`; the facts are about what the record names, ';
const first = 'Version `1.0.0` of the listing, published 2026-10-01, recorded the';
const noInputs = ' over stdio, for which it names no inputs';

it.each([
  [
    'a digest',
    `docker run -i --rm dora/left@${digest}`,
    `\`${digest}\` ${ofLeft}${newest} ${first} oci package \`docker.io/dora/left:test\`${noInputs}.`,
  ],
  [
    'a tag that no version recorded',
    'docker.io/dora/left:9.9',
    `\`9.9\` ${ofLeft}${newest} ${first} oci package \`docker.io/dora/left:test\`${noInputs}.`,
  ],
  [
    'a tag that a version recorded',
    'docker run dora/left:test',
    `\`test\` ${ofLeft}${newest} ${first} oci package \`docker.io/dora/left:test\`${noInputs}.`,
  ],
  [
    'nothing more',
    'docker run dora/left',
    `the package \`dora/left\`; the facts are about what the record names, ${newest} Your request names no tag, which means \`latest\`; ${first.replace('V', 'v')} oci package \`docker.io/dora/left:test\`${noInputs}.`,
  ],
])('says of a former image what was asked: %s', async (_what, handle, said) => {
  expect(await call('get_agent', { handle })).toMatchObject({
    handle: 'io.github.dora/box',
    found_by: expect.stringMatching(
      /^the only listing that recorded this (?:oci )?package, until 2026-10-02;/,
    ),
    version_asked: `You asked about ${said}`,
  });
  const { results } = await call('resolve_agents', { handles: [handle] });
  expect(results?.[0]?.version_asked).toBe(`You asked about ${said}`);
});

const pinned = 'ee'.repeat(32);
it.each([
  `docker.io/pia/pin@sha256:${pinned}`,
  `docker.io/pia/pin:sha256:${pinned}`,
  `docker run -i pia/pin@sha256:${pinned}`,
  `sha256:${pinned}`,
])('says of a digest that a record wrote as a tag which version recorded it: %s', async (handle) => {
  const { version_asked = '' } = await call('get_agent', { handle });
  expect(version_asked).toContain('ersion `1.0.0` of the listing, published 2026-10-01, recorded the ');
  const { changes } = await call('get_history', { handle });
  expect(JSON.stringify(changes)).not.toContain('replaced the package');
});

it('says of a digest that no version recorded that none did', async () => {
  const handle = `docker.io/pia/pin@sha256:${'0'.repeat(64)}`;
  expect((await call('get_agent', { handle })).version_asked).toContain(
    `no version of the record that Dossier has read names the package at \`sha256:${'0'.repeat(64)}\``,
  );
});

const formerFile = 'https://github.com/dora/box/releases/download/v1.1.0/box-mcp-1.1.0.mcpb';
const second = `Version \`1.1.0\` of the listing, published 2026-10-02, recorded the file \`${formerFile}\` with the SHA-256 \`${'1d'.repeat(32)}\`${noInputs}`;

it.each([`sha256:${'1d'.repeat(32)}`, '1d'.repeat(32), `sha256:${'1D'.repeat(32)}`])(
  'says of a former SHA-256 which version recorded a file with it: %s',
  async (handle) => {
    const said = `You asked about the file or image with the SHA-256 \`${'1d'.repeat(32)}\`; the facts are about what the record names, ${newest} ${second}.`;
    expect(await call('get_agent', { handle })).toMatchObject({
      handle: 'io.github.dora/box',
      found_by:
        'the only listing that recorded a file or image with this SHA-256, until 2026-10-03; no listing records it now',
      version_asked: said,
    });
    const { results } = await call('resolve_agents', { handles: [handle] });
    expect(results?.[0]?.version_asked).toBe(said);
    const { statement } = await call('get_history', { handle });
    expect(statement).toContain(said);
    expect(statement).toContain('Listed is what came after version `1.1.0`, published 2026-10-02.');
  },
);

it('says of the name of a saved file which version recorded it, and which file replaced it', async () => {
  const handle = 'Box-MCP-1.1.0.mcpb';
  const said = `You asked about the file \`box-mcp-1.1.0.mcpb\`; the facts are about what the record names, ${newest} ${second}.`;
  expect(await call('get_agent', { handle })).toMatchObject({
    handle: 'io.github.dora/box',
    found_by:
      'the only listing that recorded a file of this name, until 2026-10-03; no listing records it now',
    version_asked: said,
  });
  const { changes } = await call('get_history', { handle });
  expect(changes).toEqual([
    expect.stringContaining(
      ' replaced the package `mcpb:github.com/dora/box/box-mcp.mcpb` with `mcpb:github.com/dora/box/box.mcpb`, of a domain or account that the record named before; repository as before',
    ),
  ]);
  expect((await call('get_agent', { handle: 'server.mcpb' })).found_by).toBe(
    'the only listing that records a file of this name; recording does not show control',
  );
  expect((await call('get_agent', { handle: 'other-1.0.0.mcpb' })).detail).toMatch(
    /^No listing shown here records a package of this name/,
  );
});

it('says of a recorded SHA-256 nothing beyond what was asked', async () => {
  expect(await call('get_agent', { handle: `sha256:${'2d'.repeat(32)}` })).toMatchObject({
    handle: 'io.github.dora/box',
    found_by:
      'the only listing that records a file or image with this SHA-256; recording does not show control',
  });
  const { version_asked } = await call('get_agent', { handle: '2d'.repeat(32) });
  expect(version_asked).toBeUndefined();
});

const file = 'https://github.com/dora/box/releases/download/v2.0.0/box.mcpb';
const other = '9d'.repeat(32);
const known = `You also sent a SHA-256 that begins with \`2d2d2d2d\`, which \`io.github.dora/box\` records for the file \`${file}\`.`;
const notKnown =
  'You also sent a SHA-256 that begins with `9d9d9d9d`, which no record shown here has now or is known to have had.';

it.each([
  ['behind an address', `${file} sha256:${other}`, notKnown],
  ['behind an address, as the record has it', `${file} sha256:${'2d'.repeat(32)}`, known],
  ['in the fragment', `${file}#sha256=${other}`, notKnown],
  ['without a word about it', `${file} ${other}`, notKnown],
  ['in a sentence', `The SHA-256 of ${file} is ${other}.`, notKnown],
  ['as openssl prints it', `SHA256(box.mcpb)= ${'2d'.repeat(32)}`, known],
  ['behind the file and a colon', `sha256sum box.mcpb: ${'2d'.repeat(32)}`, known],
  ['behind the handle', `io.github.dora/box (sha256: ${'2D'.repeat(32)})`, known],
])('looks up a SHA-256 that stands beside another name: %s', async (_what, handle, said) => {
  expect(await call('get_agent', { handle })).toMatchObject({
    handle: 'io.github.dora/box',
    version_asked: expect.stringContaining(said),
  });
  const { results } = await call('resolve_agents', { handles: [handle] });
  expect(results?.[0]?.version_asked).toContain(said);
});

it.each([
  [`npx -y notes-mcp --key ${other}`],
  [`{"mcpServers":{"notes":{"command":"npx","args":["notes-mcp"],"env":{"KEY":"${other}"}}}}`],
  [`docker run ghcr.io/erin/notes@sha256:${other}`],
])('takes nothing else for one: %s', async (handle) => {
  const { version_asked = '' } = await call('get_agent', { handle });
  expect(version_asked).not.toContain('You also sent');
});

it.each([`SHA-256: ${'2d'.repeat(32)}`, `SHA256 = ${'2D'.repeat(32)}`])(
  'reads a SHA-256 that is all that is named: %s',
  async (handle) => {
    expect((await call('get_agent', { handle })).found_by).toMatch(
      /^the only listing that records a file or image with this SHA-256/,
    );
  },
);

it('names the image that the record names instead of a former one, not its file', async () => {
  const { version_asked } = await call('get_agent', { handle: 'docker.io/erin/notes:1.5.0' });
  expect(version_asked).toBe(
    'You asked about `1.5.0` of the package `erin/notes`; the facts are about what the record names, the oci package `ghcr.io/erin/notes:1.5.7`. Version `1.5.0` of the listing, published 2026-10-01, recorded the oci package `docker.io/erin/notes:1.5.0` over stdio, for which it names no inputs; the file `https://github.com/erin/notes/releases/download/v1.5.7/notes.mcpb` over stdio, for which it names no inputs; the npm package `notes-mcp@1.5.7` over stdio, for which it names no inputs.',
  );
});

it('says of a file in the repository that the same record named it before', async () => {
  expect(await call('get_agent', { handle: formerFile })).toMatchObject({
    handle: 'io.github.dora/box',
    found_by:
      'the only listing that records this repository as `https://github.com/dora/box`; recording does not show control; `io.github.dora/box` recorded this package until 2026-10-03',
    version_asked: `You asked about \`/releases/download/v1.1.0/box-mcp-1.1.0.mcpb\` in the repository \`github.com/dora/box\`; the facts are about what the record names, ${newest} ${second}.`,
  });
});

it.each([
  ['a tag', 'carol/mono:1.2', '`1.2` in'],
  ['a module of Go', 'go run github.com/carol/mono/cmd/one@v1.2', '`/cmd/one#v1.2` in'],
  ['the package URL of Go', 'pkg:golang/github.com/carol/mono@v1.2', '`v1.2` in'],
  ['a clone', 'git clone git@github.com:carol/mono.git', ''],
])('says of several holders what was asked: %s', async (_what, handle, said) => {
  const { detail } = await call('get_agent', { handle });
  expect(detail).toContain('2 listings record this repository.');
  expect(detail?.match(/You asked about (.*?) the repository `github.com\/carol\/mono`/)?.[1] ?? '').toBe(
    said,
  );
});

it('says that the recorded endpoint has no query, and does not repeat it', async () => {
  const { version_asked } = await call('get_agent', { handle: 'https://plain.example.com/mcp?key=hush' });
  expect(version_asked).toBe(
    'The address asked for has a query that the recorded one does not have; the facts are about the address without it.',
  );
});

it.each([
  'https://github.com/alice/plain',
  'https://github.com/alice/plain.git',
  'https://github.com/alice/plain/?tab=readme-ov-file#install',
  'git@github.com:alice/plain.git',
  'alice/plain',
  'https://plain.example.com/mcp/',
])('says nothing beyond what was asked: %s', async (handle) => {
  const { handle: found, version_asked } = await call('get_agent', { handle });
  expect([found, version_asked]).toEqual(['io.github.alice/plain', undefined]);
});

it('says it also where several listings record the repository', async () => {
  const { detail } = await call('get_agent', { handle: 'https://github.com/carol/mono/tree/main/one' });
  expect(detail).toBe(
    '2 listings record this repository. Recording does not show control. You asked about `/tree/main/one` in the repository `github.com/carol/mono`; what is known of each is about what its record names. Call again with the handle of one of the candidates.',
  );
});

it('shows the recorded digest of a file in the full answer and on the page', async () => {
  const said = `its SHA-256 in the record is \`${sha256}\`, with which Dossier has not compared the file`;
  const full = await directory.app.request('/agents/io.github.bob/server.md');
  expect(await full.text()).toContain(said);
  const page = await directory.app.request('/agents/io.github.bob/server');
  expect(await page.text()).toContain(sha256);
});

const mono = 'https://github.com/dan/mono';
const { call: ofMono } = await (async () => {
  const of = await openedDirectory({
    environment: { LIMITS: 'off' },
    entries: [
      ['one', 'servers/Mail'],
      ['two', './servers/mail-api/'],
      ['three', 'docs'],
      ['four', 'docs'],
      ['sms', 'servers/sms', 'com.stranger'],
      ['deep', 'x/servers/mail', 'com.stranger'],
      ['read', 'README.md', 'com.stranger'],
    ].map(([name, subfolder, namespace = 'io.github.dan']) =>
      registryEntry(`${namespace}/${name}`, { repository: { url: mono, source: 'github', subfolder } }),
    ),
  });
  return { call: (tool: string, input: object) => callTool<Answer>(of, tool, input) };
})();

it.each([
  ['tree/main/servers/Mail', 'one', 'servers/Mail'],
  ['blob/v1.2/servers/mail/src/index.ts', 'one', 'servers/mail` as `servers/Mail'],
  ['blob/main/servers/mail-api/README.md', 'two', 'servers/mail-api'],
])('is found by the folder of a link into a repository: %s', async (path, name, folder) => {
  const asked = `${mono}/${path}`;
  const found_by = `the only listing that records this repository and the folder \`${folder}\`; recording does not show control`;
  const one = await ofMono('get_agent', { handle: asked });
  expect(one).toMatchObject({ handle: `io.github.dan/${name}`, found_by });
  expect(one.version_asked).toBeUndefined();
  const { results } = await ofMono('resolve_agents', { handles: [asked] });
  expect(results?.[0]).toMatchObject({ handle: `io.github.dan/${name}`, found_by });
  expect(JSON.stringify(await ofMono('search_agents', { query: asked }))).toContain(
    `\`io.github.dan/${name}\` is ${found_by}`,
  );
});

it('takes no folder of a stranger for a part of the repository of an account that has listings', async () => {
  for (const path of ['tree/main/servers/sms', 'tree/feat/x/Servers/Mail', 'blob/main/README.md']) {
    const { candidates } = await ofMono('get_agent', { handle: `${mono}/${path}` });
    expect(candidates?.[0]?.handle).toBe('io.github.dan/four');
  }
});

it('tells the folder of each, where several record the repository or the folder', async () => {
  const { detail, candidates } = await ofMono('get_agent', { handle: `${mono}/tree/main/docs` });
  expect(detail).toContain('2 listings record this repository and the folder `docs`.');
  expect(candidates?.map(({ handle }) => handle)).toEqual(['io.github.dan/four', 'io.github.dan/three']);
  const all = await ofMono('get_agent', { handle: mono });
  expect(all.candidates?.find(({ handle }) => handle === 'io.github.dan/two')?.differs).toContain(
    ', folder `servers/mail-api`, ',
  );
  const two = await ofMono('get_agent', { handle: 'io.github.dan/two' });
  expect(two).toMatchObject({ repository: mono, repository_folder: 'servers/mail-api' });
  const full = await ofMono('get_agent', { handle: 'io.github.dan/two', detail: 'full' });
  expect(JSON.stringify(full)).toContain(`repository \`${mono}\` (folder \`servers/mail-api\`)`);
});
