import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

const hook = `import { registerHooks } from 'node:module';
const files = { kysely: './kysely.mjs', 'kysely/migration': './migration.mjs' };
registerHooks({
  resolve: (name, context, next) =>
    Object.hasOwn(files, name)
      ? { url: new URL(files[name], import.meta.url).href, format: 'module', shortCircuit: true }
      : next(name, context),
});
`;

/**
 * Bundles kysely, and names a hook of Node's loader that takes it from there. Tests start `dossier` some 700 times, and a third
 * of each start was to load kysely's 257 modules. A packed program loads them as its users do.
 */
export async function setup({ config }: TestProject): Promise<void> {
  if (process.env.DOSSIER_PROGRAM) return;
  const folder = mkdtempSync(join(tmpdir(), 'dossier-bundled-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const input = { kysely: 'kysely', migration: 'kysely/migration' };
  await using bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
  });
  const file = join(folder, 'hook.mjs');
  writeFileSync(file, hook);
  config.env.NODE_OPTIONS_OF_DOSSIER = `--import=${file}`;
}
