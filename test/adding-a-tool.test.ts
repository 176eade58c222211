import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partOf } from './support/long.ts';

const copy = mkdtempSync(join(tmpdir(), 'dossier-adding-'));
const copied =
  '.ci .github .gitignore src test docs scripts data bench eval package.json tsconfig.json vitest.config.ts biome.json';
const pages = 'README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE action.yml .claude-plugin';

afterAll(() => rmSync(copy, { recursive: true }));

const read = (path: string) => readFileSync(join(copy, path), 'utf8');

/** Runs a command in the copy as a contributor would, without the settings of this test run. */
function run(...args: readonly string[]) {
  const { PATH, HOME, TMPDIR } = process.env;
  // Commands, if a test starts some, run the source of the copy.
  const env = { PATH, HOME, DOSSIER_BUNDLE: 'src/main.js', ...(TMPDIR !== undefined && { TMPDIR }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}
const vitest = (...files: readonly string[]) =>
  run('node_modules/vitest/vitest.mjs', 'run', '--project', 'sqlite', '--maxWorkers', '1', ...files);

/** The examples of the page, each the text of one file. */
const examples = () =>
  [...read('docs/adding-a-tool.md').matchAll(/^( *)```ts\n([\s\S]*?)^ *```$/gm)].map(
    ([, margin = '', code = '']) => code.replaceAll(new RegExp(`^${margin}`, 'gm'), ''),
  );

/** Writes an example to a file, imports it in the list of its kind and adds it there. */
function add(
  code: string,
  file: string,
  list: { readonly file: string; readonly path: string; readonly end: string },
) {
  const [, name = ''] = /^export const (\w+)/m.exec(code) ?? [];
  const before = read(list.file);
  const after = before
    .replace(/^import /m, `import { ${name} } from '${list.path}';\nimport `)
    .replace(list.end, `  ${name},\n${list.end}`);
  expect(after.split(name)).toHaveLength(3);
  writeFileSync(join(copy, file), code);
  writeFileSync(join(copy, list.file), after);
}

beforeAll(() => {
  for (const path of `${copied} ${pages}`.split(' ')) cpSync(path, join(copy, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const [tool = '', kind = '', ...others] = examples();
  expect(others).toEqual([]);
  const tools = { file: 'src/tools/index.ts', path: './get-version.ts', end: '] as const;' };
  add(tool, 'src/tools/get-version.ts', tools);
  const kinds = { file: 'src/observations/known/kinds.ts', path: './kinds/llms-txt.ts', end: '] as const;' };
  add(kind, 'src/observations/known/kinds/llms-txt.ts', kinds);
});

it('the tool and the kind of docs/adding-a-tool.md land with the steps that the page names', () => {
  const first = vitest('test/mcp/wire.test.ts');
  expect(first.status).toBe(1);
  expect(JSON.parse(read('test/wire/tools/get_version.json'))).toMatchObject({
    name: 'get_version',
    inputSchema: { type: 'object', properties: {} },
  });
  expect(JSON.parse(read('test/wire/get_version.json')).result.structuredContent).toEqual({
    version: expect.any(String),
  });
  expect(run('scripts/docs.ts')).toEqual({ status: 0, output: '' });
  expect(read('docs/reference.md')).toContain('`get_version`');
  const named = ['mcp/wire', 'mcp/foreign-text', 'mcp/errors', 'mcp/sizes', 'observer/recorded-now', 'docs'];
  const { status, output } = vitest(...named.map((name) => `test/${name}.test.ts`));
  expect(status, output).toBe(0);
});

// The compiler takes longer than all of the above.
const format = ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', 'src/tools', 'src/observations'];
const types = ['node_modules/typescript/bin/tsc'];
it.each(partOf<string[][]>([], [format, types]))('they pass %s', (...args) => {
  expect(run(...args)).toMatchObject({ status: 0 });
});
