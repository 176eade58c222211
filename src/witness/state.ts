import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { TreeHead } from '../evidence/log/merkle.ts';
import { lockState } from './state-lock.ts';

const form = z.record(
  z.string(),
  z.object({ size: z.int().min(0), root: z.base64(), checkpoint: z.string() }),
);

/** What a witness remembers of its logs, in a file that this process alone uses. */
export interface WitnessState {
  lastOf(origin: string): TreeHead | undefined;
  /** The newest cosigned checkpoint of a log. */
  checkpointOf(origin: string): string | undefined;
  /** Resolves once it is on the disk; rejects if it cannot be written, and remembers nothing then. */
  remember(origin: string, head: TreeHead, checkpoint: string): Promise<void>;
}

/** Makes what was written or renamed in a file or a folder survive a loss of power. */
async function sync(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

async function replace(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  const file = await open(fresh, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await sync(dirname(path));
}

/**
 * Opens the file for this process alone, or begins without one. Rejects if another process has it, or if it is there and
 * cannot be read: a witness must not forget.
 */
export async function openState(named: string): Promise<WitnessState> {
  const path = await lockState(named);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  let known = new Map(Object.entries(form.parse(JSON.parse(text))));
  return {
    lastOf(origin) {
      const last = known.get(origin);
      return last && { size: last.size, root: Buffer.from(last.root, 'base64') };
    },
    checkpointOf: (origin) => known.get(origin)?.checkpoint,
    async remember(origin, { size, root }, checkpoint) {
      const next = new Map(known).set(origin, { size, root: root.toString('base64'), checkpoint });
      await replace(path, JSON.stringify(Object.fromEntries(next)));
      known = next;
    },
  };
}
