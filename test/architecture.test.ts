import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Each part of src (a folder or file) and the other parts that it may import, types included; lowest part first. */
const mayImport: Record<string, string> = {
  'cached-once.ts': '',
  'problem-table.ts': '',
  'problem.ts': 'problem-table.ts',
  receipt: '',
  'transaction.ts': '',
  'unless-aborted.ts': '',
  evidence: 'problem.ts receipt',
  config: 'evidence',
  observability: 'config evidence',
  outbound: 'cached-once.ts config evidence transaction.ts',
  repositories: 'cached-once.ts config evidence outbound',
  domains: 'cached-once.ts config outbound',
  store: 'config evidence observability receipt transaction.ts',
  'transparency-log': 'config evidence observability outbound problem.ts store unless-aborted.ts',
  'context.ts': 'config domains outbound repositories store transparency-log',
  backups: 'config context.ts observability store',
  limits: 'config context.ts problem.ts store',
  moderation: 'context.ts evidence problem.ts store transparency-log',
  claims:
    'config context.ts domains evidence limits moderation problem.ts problem-table.ts repositories store unless-aborted.ts',
  observer:
    'cached-once.ts config context.ts evidence observability outbound repositories store transaction.ts transparency-log unless-aborted.ts',
  registry: 'cached-once.ts claims config context.ts evidence observability store',
  tools:
    'claims context.ts evidence limits moderation observability problem.ts problem-table.ts store transparency-log',
  client: 'evidence problem.ts problem-table.ts tools',
  webhooks: 'context.ts config evidence limits observability outbound problem.ts store tools',
  views: 'claims config evidence problem.ts problem-table.ts tools webhooks',
  resources: 'config context.ts evidence problem.ts registry tools views',
  mcp: 'config context.ts evidence limits problem.ts resources tools',
  http: 'cached-once.ts claims config context.ts evidence limits mcp moderation observability observer problem.ts problem-table.ts resources store tools transparency-log views webhooks',
  'server.ts':
    'config context.ts domains http limits observability outbound repositories store transparency-log',
  cli: 'backups claims config context.ts evidence limits mcp moderation observability observer problem.ts registry server.ts store tools transparency-log views webhooks',
};

/** Each dependency with one home: the only files that may import it, but for its types. */
const homes: Record<string, readonly string[]> = {
  'node:sqlite': ['store/sqlite/connection.ts'],
  pg: ['store/postgres/connection.ts', 'store/postgres/watch.ts'],
  'lru-cache': [
    'store/cached-store.ts',
    'store/sqlite/connection.ts',
    'http/cache/answer-cache.ts',
    'http/response/encodings.ts',
    'cached-once.ts',
  ],
  diff: ['evidence/text/word-difference.ts'],
  'dns-packet': ['outbound/dns.ts'],
  feed: ['views/text/feed.ts'],
  'robots-parser': [],
  jose: ['receipt/receipts.ts', 'receipt/verify.ts'],
  '@noble/curves': ['evidence/signature/ethereum.ts'],
  '@noble/hashes': ['evidence/signature/ethereum.ts'],
  'eventsource-parser': ['observer/endpoint/messages.ts', 'observer/endpoint/sse.ts'],
  typebox: ['registry/entry/server-json.ts'],
  undici: ['outbound/client.ts'],
  '@sigstore/bundle': ['observer/packages/sigstore.ts'],
  '@sigstore/protobuf-specs': ['observer/packages/sigstore.ts'],
  yauzl: ['observer/packages/advisories.ts'],
  '@sigstore/verify': ['observer/packages/sigstore.ts'],
  canonicalize: ['evidence/log/leaf.ts'],
  'badge-maker': ['views/badge/badge.ts'],
  commander: ['cli/command-line.ts'],
  'cli-progress': ['cli/progress.ts'],
  pino: ['observability/logger.ts'],
  '@takumi-rs/wasm': ['views/link-card/drawing.ts'],
  tinypool: ['http/routes/link-cards.ts'],
  '@opentelemetry/api': ['observability/traces.ts'],
  'prom-client': ['observability/instruments.ts', 'observability/metrics.ts'],
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const read = (path: string) => readFileSync(join('src', path), 'utf8');

const statement =
  /^(?:import|export)\s+(type\s)?([^;]*?)\s*from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm;
const onlyTypes = /^\{\s*(type\s+[^,}]+,?\s*)+\}$/;

/** What a file of src imports: each specifier, and whether only for its types. */
const importsOf = (path: string) =>
  [...read(path).matchAll(statement)].map(([, type, names = '', from, bare, lazy]) => ({
    specifier: from ?? bare ?? lazy ?? '',
    isType: type !== undefined || onlyTypes.test(names),
  }));

/** The files of src that a file of src imports. */
const filesOf = (path: string): string[] =>
  importsOf(path)
    .filter(({ specifier }) => /^\..*\.ts$/.test(specifier))
    .map(({ specifier }) => join(dirname(path), specifier));

const partOf = (path: string) => path.split('/')[0] ?? '';
const foldersOf = (path: string): string[] =>
  path === '.' ? [] : [dirname(path), ...foldersOf(dirname(path))];

/** The files and folders of a folder, each with those of the same folder that it imports. */
function importsWithin(folder: string): Map<string, Set<string>> {
  const entryOf = (path: string) => relative(folder, path).split('/')[0] ?? '';
  const imports = new Map<string, Set<string>>();
  for (const path of sources) {
    const entry = entryOf(path);
    if (entry === '..') continue;
    const targets = filesOf(path)
      .map(entryOf)
      .filter((to) => to !== '..' && to !== entry);
    imports.set(entry, new Set([...(imports.get(entry) ?? []), ...targets]));
  }
  return imports;
}

/** The files and folders of a folder that import each other in a circle. */
function findCircle(folder: string): string[] {
  const imports = importsWithin(folder);
  for (let before = 0; before !== imports.size; ) {
    before = imports.size;
    for (const [entry, targets] of imports) {
      const isImported = [...imports.values()].some((others) => others.has(entry));
      const importsOthers = [...targets].some((to) => imports.has(to));
      if (!isImported || !importsOthers) imports.delete(entry);
    }
  }
  return [...imports.keys()];
}

describe('architecture', () => {
  it('the table names every part of src', () => {
    expect([...new Set(sources.map(partOf))].sort()).toEqual(Object.keys(mayImport).sort());
  });
  it.each(Object.entries(mayImport))('%s imports only %s', (part, allowed) => {
    const used = sources.filter((path) => partOf(path) === part).flatMap(filesOf);
    const others = new Set(used.map(partOf).filter((to) => to !== part));
    expect([...others].filter((to) => !allowed.split(' ').includes(to))).toEqual([]);
  });
  it('the client of the package loads no other file', () => {
    expect(importsOf('client/client.ts').filter(({ isType }) => !isType)).toEqual([]);
  });
  it.each([...new Set(sources.flatMap(foldersOf))])('nothing in %s imports in a circle', (folder) => {
    expect(findCircle(folder)).toEqual([]);
  });
  it.each(Object.entries(homes))('%s is imported only by its home', (dependency, home) => {
    const isIt = (name: string) => name === dependency || name.startsWith(`${dependency}/`);
    const users = sources.filter((path) =>
      importsOf(path).some(({ specifier, isType }) => !isType && isIt(specifier)),
    );
    expect(users.toSorted()).toEqual(home.toSorted());
  });
  it('no file outside store imports its rows, queries or engines', () => {
    const used = sources.filter((path) => partOf(path) !== 'store').flatMap(filesOf);
    const internal = /^store\/(?:engine|schema|sql-store|queries|sqlite|postgres|migrations)\b/;
    expect(used.filter((path) => internal.test(path))).toEqual([]);
  });
  it('one file reads the environment', () => {
    expect(sources.filter((path) => read(path).includes('process.env'))).toEqual(['cli/command-line.ts']);
  });
  it('no file asks which database it has', () => {
    expect(sources.filter((path) => /dialect [!=]==/.test(read(path)))).toEqual([]);
  });
});
