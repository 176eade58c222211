import type { ChangedHandles } from '../store.ts';

/** PostgreSQL takes payloads below 8,000 bytes. */
const longestPayload_bytes = 7500;
/** A commit that needs more notifications is announced as a change of everything. */
const mostPayloads = 8;

/** What one node tells the others: who it is, and which handles it changed. */
export interface Notification {
  readonly node: number;
  readonly changed: ChangedHandles;
}

const toPayload = (notification: Notification) => JSON.stringify(notification);

/** Size of a handle in a payload, with its quotes and comma. */
const sizeOf_bytes = (handle: string) => Buffer.byteLength(handle) + 3;

/** Groups of handles that each fit into one payload. */
function groupHandles(handles: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  let size_bytes = 0;
  for (const handle of handles) {
    size_bytes += sizeOf_bytes(handle);
    if (size_bytes > longestPayload_bytes) {
      groups.push([]);
      size_bytes = sizeOf_bytes(handle);
    }
    groups.at(-1)?.push(handle);
  }
  return groups;
}

/** The payloads of a commit's notifications. */
export function toPayloads(node: number, changed: ChangedHandles): string[] {
  const groups = changed === 'all' ? [] : groupHandles(changed);
  return changed === 'all' || groups.length > mostPayloads
    ? [toPayload({ node, changed: 'all' })]
    : groups.map((handles) => toPayload({ node, changed: handles }));
}

const isNotification = (parsed: unknown): parsed is Notification => {
  const { node, changed } = (parsed ?? {}) as Partial<Notification>;
  const areHandles = Array.isArray(changed) && changed.every((handle) => typeof handle === 'string');
  return typeof node === 'number' && (changed === 'all' || areHandles);
};

/** Parses a payload. Any client of the database may send one: what is not ours counts as a change of everything. */
export function parsePayload(payload: string): Notification {
  try {
    const parsed: unknown = JSON.parse(payload);
    if (isNotification(parsed)) return parsed;
  } catch {}
  return { node: 0, changed: 'all' };
}
