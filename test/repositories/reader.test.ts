import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRepositoryReader, type RepositoryPlace, type RepositoryReader } from '../../src/net/git.ts';
import { createGitServer, type GitRepository, type GitServer } from '../support/git-server.ts';

let git: GitServer;
let reader: RepositoryReader;
let repository: GitRepository;
let place: RepositoryPlace;
beforeEach(async () => {
  git = await createGitServer();
  reader = createRepositoryReader({
    'github.com': { git: git.url, raw: `${git.url}/raw` },
    'gitlab.com': { git: git.url, raw: `${git.url}/raw` },
  });
  repository = git.createRepository('owner/name');
  place = at('https://github.com/owner/name');
});
afterEach(() => git.close());

function at(url: string): RepositoryPlace {
  const found = reader.place(url);
  if (!found) throw new Error(`no place: ${url}`);
  return found;
}
const check = () => reader.check(place, 'claim.txt');
const isGit = (url = '') => url.endsWith('/git-upload-pack');
/** Answers one face in git's place. */
const answer = (face: 'git' | 'raw', reply: (response: ServerResponse, url: string) => void) => {
  git.fault = (request, response) => {
    const url = request.url ?? '';
    if (isGit(url) !== (face === 'git')) return false;
    reply(response, url);
    return true;
  };
};
const redirect = (face: 'git' | 'raw', to: (url: string) => string) =>
  answer(face, (response, url) => response.writeHead(301, { location: to(url) }).end());

describe('a recorded URL', () => {
  test('is a place on a configured host', () => {
    expect(reader.place('https://github.com/Owner/Name.git')).toEqual({
      host: 'github.com',
      path: 'Owner/Name',
      key: 'github.com/owner/name',
    });
    expect(reader.place('https://GitHub.com/owner/name/')).toEqual({
      host: 'github.com',
      path: 'owner/name',
      key: 'github.com/owner/name',
    });
    expect(reader.place('https://gitlab.com/group/sub/name')?.path).toBe('group/sub/name');
  });
  test.each([
    ['https://gitlab.com/acme/group/mono/-/tree/main/packages/part', 'gitlab.com/acme/group/mono'],
    ['https://gitlab.com/acme/mono/-/blob/main/README.md?ref_type=heads', 'gitlab.com/acme/mono'],
    ['https://github.com/owner/name/tree/main/packages/x', 'github.com/owner/name'],
    ['https://github.com/owner/name#readme', 'github.com/owner/name'],
    ['http://github.com/owner/name', 'github.com/owner/name'],
    ['git@github.com:owner/name.git', 'github.com/owner/name'],
    ['https://user:pass@github.com/owner/name', 'github.com/owner/name'],
  ])('in another spelling, or of a folder, is the repository: %s', (url, key) => {
    expect(reader.place(url)?.key).toBe(key);
  });

  test.each([
    'file:///etc/passwd',
    'https://github.com@evil.example/owner/name',
    'https://github.com:8443/owner/name',
    'https://github.com.evil.example/owner/name',
    'https://evil.example/github.com/owner',
    'https://127.1/owner/name',
    'https://169.254.169.254/latest/meta-data',
    'https://github.com/owner/../name',
    'https://github.com/owner/..',
    'https://github.com/owner/%2e%2e',
    'https://github.com/owner',
    'https://gitlab.com/group/-/name',
    'https://github.com/owner/na me',
    'https://__proto__/owner/name',
    'https://github.com/оwner/name',
    '',
  ])('that names no repository on a configured host is refused: %s', (url) => {
    expect(reader.place(url)).toBeUndefined();
  });
});

describe('the file at the commit that HEAD names', () => {
  test('is read over real git, with capitals and line ends as they are', async () => {
    const commit = repository.commit({ 'claim.txt': 'one\r\ntwo\n' });
    expect(await check()).toEqual({
      result: 'file',
      text: 'one\r\ntwo\n',
      commit,
      branch: 'main',
      pinned: true,
    });
    expect(git.requests).toEqual([
      'POST /owner/name.git/git-upload-pack',
      `GET /raw/owner/name/${commit}/claim.txt`,
    ]);
  });

  test('is read in the layout of GitLab', async () => {
    const commit = git.createRepository('group/sub/name').commit({ 'claim.txt': 'x' });
    place = at('https://gitlab.com/group/sub/name');
    expect(await check()).toMatchObject({ result: 'file', text: 'x' });
    expect(git.requests[1]).toBe(`GET /raw/group/sub/name/-/raw/${commit}/claim.txt`);
  });

  test.each([
    ['forgejo', (commit: string) => `GET /raw/owner/name/raw/commit/${commit}/claim.txt`],
    ['bitbucket', (commit: string) => `GET /raw/owner/name/raw/${commit}/claim.txt`],
    ['gitlab', (commit: string) => `GET /raw/owner/name/-/raw/${commit}/claim.txt`],
  ] as const)('is read in the layout of %s from a host that a setting names', async (layout, request) => {
    const commit = repository.commit({ 'claim.txt': 'x' });
    reader = createRepositoryReader({ 'forge.example': { git: git.url, raw: `${git.url}/raw`, layout } });
    place = at('https://forge.example/owner/name');
    expect(await check()).toMatchObject({ result: 'file', text: 'x' });
    expect(git.requests[1]).toBe(request(commit));
  });

  test('is text without its byte order mark', async () => {
    repository.commit({ 'claim.txt': '\uFEFFone' });
    expect(await check()).toMatchObject({ result: 'file', text: 'one' });
  });

  test.each([
    ['lfs_pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'],
    ['not_text', Buffer.from('dossier', 'utf16le')],
    ['not_text', Buffer.from('\uFEFFdossier', 'utf16le')],
    ['not_text', Buffer.from('a\0b')],
    ['not_text', Buffer.from([0x63, 0xe9, 0x0a])],
    ['html_page', '<!DOCTYPE html>\n<title>Sign in</title>'],
    ['too_large', 'x'.repeat(16_385)],
    ['too_large', 'x'.repeat(70_000)],
  ])('is named where it cannot be read: %s', async (result, content) => {
    repository.commit({ 'claim.txt': content });
    expect(await check()).toMatchObject({ result, pinned: true });
  });

  test('is read up to 16 KiB', async () => {
    repository.commit({ 'claim.txt': 'x'.repeat(16_384) });
    expect(await check()).toMatchObject({ result: 'file' });
  });

  test('is not read where an HTML page stands in its place', async () => {
    repository.commit({ 'claim.txt': 'x' });
    answer('raw', (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('please sign in'),
    );
    expect(await check()).toMatchObject({ result: 'html_page' });
  });
});

test('a missing repository, an empty one and one without the file have different results', async () => {
  expect(await check()).toEqual({ result: 'repository_empty', pinned: false });
  expect(await reader.check(at('https://github.com/owner/missing'), 'claim.txt')).toEqual({
    result: 'repository_not_found',
    pinned: false,
  });
  const commit = repository.commit({ 'other.txt': 'x' });
  expect(await check()).toEqual({ result: 'file_absent', commit, branch: 'main', pinned: true });
});

describe('a redirect', () => {
  beforeEach(() => void repository.commit({ 'claim.txt': 'x' }));

  test('to another spelling of the same path is taken', async () => {
    git.fault = (request, response) => {
      if (!request.url?.startsWith('/OWNER/NAME')) return false;
      response.writeHead(301, { location: '/owner/name.git/git-upload-pack' }).end();
      return true;
    };
    place = { ...place, path: 'OWNER/NAME' };
    expect(await check()).toMatchObject({ result: 'file_absent', pinned: true });
    expect(git.requests.slice(0, 2)).toEqual([
      'POST /OWNER/NAME.git/git-upload-pack',
      'POST /owner/name.git/git-upload-pack',
    ]);
  });

  test.each([
    ['git', 'repository_moved', () => '/owner/renamed.git/git-upload-pack'],
    ['git', 'redirect_refused', () => 'http://169.254.169.254/latest/meta-data'],
    ['git', 'redirect_refused', () => 'https://evil.example/owner/name.git/git-upload-pack'],
    ['git', 'redirect_refused', () => 'http://['],
    ['git', 'repository_moved', (url: string) => url],
    ['raw', 'repository_moved', () => '/users/sign_in'],
    ['raw', 'redirect_refused', () => 'https://cdn.example/file'],
  ] as const)('of %s elsewhere is %s and not followed', async (face, result, to) => {
    redirect(face, to);
    expect((await check()).result).toBe(result);
    const asked = git.requests.filter((line) => isGit(line) === (face === 'git'));
    expect(new Set(asked).size).toBe(1);
  });

  test('with userinfo is not taken', async () => {
    redirect('git', (url) => `${git.url.replace('//', '//user@')}${url}`);
    expect((await check()).result).toBe('repository_moved');
    expect(git.requests).toHaveLength(1);
  });
});

describe('a host in trouble', () => {
  beforeEach(() => void repository.commit({ 'claim.txt': 'x' }));

  test.each([
    ['garbage', '0000garbage'.repeat(3).slice(4)],
    ['a length beyond the end', 'ffff1234'],
    ['a length below the header', '0003'],
    ['no flush', '003d'],
    ['an error packet', '0010ERR nothing\n0000'],
    ['another ref', `003d${'a'.repeat(40)} refs/heads/main\n0000`],
    ['an HTML page', '<html></html>'],
    ['nothing', ''],
    ['a million refs', `003d${'a'.repeat(40)} refs/heads/main\n`.repeat(5000)],
  ])('that answers %s for HEAD is read without a pin', async (_name, body) => {
    answer('git', (response) => response.end(body));
    expect(await check()).toEqual({ result: 'file', text: 'x', pinned: false });
    expect(git.requests[1]).toBe('GET /raw/owner/name/HEAD/claim.txt');
  });

  test('that fails both ways is host_error', async () => {
    git.fault = (_request, response) => {
      response.writeHead(502).end('<h1>Bad gateway</h1>');
      return true;
    };
    expect(await check()).toEqual({ result: 'host_error', pinned: false });
  });

  test('that limits us is host_rate_limited, with its Retry-After', async () => {
    answer('git', (response) => response.writeHead(429, { 'retry-after': '120' }).end());
    expect(await check()).toEqual({ result: 'host_rate_limited', retry_after_s: 120, pinned: false });
    answer('raw', (response) => response.writeHead(403, { 'retry-after': '999999999' }).end());
    expect(await check()).toMatchObject({ result: 'host_rate_limited', retry_after_s: 86_400, pinned: true });
  });

  test('that hides the repository is repository_not_found', async () => {
    answer('git', (response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end());
    expect(await check()).toMatchObject({ result: 'repository_not_found' });
  });

  test('that sends too much, or compressed data, is cut off', async () => {
    answer('raw', (response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536, 'x')));
        response.once('drain', more);
      };
      more();
    });
    expect(await check()).toMatchObject({ result: 'too_large' });
    answer('raw', (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000))),
    );
    expect(await check()).toMatchObject({ result: 'too_large' });
    answer('raw', (response) =>
      response.writeHead(200, { 'content-encoding': 'zstd' }).end(Buffer.alloc(10)),
    );
    expect(await check()).toMatchObject({ result: 'host_error' });
  });

  test('that is gone, or does not speak HTTP, is host_unreachable or host_error', async () => {
    answer('git', (response) => void response.socket?.destroy());
    expect(await check()).toEqual({ result: 'host_unreachable', brokeOff: true, pinned: false });
    answer('git', (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'));
    answer('raw', (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await check()).toMatchObject({ result: 'host_error', pinned: true });
  });

  /**
   * A check whose time-out ends during its second request; one that ended sooner, on a busy machine, is made
   * with more time.
   */
  async function checkImpatiently(prepare: (timeout_ms: number) => void) {
    const hosts = { 'github.com': { git: git.url, raw: `${git.url}/raw` } };
    for (let timeout_ms = 500; ; timeout_ms *= 4) {
      prepare(timeout_ms);
      const found = await createRepositoryReader(hosts, timeout_ms).check(place, 'claim.txt');
      if (found.pinned || timeout_ms > 30_000) return found;
    }
  }

  test('that takes longer than the time-out for both requests together is host_timeout', async () => {
    const head = `0032${'a'.repeat(40)} HEAD\n0000`;
    const found = await checkImpatiently((timeout_ms) => {
      git.fault = (request, response) => {
        setTimeout(() => response.end(isGit(request.url) ? head : 'x'), timeout_ms * 0.6);
        return true;
      };
    });
    expect(found).toMatchObject({ result: 'host_timeout', pinned: true });
  });

  test('that drips without end is host_timeout', async () => {
    answer('raw', (response) => {
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    });
    const found = await checkImpatiently(() => undefined);
    expect(found).toMatchObject({ result: 'host_timeout', pinned: true });
  });
});
