import { parseArgs } from 'node:util';
import { createBaseline } from './baseline.ts';
import { readJudged, readRead } from './judged.ts';
import { makeKnownItems } from './known-items.ts';
import { readCopy } from './listings.ts';
import { type Answers, ask, bestPrecision, measureJudged, measureKnown, shown } from './measure.ts';
import { openService } from './service.ts';
import { makeVendorQueries, missedVendors } from './vendors.ts';

// Usage: npm run lab eval:search -- --data COPY [--engine postgres] [--final] [--blind] [--seed N] [--misses]
// [--handles N]
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    final: { type: 'boolean', default: false },
    blind: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    misses: { type: 'boolean', default: false },
    handles: { type: 'string', default: 'all' },
  },
});
if (!values.data) throw new Error('--data PATH: a registry copy, JSON or gzipped JSON');

const asked = 20;
const listings = readCopy(values.data);
const mostHandles = values.handles === 'all' ? listings.length : Number(values.handles);
const baseline = createBaseline(listings, asked);
const fewAnswers = 5;
const made = makeKnownItems(listings, { seed: Number(values.seed), mostHandles });
const few = made
  .find(({ kind }) => kind === 'two words')
  ?.items.filter(({ query }) => baseline.countAll(query) <= fewAnswers);
const known = [{ kind: 'two words that at most five listings have', items: few ?? [] }, ...made];
const sets = [
  'tune' as const,
  'fresh' as const,
  ...(values.final ? (['final'] as const) : []),
  ...(values.blind ? (['blind'] as const) : []),
];
const judged = sets.map((set) => ({ set, queries: readJudged(set) }));
const vendors = Object.entries(makeVendorQueries(listings));
const queries = [
  ...vendors.flatMap(([, all]) => all.map(({ query }) => query)),
  ...known.flatMap(({ items }) => items.map(({ query }) => query)),
  ...judged.flatMap((one) => one.queries.map(({ query }) => query)),
];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const print = (...cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

/** Prints the table of the README. */
function report(product: Answers, plain: Answers): void {
  print('known items', 'questions', 'first', 'top 5', 'bm25 first', 'bm25 top 5');
  print('---', '---', '---', '---', '---', '---');
  for (const { kind, items } of known) {
    const ours = measureKnown(product, items);
    const theirs = measureKnown(plain, items);
    print(kind, items.length, ...[ours.first, ours.topFive, theirs.first, theirs.topFive].map(percent));
  }
  process.stdout.write('\n');
  print(
    'judged queries',
    'queries',
    'precision at 5',
    'one right in 5',
    'no hit',
    'bm25 precision',
    'bm25 one right',
    'best possible',
  );
  print('---', '---', '---', '---', '---', '---', '---', '---');
  for (const { set, queries: all } of judged)
    for (const kind of ['all', ...new Set(all.map((one) => one.kind))]) {
      const some = kind === 'all' ? all : all.filter((one) => one.kind === kind);
      const ours = measureJudged(product, some);
      const theirs = measureJudged(plain, some);
      print(
        `${set}: ${kind}`,
        some.length,
        percent(ours.precision),
        percent(ours.success),
        ours.deadEnds,
        percent(theirs.precision),
        percent(theirs.success),
        percent(bestPrecision(some)),
      );
    }
  process.stdout.write('\n');
  print('vendors', 'queries', 'own listing first', 'bm25', 'missed');
  print('---', '---', '---', '---', '---');
  for (const [kind, all] of vendors) {
    const missed = missedVendors(product, all);
    const theirs = missedVendors(plain, all).length;
    const share = (count: number) => percent(1 - count / all.length);
    print(kind, all.length, share(missed.length), share(theirs), missed.map(({ query }) => query).join(', '));
  }
  process.stdout.write(`\n${listings.length} listings; mean of a query ${product.mean_ms.toFixed(2)} ms\n`);
}

/** Prints what is among the first five and not relevant, or not judged. */
function printMisses({ byQuery }: Answers): void {
  const read = readRead();
  for (const { set, queries: all } of judged)
    for (const { id, query, relevant } of set === 'tune' || set === 'fresh' ? all : [])
      for (const handle of (byQuery.get(query) ?? []).slice(0, shown)) {
        if (relevant.includes(handle)) continue;
        const state = read[id]?.includes(handle) ? 'wrong' : 'unjudged';
        const text = listings.find((one) => one.handle === handle)?.description;
        process.stdout.write(`${id} ${query} | ${state} | ${handle} | ${text}\n`);
      }
}

/** Queries that two engines answer differently. */
const differences = (a: Answers, b: Answers) =>
  [...a.byQuery].filter(([query, handles]) => handles.join() !== b.byQuery.get(query)?.join());

async function askEngine(engine: 'sqlite' | 'postgres', copy: string): Promise<Answers> {
  const service = await openService(engine, copy, asked);
  try {
    return await ask(service.find, queries);
  } finally {
    await service.close();
  }
}

const product = await askEngine('sqlite', values.data);
report(product, await ask(baseline.find, queries));
if (values.misses) printMisses(product);
if (values.engine === 'postgres') {
  const other = await askEngine('postgres', values.data);
  const different = differences(product, other);
  process.stdout.write(
    `PostgreSQL: mean of a query ${other.mean_ms.toFixed(2)} ms; ${different.length} of ${product.byQuery.size} queries answered differently, ${asked} deep\n`,
  );
  for (const [query] of different.slice(0, 10)) process.stdout.write(`  ${query}\n`);
  if (different.length > 0) process.exitCode = 1;
}
