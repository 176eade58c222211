/** What the system writes to a disk at once, and what a disk writes at once. */
const page_bytes = 4096;
const sector_bytes = 512;

/** A change of one page, or of the size of a file, that may not have reached the disk. */
export type Pending = { readonly offset: number; readonly bytes: Buffer } | { readonly size: number };
type PageWrite = Extract<Pending, { bytes: Buffer }>;

/** Which of the changes that were not synced a power cut leaves. */
export type Left = 'none' | 'all but the end of the last write' | 'some';

const isWrite = (change: Pending): change is PageWrite => 'bytes' in change;

/** A content after changes; the content itself is reused where it is large enough. */
export function applyAll(content: Buffer, changes: readonly Pending[]): Buffer {
  let size = content.length;
  let now = content;
  for (const change of changes) {
    const end = isWrite(change) ? Math.max(size, change.offset + change.bytes.length) : change.size;
    if (end > now.length) now = Buffer.concat([now, Buffer.alloc(end - now.length + 256 * page_bytes)]);
    if (end < size) now.fill(0, end);
    if (isWrite(change)) change.bytes.copy(now, change.offset);
    size = end;
  }
  return now.subarray(0, size);
}

/** A write in parts that each change one page. */
export function toPages(offset: number, bytes: Buffer): PageWrite[] {
  const parts: PageWrite[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + page_bytes - ((offset + from) % page_bytes));
    parts.push({ offset: offset + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return parts;
}

/** A whole number from 0 up to below `count`, at random. */
export const below = (count: number) => Math.floor(Math.random() * count);

/** A write of which the disk finished only some sectors. */
const tear = ({ offset, bytes }: PageWrite): PageWrite => ({
  offset,
  bytes: bytes.subarray(0, below(Math.ceil(bytes.length / sector_bytes)) * sector_bytes),
});

/** Of each page one of the contents that it had since the sync; sizes as they were or as they became. */
function chooseSome(pending: readonly Pending[]): Pending[] {
  const pageOf = (change: Pending) => (isWrite(change) ? Math.floor(change.offset / page_bytes) : -1);
  const left = new Map<number, number>();
  for (const change of pending) left.set(pageOf(change), (left.get(pageOf(change)) ?? 0) + 1);
  for (const [page, count] of left) left.set(page, below(count + 1));
  return pending.filter((change) => {
    const more = left.get(pageOf(change)) ?? 0;
    left.set(pageOf(change), more - 1);
    return more > 0;
  });
}

/** Those of the changes since the sync that a power cut leaves. */
export function choose(pending: readonly Pending[], left: Left): readonly Pending[] {
  if (left === 'none') return [];
  if (left === 'some') return chooseSome(pending);
  const last = pending.at(-1);
  return last && isWrite(last) ? [...pending.slice(0, -1), tear(last)] : pending;
}
