import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedPages, renderBlocks } from '../scripts/docs.ts';

const read = (path: string) => readFileSync(path, 'utf8');

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/README.md',
  'test/README.md',
  'test/conformance/README.md',
  ...['claims', 'search', 'servers', 'tags', 'tools'].map((name) => `eval/${name}/README.md`),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

/** Pages that name files as they were when something was measured or changed. */
const dated = ['CHANGELOG.md', 'bench/README.md'];

/** Text without the examples in fences, whose paths need not exist. */
const proseOf = (page: string) => read(page).replace(/^```[\s\S]*?^```/gm, '');

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Relative links of a page that lead nowhere, the anchor included. */
function brokenLinks(page: string): string[] {
  const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

/**
 * Paths of the repository that a text names; not patterns, in which something stands for a part of a name.
 */
const namedPaths = (text: string): string[] =>
  [...text.matchAll(/(?<![\w./-])(?:src|test|bench|scripts|docs|data)\/[\w./*<>{},-]+/g)]
    .map(([path]) => path.replace(/[.,/]+$/, ''))
    .filter((path) => !/[*<>{}]/.test(path));

const missing = (paths: readonly string[]) => [...new Set(paths.filter((path) => !existsSync(path)))];

describe('documents', () => {
  it.each(generatedPages)('%s holds what follows from the definitions (npm run docs updates it)', (page) => {
    expect(read(page)).toBe(renderBlocks(read(page)));
  });
  it('have links that open a client with the service of npm start', () => {
    const links = [...read('README.md').matchAll(/\[add it to [\w ]+\]\((\S+?)\)/g)].map(
      ([, link = '']) => link,
    );
    const [cursor, code] = links.map((link) => new URL(link).searchParams);
    expect(JSON.parse(Buffer.from(cursor?.get('config') ?? '', 'base64').toString())).toEqual({
      url: 'http://127.0.0.1:3000/api/mcp',
    });
    const [scheme, server = ''] = code?.get('url')?.split('?') ?? [];
    expect(scheme).toBe('vscode:mcp/install');
    expect(JSON.parse(decodeURIComponent(server))).toEqual({
      name: 'dossier',
      type: 'http',
      url: 'http://127.0.0.1:3000/api/mcp',
    });
  });
  it('name every setting, limit and error code in the reference', () => {
    const reference = read('docs/reference.md');
    expect(reference).toContain('| `REPOSITORY_HOSTS` | github.com, gitlab.com |');
    expect(reference).toContain('| `PORT` | `3000` |');
    expect(reference).toContain('| `rating` | 20 | 1/min |');
    expect(reference).toContain('| `self_rating` | 422 |');
  });
  it('have configurations that are valid JSON and name an endpoint or a command', () => {
    const blocks = [...read('README.md').matchAll(/```json\n([\s\S]*?)```/g)].map(
      ([, text]) => JSON.parse(text ?? '') as object,
    );
    expect(blocks).toHaveLength(2);
    expect(blocks[0]).toEqual({
      mcpServers: { dossier: { type: 'http', url: 'http://127.0.0.1:3000/api/mcp' } },
    });
  });
  it('tell the reader of the README in under 900 words how to run the tests, with the command that CI runs', () => {
    const readme = read('README.md');
    expect(readme.trim().split(/\s+/).length).toBeLessThan(900);
    const [, afterStart = ''] = readme.split(/^npm start$/m);
    const firstScreen = afterStart.split('\n').slice(0, 24).join('\n');
    expect(firstScreen).toMatch(/`npm test`, about \w+ minutes on two cores/);
    expect(firstScreen).toContain('`npm run test:fast`');
    expect(read('.ci/run').split('\n')).toContain('npm test');
  });
  it('of users and contributors have fewer than 30,000 words together', () => {
    const counted = pages.filter((page) => /^(README\.md|CONTRIBUTING\.md|docs\/.*)$/.test(page));
    const words = counted.flatMap((page) => read(page).trim().split(/\s+/));
    expect(words.length).toBeLessThan(30_000);
  });
  it.each(pages)('%s has links that lead somewhere', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });
  it.each(pages.filter((page) => !dated.includes(page)))('%s names files that exist', (page) => {
    expect(missing(namedPaths(proseOf(page)))).toEqual([]);
  });
  it('of the index of decisions name every one', () => {
    const index = read('docs/decisions/README.md');
    const decisions = readdirSync('docs/decisions').filter((name) => name !== 'README.md');
    expect(decisions.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  });
  it('of the specification name tests that exist', () => {
    const rows = read('docs/specification.md').matchAll(
      /\]\(\.\.\/(test\/[\w/-]+\.test\.ts)\)((?:[:;] “[^”]+”)+)/g,
    );
    const named = [...rows].flatMap(([, path = '', titles = '']) =>
      [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ path, title })),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ path, title }) => !read(path).includes(title))).toEqual([]);
  });
  it('that comments cite exist, with the section', () => {
    const sources = ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => join(folder, path)),
    );
    const cited = sources.flatMap((path) =>
      [...read(path).matchAll(/(docs\/[\w./-]+\.md)(?:,? section (\d+))?/g)].map(
        ([, page = '', section]) => ({ path, page, section }),
      ),
    );
    const wrong = cited.filter(
      ({ page, section }) =>
        !existsSync(page) || (section && !anchorsOf(page).some((anchor) => anchor.startsWith(`${section}-`))),
    );
    expect(wrong).toEqual([]);
  });
});
