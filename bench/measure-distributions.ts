import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Distributions } from './distributions.ts';

const bigPublisher = 50;
const listedWords = 1500;
const pairUses = 25;

interface Server {
  readonly name: string;
  readonly description?: string;
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly repository?: { readonly url?: string };
  readonly remotes?: readonly { readonly type: string }[];
  readonly packages?: readonly {
    readonly registryType?: string;
    readonly transport?: { readonly type?: string };
    readonly environmentVariables?: readonly unknown[];
  }[];
}
interface Entry {
  readonly server: Server;
  readonly _meta: Readonly<Record<string, { readonly status: string; readonly publishedAt: string }>>;
}

const readRows = (file: string): Entry[] =>
  JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as Entry[];

const officialOf = ({ _meta }: Entry) => _meta['io.modelcontextprotocol.registry/official'];

function count<T>(values: Iterable<T>): [T, number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function twentieths(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return Array.from({ length: 21 }, (_, at) => sorted[Math.round((at / 20) * (sorted.length - 1))] ?? 0);
}

const share = (part: number, all: number) => Math.round((part / all) * 1000) / 1000;
const namespaceOf = (name: string) => name.slice(0, name.indexOf('/'));
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words and frequent pairs in the order they stand in. */
function toUnits(words: readonly string[], pairs: ReadonlySet<string>): string[] {
  const units: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const pair = `${words[at]} ${words[at + 1]}`;
    if (pairs.has(pair)) at += 1;
    units.push(pairs.has(pair) ? pair : (words[at] ?? ''));
  }
  return units;
}

function measureWords(descriptions: readonly string[]): Pick<Distributions, 'words' | 'rareWords'> {
  const texts = descriptions.map(wordsOf);
  const pairs = count(texts.flatMap((words) => words.slice(1).map((word, at) => `${words[at]} ${word}`)));
  const frequent = new Set(pairs.filter(([, uses]) => uses >= pairUses).map(([pair]) => pair));
  const units = count(texts.flatMap((words) => toUnits(words, frequent)));
  const rare = units.slice(listedWords);
  return {
    words: units.slice(0, listedWords),
    rareWords: { uses: rare.reduce((sum, [, uses]) => sum + uses, 0), distinct: rare.length },
  };
}

function measurePublishers(names: readonly string[]) {
  const sizes = count(names.map(namespaceOf)).map(([, listings]) => listings);
  return {
    bigPublishers: sizes.filter((size) => size >= bigPublisher),
    listings: names.length,
    publisherSizes: count(sizes.filter((size) => size < bigPublisher)),
    roots: count(names.map((name) => /^(io\.github|com\.gitlab|[^.]+)/.exec(name)?.[0] ?? 'com')).slice(
      0,
      20,
    ),
  };
}

const shapeOf = ({ remotes, packages }: Server) =>
  `${(remotes ?? []).map(({ type }) => type).join(',')}|${(packages ?? [])
    .map((one) => `${one.registryType}:${one.transport?.type}:${one.environmentVariables?.length ?? 0}`)
    .join(',')}`;

/** How often a listing whose publisher has several records a repository that another one records too. */
function measureSharedRepository(servers: readonly Server[]): number {
  const sizes = new Map(count(servers.map(({ name }) => namespaceOf(name))));
  const several = servers.filter(
    ({ name, repository }) => repository && (sizes.get(namespaceOf(name)) ?? 0) > 1,
  );
  const uses = new Map(count(several.map(({ repository }) => repository?.url)));
  return share(
    several.filter(({ repository }) => (uses.get(repository?.url) ?? 0) > 1).length,
    several.length,
  );
}

function measure(latest: readonly Entry[], all: readonly Entry[]): Distributions {
  const servers = latest.map(({ server }) => server);
  const full = [...new Map(all.map(({ server }) => [server.name, server])).values()];
  const described = servers.map(({ description }) => description ?? '');
  return {
    ...measurePublishers(servers.map(({ name }) => name)),
    months: count(latest.map((entry) => officialOf(entry)?.publishedAt.slice(0, 7) ?? '')),
    versions: count(count(all.map(({ server }) => server.name)).map(([, versions]) => versions)),
    ...measureWords(described),
    descriptionLengths: twentieths(described.map(({ length }) => length)),
    nameLengths: twentieths(servers.map(({ name }) => name.length - namespaceOf(name).length - 1)),
    shapes: count(full.map(shapeOf)).slice(0, 100),
    shares: {
      title: share(full.filter(({ title }) => title).length, full.length),
      website: share(full.filter(({ websiteUrl }) => websiteUrl).length, full.length),
      repository: share(servers.filter(({ repository }) => repository).length, servers.length),
      sharedRepository: measureSharedRepository(servers),
      deprecated: share(
        latest.filter((entry) => officialOf(entry)?.status === 'deprecated').length,
        latest.length,
      ),
    },
  };
}

// Usage: node bench/measure-distributions.ts <latest rows> <rows of all versions>, each a gzipped JSON list
// of registry entries (test/registry/rows-2025-12-18.json.gz has all versions). Rewrites distributions.json.
const [latestFile = '', allFile = ''] = process.argv.slice(2);
const measured = measure(readRows(latestFile), readRows(allFile));
writeFileSync(new URL('distributions.json', import.meta.url), `${JSON.stringify(measured)}\n`);
