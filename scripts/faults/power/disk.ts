import { dirname } from 'node:path';
import { applyAll, below, choose, type Left, type Pending, toPages } from './pages.ts';
import type { Change } from './trace.ts';

/** What of a file is surely on the disk, and the changes since. */
interface StoredFile {
  synced: Buffer;
  pending: Pending[];
}

type Names = ReadonlyMap<string, StoredFile>;

/**
 * Files by path, as a disk has them. What was not synced may be missing after a power cut; names are synced
 * with their folder.
 */
export interface Disk {
  change(change: Change): void;
  /** Every file with all changes. */
  current(): Map<string, Buffer>;
  /** Every file as a power cut may leave it. */
  afterPowerCut(left: Left): Map<string, Buffer>;
}

/** A file that was made, renamed or removed in a folder. */
interface NameChange {
  readonly folder: string;
  readonly apply: (names: Names) => Names;
}

function toNameChange(change: Change, file: StoredFile): NameChange {
  const target = change.kind === 'create' ? change.path : change.kind === 'rename' ? change.to : undefined;
  return {
    folder: dirname(change.path),
    apply(names) {
      const others = [...names].filter(([path]) => path !== change.path && path !== target);
      return new Map(target === undefined ? others : [...others, [target, file]]);
    },
  };
}

const applyNames = (names: Names, changes: readonly NameChange[]): Names =>
  changes.reduce((before, { apply }) => apply(before), names);

const toContents = (names: Names, toPending: (file: StoredFile) => readonly Pending[]) =>
  new Map(
    [...names].map(([path, file]) => [path, applyAll(Buffer.from(file.synced), toPending(file))] as const),
  );

const emptyFile = (): StoredFile => ({ synced: Buffer.alloc(0), pending: [] });

function changeContent(file: StoredFile, change: Change): void {
  if (change.kind === 'resize') file.pending.push({ size: change.size });
  if (change.kind !== 'write') return;
  const end = () => applyAll(Buffer.from(file.synced), file.pending).length;
  file.pending.push(...toPages(change.offset === 'end' ? end() : change.offset, change.bytes));
}

/** A disk that surely has these files. */
export function createDisk(files: ReadonlyMap<string, Buffer>): Disk {
  let syncedNames: Names = new Map(
    [...files].map(([path, content]) => [path, { synced: Buffer.from(content), pending: [] }]),
  );
  let names = syncedNames;
  let pendingNames: NameChange[] = [];
  function sync(path: string): void {
    const file = names.get(path);
    if (file) Object.assign(file, { synced: applyAll(file.synced, file.pending), pending: [] });
    const synced = pendingNames.filter(({ folder }) => folder === path);
    syncedNames = applyNames(syncedNames, synced);
    pendingNames = pendingNames.filter((one) => !synced.includes(one));
  }
  function changeName(change: Change): void {
    const named = toNameChange(change, names.get(change.path) ?? emptyFile());
    pendingNames.push(named);
    names = named.apply(names);
  }
  return {
    change(change) {
      const file = names.get(change.path);
      if (change.kind === 'sync') sync(change.path);
      else if (file && (change.kind === 'write' || change.kind === 'resize')) changeContent(file, change);
      else if (change.kind !== 'create' || !file) changeName(change);
    },
    current: () => toContents(names, ({ pending }) => pending),
    afterPowerCut(left) {
      const all = pendingNames.length;
      const count = left === 'none' ? 0 : left === 'some' ? below(all + 1) : all;
      const found = applyNames(syncedNames, pendingNames.slice(0, count));
      return toContents(found, ({ pending }) => choose(pending, left));
    },
  };
}
