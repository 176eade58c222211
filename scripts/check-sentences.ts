import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { compareAgents } from '../src/tools/compare-agents.ts';
import { getAgent } from '../src/tools/get-agent.ts';
import { resolveAgents } from '../src/tools/resolve-agents.ts';
import { searchAgents } from '../src/tools/search-agents.ts';
import { callTool } from '../src/tools/tool.ts';
import { type Directory, openDirectory } from '../test/support/directory.ts';
import type { RegistryEntry } from '../test/support/entries.ts';
import { checkFacts, createRecords, type Records } from './sentence-facts.ts';
import { contradictionsIn, ownWordsOf, repeatedIn, sentencesOf, textOfPage } from './sentence-rules.ts';

// Usage: npm run lab check:sentences -- [--every N] [FILE ...]. Imports saved copies of a registry, each into
// a service of its own, reads every answer about every listing, or every Nth, and counts sentences that are
// false by the record, deny each other, or speak in the words of others. Without a file it takes those that
// stand beside the project, and nothing where there are none.
const { values, positionals } = parseArgs({
  options: { every: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const every = Number(values.every);
const beside = ['registry-all-versions-2025-12-18', 'registry-latest-2026-05-14'].map(
  (name) => new URL(`../../shared/data/${name}.json.gz`, import.meta.url).pathname,
);
const files = positionals.length > 0 ? positionals : beside.filter((file) => existsSync(file));
const say = (text: string) => process.stdout.write(`${text}\n`);

const kinds = ['false', 'contradicting', 'repeated', 'unquoted'] as const;
type Kind = (typeof kinds)[number];
interface Found {
  readonly kind: Kind;
  readonly handle: string;
  readonly door: string;
  readonly what: string;
}

/** The entries of a saved copy: a list, or the pages of a registry's answer. */
function readEntries(file: string): RegistryEntry[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const read = JSON.parse(text) as RegistryEntry[] | { servers: RegistryEntry[] };
  return Array.isArray(read) ? read : read.servers;
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const criteria = [
  'active',
  'has_endpoint',
  'has_repository',
  'needs_no_secret',
  'listed_for_days:100',
  'namespace_matches_repository_owner',
  'endpoint_at_domain',
  'nothing_shared',
  'publisher_listings_at_most:5',
  'endpoint_observed_alive',
  'price_known',
  'package_not_deprecated',
].map((name) => {
  const [criterion = '', value] = name.split(':');
  return value === undefined ? { criterion } : { criterion, value: Number(value) };
});

/** The lines of a comparison of several listings, by handle. */
async function readCompared({ context }: Directory, handles: readonly string[]) {
  const asked = handles.length > 1 ? handles : [...handles, 'com.none/none'];
  const answer = await callTool(compareAgents, { handles: asked, criteria } as never, context);
  const { listings } = JSON.parse(JSON.stringify(answer)) as {
    readonly listings: readonly (Record<'imported' | 'observed' | 'native', Record<string, string>> & {
      readonly handle: string;
      readonly description?: string;
    })[];
  };
  return new Map(
    listings.map(({ handle, imported, observed, native, ...one }) => {
      const results = Object.entries({ ...imported, ...observed, ...native });
      const judged = results.map(([name, result]) => `${name}: ${result}`);
      return [handle, [...judged, ...textsIn({ ...one, description: undefined })].join('\n')];
    }),
  );
}

/** What is said of a listing, by door; members that others write are left out. */
export interface Said {
  /** The day of the answers, on which the copy was read as well. */
  readonly today: string;
  readonly endpoint: string | undefined;
  readonly repository: string | undefined;
  readonly stands_out: string;
  readonly similar: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
  /** What is so of it according to each criterion: `has_endpoint: met. …`. */
  readonly compared: string;
}

const betweenHits = '\n-\n';

async function readSaid(
  directory: Directory,
  handle: string,
  compared: string,
  facts: string,
): Promise<Said> {
  const { context, app } = directory;
  const answer = await callTool(getAgent, { handle }, context);
  const full = await callTool(getAgent, { handle, detail: 'full' }, context);
  const similar = await callTool(searchAgents, { similar_to: handle }, context);
  const json = JSON.parse(JSON.stringify(answer)) as Record<string, unknown>;
  const { endpoint, repository } = json;
  const fields = new Set(['title', 'description', 'endpoint', 'repository', 'repository_folder', 'tags']);
  const own = Object.entries(json).filter(([name]) => !fields.has(name) && name !== 'untrusted_fields');
  const page = await (await app.request(`/agents/${handle}`)).text();
  return {
    today: context.clock().toISOString().slice(0, 10),
    endpoint: endpoint as string | undefined,
    repository: repository as string | undefined,
    stands_out: [...(full.markdown?.matchAll(/^Stands out: .*$/gm) ?? [])].join(' '),
    similar: similar.listings.map((one) => one.handle),
    compared,
    texts: {
      JSON: textsIn(Object.fromEntries(own)).join('\n'),
      text: getAgent.toText?.(answer) ?? '',
      Markdown: full.markdown ?? '',
      hit: facts,
      similar: similar.listings
        .map((one) => textsIn(JSON.parse(JSON.stringify(one.facts))).join('\n'))
        .join(betweenHits),
      criteria: compared,
      page: textOfPage(page, 'own'),
      badge: ((await (await app.request(`/badge/${handle}.json`)).json()) as { message: string }).message,
    },
  };
}

function check(handle: string, said: Said, records: Records): Found[] {
  const found: Found[] = [];
  const add = (kind: Kind, door: string, all: readonly string[]) =>
    found.push(...all.map((what) => ({ kind, handle, door, what })));
  add('false', 'all', checkFacts(handle, said, records));
  add('repeated', 'JSON', repeatedIn(sentencesOf(said.texts.JSON ?? '')));
  for (const [door, text] of Object.entries(said.texts)) {
    add('contradicting', door, text.split(betweenHits).flatMap(contradictionsIn));
    const own = ownWordsOf(text);
    add(
      'unquoted',
      door,
      records.foreignOf(handle).filter((word) => own.includes(word)),
    );
  }
  return found;
}

const batch = 8;

async function checkFile(file: string): Promise<boolean> {
  const entries = readEntries(file);
  const records = createRecords(entries);
  const directory = await openDirectory({ entries: [], environment: { LIMITS: 'off' }, isClockStill: true });
  await directory.importEntries(entries);
  const handles = records.handles.filter((_, at) => at % every === 0);
  const found: Found[] = [];
  let sentences = 0;
  let listings = 0;
  for (let at = 0; at < handles.length; at += batch) {
    const some = handles.slice(at, at + batch);
    const compared = await readCompared(directory, some);
    const { results } = await callTool(resolveAgents, { handles: some }, directory.context);
    for (const [place, handle] of some.entries()) {
      const facts = textsIn(JSON.parse(JSON.stringify(results[place]?.facts ?? []))).join('\n');
      if (results[place]?.outcome !== 'listed') continue;
      const said = await readSaid(directory, handle, compared.get(handle) ?? '', facts);
      listings += 1;
      sentences += Object.values(said.texts).reduce((sum, text) => sum + sentencesOf(text).length, 0);
      found.push(...check(handle, said, records));
    }
  }
  await directory.close();
  const counts = kinds.map((kind) => `${found.filter((one) => one.kind === kind).length} ${kind}`);
  say(`${basename(file)}: ${listings} listings, ${sentences} sentences: ${counts.join(', ')}`);
  for (const kind of kinds)
    for (const { handle, door, what } of found.filter((one) => one.kind === kind).slice(0, 20))
      say(`  ${kind}, ${handle}, ${door}: ${what.slice(0, 300)}`);
  return found.length === 0;
}

if (files.length === 0) say('There is no saved copy to check; name one.');
for (const file of files) if (!(await checkFile(file))) process.exitCode = 1;
