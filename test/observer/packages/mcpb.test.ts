import { expect, it } from 'vitest';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { packaged } from '../../support/entries.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const release = '/bob/server/releases/download/v1.0.0';
const assets = 'https://release-assets.githubusercontent.com/github-production-release-asset';
const modified = 'Wed, 04 Mar 2026 05:06:07 GMT';

/** What each host answers, by path; the hosts are told apart by the port that they are reached at. */
const forge: Record<string, readonly [status: number, headers: Record<string, string>]> = {
  [`${release}/server-mcp.mcpb`]: [302, { location: `${assets}/1?sig=secret-of-this-request` }],
  [`${release}/loop-mcp.mcpb`]: [302, { location: 'https://files.example.com/mcp/loop.mcpb' }],
  [`${release}/login-mcp.mcpb`]: [302, { location: 'https://files.example.com/login?to=x' }],
  [`${release}/inside-mcp.mcpb`]: [302, { location: 'https://127.0.0.1/mcp.mcpb' }],
};
const stores: typeof forge = {
  '/github-production-release-asset/1?sig=secret-of-this-request': [
    200,
    {
      'content-length': '1234567',
      'last-modified': modified,
      'content-type': 'application/octet-stream',
      'content-encoding': 'gzip',
    },
  ],
};
const files: typeof forge = {
  '/robots.txt': [200, {}],
  '/mcp/page.mcpb': [200, { 'content-type': 'text/html; charset=utf-8' }],
  '/mcp/plain.mcpb': [
    200,
    { 'transfer-encoding': 'chunked', 'last-modified': 'Sat, 01 Jan 12026 00:00:00 GMT' },
  ],
  '/mcp/refused.mcpb': [200, {}],
  '/mcp/no-head.mcpb': [405, {}],
  '/mcp/loop.mcpb': [302, { location: `https://github.com${release}/loop-mcp.mcpb` }],
};

const sha256 = 'Fe'.repeat(32);

const listed = (name: string, identifier: string, more: object = {}) =>
  packaged(`io.github.bob/${name}`, 'mcpb', identifier, '1.0.0', more);
const start = (answers: typeof forge) =>
  startEndpoint((_, { url = '' }, response) => {
    const [status, headers] = answers[url] ?? [404, {}];
    response
      .writeHead(status, headers)
      .end(url === '/robots.txt' ? 'User-agent: *\nDisallow: /mcp/refused' : undefined);
  });

const github = await opened(start(forge));
const store = await opened(start(stores));
const other = await opened(start(files));
const servers = [github, store, other];
const directory = await openedDirectory({
  entries: [
    listed('there', `https://github.com${release}/server-mcp.mcpb`, { fileSha256: sha256 }),
    listed('gone', `https://github.com${release}/gone-mcp.mcpb`),
    listed('loop', `https://github.com${release}/loop-mcp.mcpb`),
    listed('login', `https://github.com${release}/login-mcp.mcpb`),
    listed('inside', `https://github.com${release}/inside-mcp.mcpb`),
    listed('page', 'https://files.example.com/mcp/page.mcpb'),
    listed('plain', 'https://files.example.com/mcp/plain.mcpb', { fileSha256: 'none' }),
    listed('refused', 'https://files.example.com/mcp/refused.mcpb'),
    listed('no-head', 'https://files.example.com/mcp/no-head.mcpb'),
  ],
  hosts: { 'github.com': github, 'release-assets.githubusercontent.com': store, 'files.example.com': other },
});

async function look(name: string) {
  const before = servers.map(({ sent }) => sent.length);
  const { observations } = await directory.observe(`io.github.bob/${name}`);
  const found = observations.find(({ kind }) => kind === 'package.exists');
  const sent = servers.flatMap((server, at) => server.sent.slice(before[at]));
  return { found, sent: sent.map(({ method, path }) => `${method} ${path}`) };
}

it('says that the file of a release is there, with its size and date, and reads nothing of it', async () => {
  const { found, sent } = await look('there');
  expect(found).toMatchObject({
    subject: `mcpb:https://github.com${release}/server-mcp.mcpb`,
    outcome: 'seen',
    value: { size_bytes: 1_234_567 },
    details: { records_sha256: true },
    as_seen: { last_modified: '2026-03-04T05:06:07.000Z' },
    source: 'github.com',
    source_url: `https://github.com${release}/server-mcp.mcpb`,
  });
  expect(JSON.stringify(found)).not.toContain('secret-of-this-request');
  const page = await directory.app.request('/agents/io.github.bob/there.md');
  expect(await page.text()).toContain(
    'the record states its SHA-256, with which Dossier has not compared the file',
  );
  expect(sent).toEqual([
    `HEAD ${release}/server-mcp.mcpb`,
    'HEAD /github-production-release-asset/1?sig=secret-of-this-request',
  ]);
});

it('says that a file is gone, and that a page or a place to sign in is none', async () => {
  expect((await look('gone')).found).toMatchObject({
    outcome: 'absent',
    reason: `\`https://github.com${release}/gone-mcp.mcpb\` returned HTTP 404.`,
  });
  expect((await look('page')).found).toMatchObject({
    outcome: 'otherwise',
    reason: '`https://files.example.com/mcp/page.mcpb` returned a web page (HTTP 200) instead of a file.',
  });
  expect((await look('login')).found).toMatchObject({ outcome: 'asks', asks_for: 'credentials' });
  expect((await look('no-head')).found).toMatchObject({ outcome: 'otherwise' });
});

it('says nothing of a size that is not stated, nor of a date that no calendar writes so', async () => {
  const { found } = await look('plain');
  expect(found).not.toHaveProperty('as_seen');
  expect(found).toMatchObject({
    outcome: 'seen',
    value: { size_bytes: null },
    details: { records_sha256: false },
  });
});

it('obeys the robots.txt of hosts that are no forge, and follows no redirect for ever or into a private network', async () => {
  const refused = await look('refused');
  expect(refused.found).toMatchObject({ outcome: 'refused' });
  expect(refused.sent).not.toContain('HEAD /mcp/refused.mcpb');
  const loop = await look('loop');
  expect(loop.found).toMatchObject({ outcome: 'otherwise' });
  expect(loop.sent.filter((one) => one.startsWith('HEAD'))).toHaveLength(3);
  expect((await look('inside')).found).toMatchObject({ outcome: 'not_asked' });
});
