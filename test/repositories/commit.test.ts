import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRepositoryReader, type RepositoryReader } from '../../src/net/git.ts';
import { createGitServer, type GitRepository, type GitServer } from '../support/git-server.ts';

let git: GitServer;
let reader: RepositoryReader;
let repository: GitRepository;
beforeEach(async () => {
  git = await createGitServer();
  reader = createRepositoryReader({ 'github.com': { git: git.url, raw: `${git.url}/raw` } });
  repository = git.createRepository('owner/name');
});
afterEach(() => git.close());

const read = (commit: string) => {
  const place = reader.place('https://github.com/owner/name');
  if (!place) throw new Error('no place');
  return reader.commit(place, commit);
};
/** Answers in git's place. */
const answer = (body: Buffer | string) => {
  git.fault = (_, response) => Boolean(response.writeHead(200).end(body));
};
const packet = (content: Buffer | string) => {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};
/** A response with a pack of one object of this type and content. */
const packOf = (type: number, content: Buffer, size = content.length) => {
  const header = [0x80 | (type << 4) | (size & 15), (size >> 4) & 127];
  const pack = Buffer.concat([
    Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1'),
    Buffer.from(header),
    deflateSync(content),
    Buffer.alloc(20),
  ]);
  return Buffer.concat([
    packet('packfile\n'),
    packet(Buffer.concat([Buffer.from([1]), pack])),
    Buffer.from('0000'),
  ]);
};

test('reads when the commit at the head was made, whatever else the repository holds', async () => {
  repository.commit({ 'large.bin': Buffer.alloc(200_000, 'x') });
  const before = Math.floor(Date.now() / 1000) * 1000 - 60_000;
  const commit = repository.commit({ 'README.md': 'one\ncommitter somebody <a@b> 1 +0000' });
  const found = await read(commit);
  if (!('committed_at' in found)) throw new Error(found.result);
  const made_ms = Date.parse(found.committed_at);
  expect(made_ms).toBeGreaterThanOrEqual(before);
  expect(made_ms).toBeLessThanOrEqual(Date.now());
  expect(git.requests).toEqual(['POST /owner/name.git/git-upload-pack']);
});

test('believes no commit whose digest is not its id', async () => {
  const content = Buffer.from('tree 0\ncommitter a <b@c> 1700000000 +0000\n\nmessage');
  const id = createHash('sha1').update(`commit ${content.length}\0`).update(content).digest('hex');
  answer(packOf(1, content));
  expect(await read(id)).toEqual({ committed_at: '2023-11-14T22:13:20.000Z' });
  expect(await read('0'.repeat(40))).toEqual({ result: 'host_error' });
});

test.each([
  ['an error of git', packet('ERR upload-pack: not our ref')],
  ['another kind of object', packOf(3, Buffer.from('x'))],
  ['more than 64 KiB once inflated', packOf(1, Buffer.alloc(3_000_000), 15)],
  ['a packet that is cut off', Buffer.from('ffffpackfile')],
  ['something else', '<html>'],
  ['nothing', ''],
])('fails on %s', async (_, body) => {
  answer(body);
  expect(await read('a'.repeat(40))).toEqual({ result: 'host_error' });
});

test('fails on a commit that the repository does not have', async () => {
  repository.commit({ 'README.md': 'one' });
  expect(await read('a'.repeat(40))).toEqual({ result: 'host_error' });
});
