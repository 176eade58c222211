import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { RegistryError, type RegistrySource } from './source.ts';

const pageSize = 100;
const unzip = promisify(gunzip);

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b;

function toEntries(json: string): readonly unknown[] {
  const value = JSON.parse(json) as unknown;
  const entries = Array.isArray(value) ? value : (value as { servers?: unknown } | null)?.servers;
  if (!Array.isArray(entries)) throw new TypeError('no list');
  return entries as unknown[];
}

async function readCopy(path: string): Promise<{ entries: readonly unknown[]; digest: string }> {
  const bytes = await readFile(path).catch(() => {
    throw new RegistryError(`the saved copy ${basename(path)} cannot be read`, false);
  });
  try {
    const json = (isGzip(bytes) ? await unzip(bytes) : bytes).toString('utf8');
    return { entries: toEntries(json), digest: hash('sha256', bytes) };
  } catch {
    throw new RegistryError(`the saved copy ${basename(path)} is not a JSON list of entries`, false);
  }
}

/**
 * A saved copy of a registry, as JSON or gzipped JSON: an array of entries or `{"servers": [...]}`. A cursor is a
 * position, valid for the same bytes only. Throws RegistryError if the copy cannot be read.
 */
export async function openSavedCopy(path: string, origin: string, name?: string): Promise<RegistrySource> {
  const { entries, digest } = await readCopy(path);
  return {
    name: name ?? `file:${basename(path)}#${digest.slice(0, 12)}`,
    origin,
    isIncremental: false,
    page: async ({ cursor = '0' }) => {
      const from = Number(cursor);
      const to = from + pageSize;
      const nextCursor = to < entries.length ? String(to) : undefined;
      return { entries: entries.slice(from, to), nextCursor, total: entries.length };
    },
  };
}
