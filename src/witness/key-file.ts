import { hkdfSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type CosigningKey, toCosigningKey } from '../evidence/log/witness/cosigning-key.ts';

const seed_bytes = 32;

async function readSeed(path: string): Promise<Buffer> {
  const fresh = `${randomBytes(seed_bytes).toString('base64')}\n`;
  await writeFile(path, fresh, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const seed = Buffer.from(await readFile(path, 'utf8'), 'base64');
  if (seed.length !== seed_bytes) throw new Error('not 32 bytes in base64');
  return seed;
}

const derive = (seed: Buffer, use: string) => Buffer.from(hkdfSync('sha256', seed, '', use, seed_bytes));

/** The keys of a witness, Ed25519 and ML-DSA-44, of the seed in a file, which is made if it is missing. Rejects if it cannot be read. */
export async function openCosigningKeys(path: string, name: string): Promise<CosigningKey[]> {
  const seed = await readSeed(path);
  return [
    toCosigningKey(name, 4, derive(seed, 'dossier witness ed25519')),
    toCosigningKey(name, 6, derive(seed, 'dossier witness ml-dsa-44')),
  ];
}
