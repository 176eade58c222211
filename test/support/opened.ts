import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

function closeLater(close: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(async () => void (await close()));
  else onTestFinished(async () => void (await close()));
}

/** Waits for what is opened; closes it when the test ends that opens it, or the file that does at its top. */
export async function opened<T extends { close(): unknown }>(opening: T | Promise<T>): Promise<T> {
  const one = await opening;
  closeLater(() => one.close());
  return one;
}

/** A new folder, which is removed as what is opened is closed. */
export function openFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dossier-')));
  closeLater(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
