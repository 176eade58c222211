import { randomUUID } from 'node:crypto';
import { constants, realpathSync } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { attempt, parseForeignJson } from '../core/json.ts';
import { settingsError, textOf } from '../core/process.ts';

export type FileConfig = Pick<Config, 'checkpointFile' | 'databaseUrl'>;

export interface CheckpointFile {
  readonly path: string;
  /** The largest of each log, the newest log first; empty if the file cannot be read. */
  readonly texts: readonly string[];
  /** The database for which the file was written, if that still exists and is not ours. */
  readonly otherDatabase: string | undefined;
}

export function checkpointPath({ checkpointFile, databaseUrl }: FileConfig): string | undefined {
  if (checkpointFile) return checkpointFile;
  return databaseUrl.startsWith('file:') ? `${databaseUrl.slice('file:'.length)}.checkpoint` : undefined;
}

const databaseFile = (url: string): string | undefined =>
  url.startsWith('file:') ? attempt(() => realpathSync(url.slice('file:'.length))) : undefined;

const owner = z.object({ database: z.string(), file: z.string() });

/** Readers of checkpoints ignore this line, because it is not a signature line. */
const ownerLine = /^database (\{.*\})\n?$/m;

/**
 * A file that was moved or copied, for example with a backup, belongs to the database that is opened with it.
 */
function findOtherDatabase(content: string, path: string, { databaseUrl }: FileConfig): string | undefined {
  const written = owner.safeParse(parseForeignJson(ownerLine.exec(content)?.[1] ?? '')).data;
  if (written?.file !== resolve(path)) return undefined;
  const other = databaseFile(`file:${written.database}`);
  return other === databaseFile(databaseUrl) ? undefined : other;
}

const note = /[^\n]+\n\d+\n[^\n]+\n\n(?:\u2014 [^\n]+\n)+/g;

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

/** Nodes with the same process id may share the folder. */
const processName = randomUUID();

/** So much older than the checkpoint file, a temporary file is written by no process. */
const abandoned_ms = 3_600_000;

async function removeAbandoned(path: string): Promise<void> {
  const { mtimeMs: newest_ms } = await stat(path);
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`) || !/\.[0-9a-f-]{36}\.new$/.test(name)) continue;
    const file = join(dirname(path), name);
    if (newest_ms - (await stat(file)).mtimeMs > abandoned_ms) await rm(file, { force: true });
  }
}

export async function replaceCheckpointFile(path: string, text: string, config: FileConfig): Promise<void> {
  const database = databaseFile(config.databaseUrl);
  const written = database && `database ${JSON.stringify({ database, file: resolve(path) })}\n`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${processName}.new`, `${text}${written ?? ''}`, { flush: true });
  await rename(`${path}.${processName}.new`, path);
  await syncFolder(dirname(path));
  await removeAbandoned(path).catch(() => undefined);
}

/** Without the folder, no checkpoint could be published. */
export async function requireCheckpointFolder({ checkpointFile: path }: FileConfig): Promise<void> {
  if (!path) return;
  try {
    await mkdir(dirname(path), { recursive: true });
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    const message = `CHECKPOINT_FILE: its folder cannot be written: ${textOf(error)}`;
    throw settingsError(message);
  }
}
