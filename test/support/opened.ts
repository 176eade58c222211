import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';
import { type DirectoryOptions, openDirectory } from './directory.ts';
import { startEndpoint } from './endpoints/mcp-endpoint.ts';

/** Does this when the test ends that calls it or, outside of tests and hooks, when its file ends. */
export function atEnd(close: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(async () => void (await close()));
  else onTestFinished(async () => void (await close()));
}

/** Waits for what is opened; closes it when the test ends that opens it, or the file that does at its top. */
export async function opened<T extends { close(): unknown }>(opening: T | Promise<T>): Promise<T> {
  const one = await opening;
  atEnd(() => one.close());
  return one;
}

/** A directory that closes itself. */
export const openedDirectory = (options?: DirectoryOptions) => opened(openDirectory(options));

/** A server on loopback that closes itself. */
export const openedEndpoint = (...answer: Parameters<typeof startEndpoint>) =>
  opened(startEndpoint(...answer));

/** A new folder, which is removed as what is opened is closed. */
export function openFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dossier-')));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
