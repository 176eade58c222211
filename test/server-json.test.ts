import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, never>;
const schemaFile = new URL('../../shared/data/server.schema.2025-12-11.json', import.meta.url);

function faultsOf(record: object) {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const check = ajv.compile(read(schemaFile.pathname));
  return check(record) ? [] : check.errors;
}

it('server.json starts what the package has, in its version', () => {
  const { name, version, bin } = read('package.json') as unknown as {
    name: string;
    version: string;
    bin: object;
  };
  const record = read('server.json');
  expect(record).toMatchObject({
    version,
    packages: [{ registryType: 'npm', identifier: name, version, packageArguments: [{ value: 'stdio' }] }],
  });
  expect(Object.keys(bin)).toEqual(['dossier']);
  const help = execFileSync('node', [resolve('src/main.js'), '--help'], { encoding: 'utf8' });
  expect(help).toMatch(/^ {2}stdio\b/m);
});

it('the step of the release names its owner in both files, as the registry compares them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-server-json-'));
  for (const file of ['package.json', 'server.json']) cpSync(file, join(folder, file));
  execFileSync('node', [resolve('scripts/server-json.ts'), 'example/dossier'], { cwd: folder });
  const own = read(join(folder, 'package.json'));
  const record = read(join(folder, 'server.json'));
  expect(own.mcpName).toBe('io.github.example/dossier');
  expect(record).toMatchObject({
    name: 'io.github.example/dossier',
    repository: { url: 'https://github.com/example/dossier', source: 'github' },
  });
  expect(record.packages).toEqual(read('server.json').packages);
  rmSync(folder, { recursive: true });
});

it.runIf(existsSync(schemaFile))('server.json fits the schema of the registry', () => {
  expect(faultsOf(read('server.json'))).toEqual([]);
  expect(faultsOf({ ...read('server.json'), description: 'x'.repeat(101) })).not.toEqual([]);
});

it('the record, the plugin of Claude Code and the bundle are of the version that the package has', () => {
  const version = String(read('package.json').version);
  const files = ['.claude-plugin/marketplace.json', 'server.json', 'scripts/ways-in/bundle/manifest.json'];
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const named = texts.join('\n').match(/(?<=dossier@|"version": ")\d+\.\d+\.\d+/g);
  expect(named).toEqual([version, version, version, version, version]);
});
