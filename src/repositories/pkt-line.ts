/** A packet with a line of text. */
export const toLine = (text: string): string => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`;
/** The packet between a command and its arguments. */
export const delimiter = '0001';
/** The packet that ends a request or a response. */
export const flush = '0000';

/** The body of a POST to git-upload-pack that requests HEAD: an ls-refs command of git protocol v2. */
export function toHeadQuery(agent: string): Buffer {
  return Buffer.from(
    toLine('command=ls-refs') +
      toLine(`agent=${agent}`) +
      delimiter +
      toLine('symrefs') +
      toLine('ref-prefix HEAD') +
      flush,
  );
}

/** What HEAD points to; `branch` only for a symbolic ref. */
export interface HeadRef {
  readonly commit: string;
  readonly branch?: string;
}

const length = /^[0-9a-f]{4}$/i;
const headLine = /^([0-9a-f]{40}|[0-9a-f]{64}) HEAD(?: |$)/;
/** Branch names of plain characters; no other text of the response is passed on. */
const target = / symref-target:refs\/heads\/([\w./-]{1,255})(?: |$)/;

/** The lines up to the flush packet; undefined if the framing is broken or cut off. */
function toLines(body: Buffer): string[] | undefined {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= body.length; ) {
    const digits = body.toString('latin1', at, at + 4);
    if (!length.test(digits)) return undefined;
    const size = Number.parseInt(digits, 16);
    if (size === 0) return lines;
    if (size < 4 || at + size > body.length) return undefined;
    lines.push(body.toString('utf8', at + 4, at + size).replace(/\n$/, ''));
    at += size;
  }
  return undefined;
}

/** Reads the response to a head query: HEAD, 'empty' for a repository without commits, undefined if it is malformed. */
export function readHead(body: Buffer): HeadRef | 'empty' | undefined {
  const lines = toLines(body);
  if (!lines) return undefined;
  if (lines.length === 0) return 'empty';
  const line = lines.find((text) => headLine.test(text)) ?? '';
  const commit = headLine.exec(line)?.[1];
  const branch = target.exec(line)?.[1];
  return commit ? { commit, ...(branch && { branch }) } : undefined;
}
