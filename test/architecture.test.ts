import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Folder or file of src = part, and the parts that it may import; types count too. Lowest part first. */
const mayImport: Record<string, string> = {
  'problem.ts': '',
  evidence: 'problem.ts',
  config: 'evidence',
  observability: 'config evidence',
  repositories: 'config evidence',
  store: 'config evidence observability',
  'context.ts': 'config repositories store',
  limits: 'config context.ts problem.ts store',
  'transparency-log': 'config context.ts evidence problem.ts store',
  claims: 'config context.ts evidence limits problem.ts repositories store',
  registry: 'claims config context.ts evidence observability store',
  tools: 'claims context.ts evidence limits observability problem.ts store transparency-log',
  views: 'claims config evidence problem.ts tools',
  resources: 'config context.ts evidence problem.ts registry tools views',
  mcp: 'config context.ts evidence problem.ts resources tools',
  http: 'claims config context.ts evidence limits mcp observability problem.ts resources store tools transparency-log views',
  'server.ts': 'config context.ts http observability repositories store transparency-log',
  cli: 'claims config context.ts evidence limits mcp observability registry server.ts store',
};

/** The only files that may import a dependency at run time. */
const homes: Record<string, readonly string[]> = {
  'node:sqlite': ['store/sqlite/connection.ts'],
  pg: ['store/postgres/pool.ts', 'store/postgres/watch.ts'],
  'lru-cache': [
    'store/cached-store.ts',
    'store/sqlite/connection.ts',
    'http/cache/answer-cache.ts',
    'http/response/encodings.ts',
  ],
  typebox: ['registry/server-json.ts'],
  undici: ['repositories/safe-client.ts'],
  canonicalize: ['evidence/log/leaf.ts'],
  'badge-maker': ['views/badge/badge.ts'],
  commander: ['cli/command-line.ts'],
  'cli-progress': ['cli/progress.ts'],
  pino: ['observability/logger.ts'],
  '@takumi-rs/wasm': ['views/link-card/drawing.ts'],
  tinypool: ['http/routes/link-cards.ts'],
  'prom-client': ['observability/instruments.ts', 'observability/metrics.ts'],
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const read = (path: string) => readFileSync(join('src', path), 'utf8');

const statement =
  /^(?:import|export)\s+(type\s)?([^;]*?)\s*from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm;
const onlyTypes = /^\{\s*(type\s+[^,}]+,?\s*)+\}$/;

/** Specifiers that a file imports, those of types only left out on request. */
const importsOf = (path: string, kind: 'all' | 'runtime' = 'all'): string[] =>
  [...read(path).matchAll(statement)]
    .filter(([, type, names]) => kind === 'all' || !(type || onlyTypes.test(names ?? '')))
    .map(([, , , from, bare, lazy]) => from ?? bare ?? lazy ?? '');

/** Files of src that a file imports, by their path in src. */
const filesOf = (path: string): string[] =>
  importsOf(path)
    .filter((from) => from.startsWith('.') && from.endsWith('.ts'))
    .map((from) => relative('.', join(dirname(path), from)));

const partOf = (path: string) => path.split('/')[0] ?? '';

/** The entry of a folder that holds a path; undefined where the path is elsewhere. */
function entryOf(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  return inside.startsWith('..') ? undefined : inside.split('/')[0];
}

/** One circle of imports between the entries of a folder, as a path; undefined where there is none. */
function findCircle(folder: string): string[] | undefined {
  const arrows = new Map<string, Set<string>>();
  for (const path of sources) {
    const from = entryOf(folder, path);
    if (from === undefined) continue;
    const targets = filesOf(path).map((to) => entryOf(folder, to));
    const known = arrows.get(from) ?? new Set();
    for (const to of targets) if (to !== undefined && to !== from) known.add(to);
    arrows.set(from, known);
  }
  const done = new Set<string>();
  const walk = (entry: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(entry)) return [...way.slice(way.indexOf(entry)), entry];
    if (done.has(entry)) return undefined;
    for (const next of arrows.get(entry) ?? []) {
      const circle = walk(next, [...way, entry]);
      if (circle) return circle;
    }
    done.add(entry);
    return undefined;
  };
  for (const entry of arrows.keys()) {
    const circle = walk(entry, []);
    if (circle) return circle;
  }
  return undefined;
}

const folders = [...new Set(['.', ...sources.flatMap((path) => ancestorsOf(path))])];

function ancestorsOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...ancestorsOf(folder)];
}

describe('architecture', () => {
  it('knows every part of src', () => {
    expect([...new Set(sources.map(partOf))].sort()).toEqual(Object.keys(mayImport).sort());
  });
  it.each(Object.entries(mayImport))('%s imports only %s', (part, allowed) => {
    const used = sources.filter((path) => partOf(path) === part).flatMap(filesOf);
    const others = [...new Set(used.map(partOf).filter((to) => to !== part))];
    expect(others.filter((to) => !allowed.split(' ').includes(to))).toEqual([]);
  });
  it.each(folders)('no circle between the files and folders of %s', (folder) => {
    expect(findCircle(folder)).toBeUndefined();
  });
  it.each(Object.keys(homes))('%s has one home', (dependency) => {
    const users = sources.filter((path) =>
      importsOf(path, 'runtime').some((from) => from === dependency || from.startsWith(`${dependency}/`)),
    );
    expect(users.toSorted()).toEqual(homes[dependency]?.toSorted());
  });
  it('has rows and engines in store only', () => {
    const used = sources.filter((path) => partOf(path) !== 'store').flatMap(filesOf);
    const internal = /^store\/(?:engine|schema|sql-store|queries|sqlite|postgres|migrations)\b/;
    expect(used.filter((path) => internal.test(path))).toEqual([]);
  });
  it('reads the environment in one place and knows engines in their files only', () => {
    expect(sources.filter((path) => read(path).includes('process.env'))).toEqual(['cli/command-line.ts']);
    expect(sources.filter((path) => /dialect [!=]==/.test(read(path)))).toEqual([]);
  });
});
