import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

const kept = resolve('node_modules/.cache/dossier-program');
const kept_ms = 24 * 3600 * 1000;
/**
 * Libraries that cannot be bundled, because they read files next to themselves or load modules by computed
 * names.
 */
const external = [/^@takumi-rs\//, 'htmx.org', 'jsonc-parser', 'tinypool'];

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

/**
 * The modules that are loaded by URL: those that main.js imports, worker threads, and the code of thread
 * pools.
 */
function entriesOf(files: readonly string[]): readonly string[] {
  const named = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/toModuleUrl\(\s*'([^']+)'/g)].map(([, path = '']) =>
        join(dirname(file), path),
      ),
    );
  return ['src/cli/command-line', ...named];
}

/**
 * Keeps `import.meta.url` of each module at its place in src, because modules read files next to themselves.
 */
const asIfInSrc: Plugin = {
  name: 'as-if-in-src',
  transform: {
    filter: { id: /\/src\/[^?]*\.ts$/, code: 'import.meta.url' },
    handler: (code, id) => {
      const path = relative(resolve('src'), id).replace(/\.ts$/, '.js');
      return { code: code.replaceAll('import.meta.url', `new URL('./${path}', import.meta.url).href`) };
    },
  },
};

/** Writes the program with its libraries in a folder that looks like the installed package. */
async function writeProgram(folder: string, files: readonly string[]): Promise<void> {
  const entries = entriesOf(files);
  const toName = (entry: string) => relative('src', entry);
  const toFlatName = (entry: string) => toName(entry).replaceAll('/', '-');
  await using bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [toFlatName(entry), `${entry}.ts`])),
    platform: 'node',
    external,
    plugins: [asIfInSrc],
    logLevel: 'silent',
  });
  const dist = join(folder, 'dist');
  await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
  });
  for (const file of files.filter((one) => !one.endsWith('.ts')))
    cpSync(file, join(dist, relative('src', file)), { recursive: true });
  for (const entry of entries) {
    const path = join(dist, `${toName(entry)}.js`);
    mkdirSync(dirname(path), { recursive: true });
    const flat = relative(dirname(path), join(dist, `${toFlatName(entry)}.js`));
    // A thread pool runs the default export of its module.
    const isTask = /^export default/m.test(readFileSync(`${entry}.ts`, 'utf8'));
    writeFileSync(path, `export * from '${flat}';\n${isTask ? `export { default } from '${flat}';\n` : ''}`);
  }
  for (const path of ['package.json', 'data', 'node_modules']) symlinkSync(resolve(path), join(folder, path));
}

/** Removes bundles of earlier days, which no run uses any more. */
function removeOld(): void {
  for (const name of readdirSync(kept)) {
    const path = join(kept, name);
    if (Date.now() - statSync(path).mtimeMs > kept_ms) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Bundles the program with its libraries, and names it to the tests, which start `dossier` some 700 times: a
 * start then loads a few files in place of 450. The same sources are bundled once. `npm run lab try:package`
 * names the installed package instead, and test/mcp/stdio.test.ts starts the source.
 */
export async function setup({ config }: TestProject): Promise<void> {
  if (process.env.DOSSIER_INSTALLED ?? process.env.DOSSIER_BUNDLE) return;
  const files = filesOf('src');
  const hash = createHash('sha256');
  for (const file of [...files, 'package-lock.json', 'test/support/program.ts'])
    hash.update(file).update(readFileSync(file));
  const folder = join(kept, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    mkdirSync(kept, { recursive: true });
    removeOld();
    const made = mkdtempSync(join(kept, 'new-'));
    await writeProgram(made, files);
    try {
      renameSync(made, folder);
    } catch {
      // Another run has made the same bundle meanwhile.
      rmSync(made, { recursive: true, force: true });
    }
  }
  config.env.DOSSIER_BUNDLE = join(folder, 'dist/main.js');
}
