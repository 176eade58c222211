import { randomUUID } from 'node:crypto';
import { constants, realpathSync } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { attempt, parseForeignJson } from '../core/json.ts';
import { ExitError, exitCodes, textOf } from '../core/process.ts';

export type FileConfig = Pick<Config, 'checkpointFile' | 'databaseUrl'>;

export interface CheckpointFile {
  readonly path: string;
  /** The largest checkpoint of each log, the newest log first; empty if the file cannot be read. */
  readonly texts: readonly string[];
  /**
   * The database file for which the checkpoint file was written. It is set only if that file still exists and
   * is not our database.
   */
  readonly otherDatabase: string | undefined;
}

/** Returns undefined if CHECKPOINT_FILE is not set and the database is not a file. */
export function checkpointPath({ checkpointFile, databaseUrl }: FileConfig): string | undefined {
  if (checkpointFile) return checkpointFile;
  return databaseUrl.startsWith('file:') ? `${databaseUrl.slice('file:'.length)}.checkpoint` : undefined;
}

/** Resolves links. Returns undefined if the URL names no file, or the file cannot be found. */
const databaseFile = (url: string): string | undefined =>
  url.startsWith('file:') ? attempt(() => realpathSync(url.slice('file:'.length))) : undefined;

const owner = z.object({ database: z.string(), file: z.string() });

/**
 * The last line names the database that the file belongs to. A reader of checkpoints ignores it, because it
 * is not a signature line.
 */
const ownerLine = /^database (\{.*\})\n?$/m;

/**
 * A checkpoint file that was moved or copied, for example with a backup, belongs to the database that is
 * opened with it.
 */
function findOtherDatabase(content: string, path: string, { databaseUrl }: FileConfig): string | undefined {
  const written = owner.safeParse(parseForeignJson(ownerLine.exec(content)?.[1] ?? '')).data;
  if (written?.file !== resolve(path)) return undefined;
  const other = databaseFile(`file:${written.database}`);
  return other === databaseFile(databaseUrl) ? undefined : other;
}

const note = /[^\n]+\n\d+\n[^\n]+\n\n(?:\u2014 [^\n]+\n)+/g;

/** Returns undefined if there is no path for a checkpoint file, or no file at the path. */
export async function readCheckpointFile(config: FileConfig): Promise<CheckpointFile | undefined> {
  const path = checkpointPath(config);
  if (!path) return undefined;
  const content = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' ? undefined : '',
  );
  if (content === undefined) return undefined;
  const text = content.replace(ownerLine, '');
  const texts = text.match(note) ?? [];
  const isWhole = texts.join('') === text;
  return { path, texts: isWhole ? texts : [], otherDatabase: findOtherDatabase(content, path, config) };
}

/** Makes a rename in a folder survive a loss of power. Throws if the system does not support this. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** A random name, because nodes with the same process id may share the folder. */
const processName = randomUUID();

/** If a temporary file is this much older than the checkpoint file, no process is still writing it. */
const abandoned_ms = 3_600_000;

/** Removes temporary files of processes that ended before they renamed them. */
async function removeAbandoned(path: string): Promise<void> {
  const { mtimeMs: newest_ms } = await stat(path);
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`) || !/\.[0-9a-f-]{36}\.new$/.test(name)) continue;
    const file = join(dirname(path), name);
    if (newest_ms - (await stat(file)).mtimeMs > abandoned_ms) await rm(file, { force: true });
  }
}

/** Replaces the file atomically. */
export async function replaceCheckpointFile(path: string, text: string, config: FileConfig): Promise<void> {
  const database = databaseFile(config.databaseUrl);
  const written = database && `database ${JSON.stringify({ database, file: resolve(path) })}\n`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${processName}.new`, `${text}${written ?? ''}`, { flush: true });
  await rename(`${path}.${processName}.new`, path);
  await syncFolder(dirname(path));
  await removeAbandoned(path).catch(() => undefined);
}

/**
 * Throws ExitError (78) if the folder of CHECKPOINT_FILE cannot be made or written, because no checkpoint
 * could then be published.
 */
export async function requireCheckpointFolder({ checkpointFile: path }: FileConfig): Promise<void> {
  if (!path) return;
  try {
    await mkdir(dirname(path), { recursive: true });
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    const message = `CHECKPOINT_FILE: its folder cannot be written: ${textOf(error)}`;
    throw new ExitError(exitCodes.configuration, message);
  }
}
