import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createBaseline, type Find } from './baseline.ts';
import { readCopy } from './listings.ts';
import { shown } from './measure.ts';
import { openService } from './service.ts';

// Usage: npm run lab eval:live -- --data COPY [--misses]. The servers and tasks of LiveMCPBench among the
// listings of a registry copy: is a server that has a tool of the task among the first five?
const { values } = parseArgs({
  options: { data: { type: 'string' }, misses: { type: 'boolean', default: false } },
});
if (!values.data) throw new Error('--data PATH: a registry copy, JSON or gzipped JSON');

interface Bench {
  readonly servers: readonly {
    readonly handle: string;
    readonly title: string;
    readonly description: string;
    readonly repository: string;
  }[];
  /**
   * `steps` as an annotator wrote them; `servers` are those with one of the tools that the annotator named.
   */
  readonly tasks: readonly {
    readonly question: string;
    readonly steps: readonly string[];
    readonly servers: readonly string[];
  }[];
}

/** What the registry takes of a description, and search_agents of a query, in characters. */
const longestDescription = 100;
const longestQuery = 200;
const cut = (text: string, length: number) =>
  text.length <= length ? text : text.slice(0, text.lastIndexOf(' ', length) + 1 || length).trim();

const read = (path: string) => {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
};
const { servers, tasks } = read(new URL('live.json.gz', import.meta.url).pathname) as Bench;
const copy = read(values.data);
const entries: { server: { name: string } }[] = Array.isArray(copy) ? copy : copy.servers;
const names = new Set(servers.map(({ handle }) => handle));
const added = servers.map(({ handle, title, description, repository }) => ({
  server: {
    name: handle,
    title: cut(title, longestDescription),
    version: '1.0.0',
    description: cut(description, longestDescription),
    repository: { url: repository.split('/tree/')[0], source: 'github' },
  },
  _meta: {
    'io.modelcontextprotocol.registry/official': {
      status: 'active',
      isLatest: true,
      publishedAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    },
  },
}));
const folder = mkdtempSync(join(tmpdir(), 'dossier-live-'));
const path = join(folder, 'copy.json');
writeFileSync(
  path,
  JSON.stringify({ servers: [...entries.filter(({ server }) => !names.has(server.name)), ...added] }),
);

const questions = tasks.map(({ question, servers: right }) => ({
  query: cut(question, longestQuery),
  right,
}));
const steps = tasks.flatMap(({ steps: all, servers: right }) =>
  all.map((step) => ({ query: cut(step, longestQuery), right })),
);
/** For each query, whether a right server is among the first five. */
const find = (search: Find, queries: typeof questions) =>
  Promise.all(
    queries.map(async ({ query, right }) =>
      (await search(query)).slice(0, shown).some((handle) => right.includes(handle)),
    ),
  );
const share = (found: readonly boolean[]) =>
  `${((found.filter(Boolean).length / found.length) * 100).toFixed(1)} %`;

const service = await openService('sqlite', path, shown);
const baseline = createBaseline(readCopy(path), shown);
const print = (...cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
print('LiveMCPBench', 'queries', 'a right server in the first 5', 'bm25');
print('---', '---', '---', '---');
const misses: string[] = [];
for (const [kind, queries] of [
  ['the whole task', questions],
  ['its steps', steps],
] as const) {
  const ours = await find(service.find, queries);
  const theirs = await find(baseline.find, queries);
  print(kind, queries.length, share(ours), share(theirs));
  for (const [at, { query, right }] of queries.entries())
    if (!ours[at]) misses.push(`${theirs[at] ? 'bm25 finds ' : ''}${kind}: ${query} | ${right.join(' ')}`);
}
if (values.misses) for (const miss of misses) process.stdout.write(`${miss}\n`);
await service.close();
rmSync(folder, { recursive: true });
