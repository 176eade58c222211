import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { delimiter, flush, toLine } from './pkt-line.ts';

/**
 * The body of a POST to git-upload-pack that requests one commit without its parents, trees and files: a fetch command of git
 * protocol v2 with `deepen 1` and `filter tree:0`.
 */
export const toCommitQuery = (commit: string, agent: string): Buffer =>
  Buffer.from(
    toLine('command=fetch') +
      toLine(`agent=${agent}`) +
      (commit.length === 64 ? toLine('object-format=sha256') : '') +
      delimiter +
      toLine('no-progress') +
      toLine('deepen 1') +
      toLine('filter tree:0') +
      toLine(`want ${commit}`) +
      toLine('done') +
      flush,
  );

/** Longest commit that is read, its message included. */
const longestCommit_bytes = 64 * 1024;
const length = /^[0-9a-f]{4}$/i;
const packData = 1;

/** The packfile in a response: the data of sideband 1 behind the line `packfile`; undefined if there is none. */
function toPack(body: Buffer): Buffer | undefined {
  const data: Buffer[] = [];
  let isPack = false;
  for (let at = 0; at + 4 <= body.length; ) {
    const digits = body.toString('latin1', at, at + 4);
    if (!length.test(digits)) return undefined;
    const size = Number.parseInt(digits, 16);
    if (size > 4 && at + size > body.length) return undefined;
    const packet = body.subarray(at + 4, at + Math.max(size, 4));
    if (isPack && packet[0] === packData) data.push(packet.subarray(1));
    if (packet.toString('latin1') === 'packfile\n') isPack = true;
    at += Math.max(size, 4);
  }
  return isPack ? Buffer.concat(data) : undefined;
}

/** The content of a pack's first object if it is a commit (gitformat-pack(5)); undefined for any other. */
function firstCommit(pack: Buffer): Buffer | undefined {
  if (pack.toString('latin1', 0, 4) !== 'PACK') return undefined;
  let at = 12;
  const first = pack[at] ?? 0;
  const commitType = 1;
  if (((first >> 4) & 7) !== commitType) return undefined;
  while (((pack[at] ?? 0) & 0x80) !== 0) at += 1;
  try {
    return inflateSync(pack.subarray(at + 1), { maxOutputLength: longestCommit_bytes });
  } catch {
    return undefined;
  }
}

const committerLine = /^committer .*> (\d{1,12}) [+-]\d{4}$/m;

/**
 * The time in the committer line of a requested commit, RFC 3339; undefined unless the response holds the commit itself: its id is
 * the digest of what was read.
 */
export function readCommitTime(body: Buffer, commit: string): string | undefined {
  const pack = toPack(body);
  const content = pack && firstCommit(pack);
  if (!content) return undefined;
  const id = createHash(commit.length === 64 ? 'sha256' : 'sha1')
    .update(`commit ${content.length}\0`)
    .update(content)
    .digest('hex');
  if (id !== commit.toLowerCase()) return undefined;
  const [headers = ''] = content.toString('utf8').split('\n\n', 1);
  const seconds = Number(committerLine.exec(headers)?.[1] ?? Number.NaN);
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
