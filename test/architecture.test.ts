import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Which parts of src a part may use at run time; types may come from anywhere. */
const uses: Record<string, readonly string[]> = {
  cli: [
    'metrics',
    'server',
    'log',
    'config',
    'setting-checks',
    'exit',
    'registry',
    'claim',
    'limits',
    'mcp',
    'evidence',
  ],
  server: ['record', 'http', 'proof', 'store', 'log', 'exit', 'setting-checks'],
  http: [
    'record',
    'mcp',
    'views',
    'tools',
    'resources',
    'claim',
    'limits',
    'evidence',
    'problem',
    'context',
    'config',
    'registry',
    'measured',
    'log',
  ],
  // What Prometheus is told; the rest of the source only says what happened (measured).
  metrics: ['measured', 'registry'],
  measured: [],
  mcp: ['tools', 'resources', 'evidence', 'problem', 'context'],
  views: ['tools', 'resources', 'evidence', 'problem', 'config'],
  resources: ['tools', 'evidence', 'problem', 'context', 'views'],
  tools: ['record', 'claim', 'limits', 'evidence', 'measured', 'problem', 'context'],
  claim: ['limits', 'evidence', 'problem', 'proof', 'context'],
  record: ['evidence', 'problem'],
  limits: ['problem'],
  registry: ['claim', 'evidence'],
  proof: [],
  store: ['evidence', 'measured'],
  evidence: ['problem'],
  context: [],
  problem: [],
  config: ['exit', 'setting-checks'],
  'setting-checks': [],
  exit: [],
  log: ['evidence'],
};

/** The only files that may import a dependency at run time. */
const homes: Record<string, readonly string[]> = {
  'node:sqlite': ['store/sqlite.ts'],
  pg: ['store/postgres-pool.ts', 'store/postgres-watch.ts'],
  'lru-cache': ['http/kept-bytes.ts', 'store/cached-store.ts'],
  typebox: ['registry/record.ts'],
  undici: ['proof/outbound.ts'],
  canonicalize: ['evidence/log.ts'],
  'badge-maker': ['views/badge.ts'],
  commander: ['cli/command-line.ts'],
  'cli-progress': ['cli/progress.ts'],
  pino: ['log.ts'],
  '@takumi-rs/wasm': ['views/link-card-drawing.ts'],
  tinypool: ['http/cards.ts'],
  'prom-client': ['metrics.ts', 'metrics/instruments.ts'],
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const read = (path: string) => readFileSync(join('src', path), 'utf8');

/** Specifiers that a file imports at run time. */
function runtimeImports(text: string): string[] {
  const statements = text.matchAll(
    /^(?:import|export)\s+(?!type\s)([^;]*?)\s*from\s+'([^']+)'|^import\s+'([^']+)'/gm,
  );
  return [...statements]
    .filter(([, names]) => !names || !/^\{\s*(type\s+[^,}]+,?\s*)+\}$/.test(names))
    .map(([, , from, bare]) => from ?? bare ?? '');
}

const partOf = (path: string) => path.split('/')[0]?.replace(/\.ts$/, '') ?? '';

describe('architecture', () => {
  it('knows every part of src', () => {
    expect([...new Set(sources.map(partOf))].sort()).toEqual(Object.keys(uses).sort());
  });
  it.each(sources)('%s imports only what its part may use', (path) => {
    const part = partOf(path);
    const used = runtimeImports(read(path))
      .filter((from) => from.startsWith('.') && from.endsWith('.ts'))
      .map((from) => partOf(relative('.', join(dirname(path), from))))
      .filter((to) => to !== part);
    expect(uses[part]).toEqual(expect.arrayContaining([...new Set(used)]));
  });
  it.each(Object.keys(homes))('%s has one home', (dependency) => {
    const users = sources.filter((path) =>
      runtimeImports(read(path)).some((from) => from === dependency || from.startsWith(`${dependency}/`)),
    );
    expect(users).toEqual(homes[dependency]);
  });
  it('reads the environment in one place and knows engines in their files only', () => {
    expect(sources.filter((path) => read(path).includes('process.env'))).toEqual(['cli/command-line.ts']);
    expect(sources.filter((path) => /dialect [!=]==/.test(read(path)))).toEqual([]);
  });
});
