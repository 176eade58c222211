import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tables } from '../src/app/schema.ts';

/** Each module of src and its floor, as docs/architecture.md shows them. */
const floors = new Map(
  [...readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| (\d+) \| \[`([a-z.]+)\/?`\]/gm)].map(
    ([, floor, name = '']) => [name, Number(floor)],
  ),
);

/** Each dependency with one home: the only files that may import it, but for its types. */
const homes: Record<string, readonly string[]> = {
  'node:sqlite': ['store/sqlite/connection.ts'],
  pg: ['store/postgres/connection.ts', 'store/postgres/watch.ts'],
  'lru-cache': [
    'app/cached-store.ts',
    'store/sqlite/connection.ts',
    'http/cache/answer-cache.ts',
    'core/cached-once.ts',
    'observations/asked/hosts/robots.ts',
    'webhooks/deliver.ts',
  ],
  diff: ['core/difference/word-difference.ts'],
  'dns-packet': ['net/dns.ts'],
  jose: ['receipt/index.ts'],
  '@noble/curves': ['core/keys/ethereum.ts'],
  '@noble/hashes': ['core/keys/ethereum.ts'],
  typebox: ['imports/entry.ts'],
  undici: ['net/client.ts'],
  '@sigstore/bundle': ['observations/asked/packages/sigstore.ts'],
  '@sigstore/protobuf-specs': ['observations/asked/packages/sigstore.ts'],
  yauzl: ['observations/asked/packages/advisories.ts'],
  '@sigstore/verify': ['observations/asked/packages/sigstore.ts'],
  canonicalize: ['log/leaf.ts'],
  'badge-maker': ['views/listing/badge.ts'],
  commander: ['cli/command-line.ts'],
  'cli-progress': ['cli/shell.ts'],
  'jsonc-parser': ['cli/hook/hook.ts', 'cli/inventory/configurations.ts', 'listings/references/pasted.ts'],
  'smol-toml': ['cli/inventory/configurations.ts', 'listings/references/pasted.ts'],
  yaml: ['cli/inventory/configurations.ts', 'listings/references/pasted.ts'],
  pino: ['telemetry/logger.ts'],
  '@takumi-rs/wasm': ['views/cards/link-card-drawing.ts'],
  tinypool: ['http/routes/assets.ts'],
  '@opentelemetry/api': ['tools/tool.ts'],
  'prom-client': ['telemetry/metrics.ts'],
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
    isLazy: lazy !== undefined,
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

/** The tables of one engine alone, which no module declares, and whose they are. */
const engineTables = [
  ['listing_search', 'search'],
  ['listing_facet', 'search'],
  ['search_doc', 'search'],
  ['changed_handles', 'store'],
] as const;
const declared = sources.flatMap((path) =>
  [...read(path).matchAll(/\btable\(\s*'(\w+)'/g)].map(([, name = '']) => [name, partOf(path)] as const),
);
/** Each table and the module that declares it. */
const owners = new Map<string, string>([...declared, ...engineTables]);

const tableName = `(${[...owners.keys()].join('|')})`;
const inSql = new RegExp(`\\b(?:from|join|into|update|table)\\s+(?:only\\s+)?"?${tableName}\\b`, 'gi');
const quoted = new RegExp(`'${tableName}(?: as \\w+)?'`, 'g');
const inQuery = new RegExp(
  `(?:selectFrom|Join|insertInto|updateTable|deleteFrom|upsert|findOne)\\((?:\\s*\\w+,)?\\s*${quoted.source}`,
  'g',
);

/** The tables that a text of src names: in SQL, in queries, and, if it makes tables of names, anywhere. */
function tablesIn(text: string): Set<string> {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const patterns = [inSql, inQuery, ...(code.includes('sql.table(') ? [quoted] : [])];
  return new Set(patterns.flatMap((one) => [...code.matchAll(one)].map(([, name = '']) => name)));
}

/** The queries of the store by their noun, such as `ratings`, each with the module that makes them. */
const makersOf = (text: string) =>
  [...text.matchAll(/^ {2}(\w+): (create\w+)\(/gm)].map(([, noun = '', make = '']) => {
    const [, path = 'app/'] =
      new RegExp(`import \\{[^}]*\\b${make}\\b[^}]*\\} from '\\.\\./([^']+)'`).exec(text) ?? [];
    return [noun, partOf(path)] as const;
  });
const nounOwners = new Map(makersOf(read('app/sql-store.ts')));

const storeType = "(?:\\w*Transaction|Reads|Store|Context\\['store'\\])(?!\\w)";

/**
 * The queries of the store that a text of src names: of a transaction, of the store or of its reads, by a
 * name that it gives them, as members that it takes out of them, or in a type.
 */
function nounsIn(text: string): Set<string> {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const given = [
    ...code.matchAll(/\b(?:write|snapshot)\(\s*(?:async )?\(?(\w+)\)? =>/g),
    ...code.matchAll(new RegExp(`\\b(\\w+): (?:Pick<)?${storeType}`, 'g')),
  ].map(([, name = '']) => name);
  const names = `(?:${[...new Set(['store', 'health', 'tx', 'reads', ...given])].join('|')})`;
  const noun = `(${[...nounOwners.keys()].join('|')})`;
  const ones = [`\\b${names}\\??\\.${noun}\\b`, `\\b${storeType}\\['${noun}'\\]`];
  const lists = [
    `\\{([^{}]*)\\} = (?:await )?(?:\\w+\\.)*${names};`,
    `\\{([^{}]*)\\}: (?:Pick<)?${storeType}`,
    `\\bstore: \\{([^{}]*)\\}`,
    '\\b(?:write|snapshot)\\(\\s*(?:async )?\\(\\{([^{}]*)\\}',
    `\\bPick<${storeType},([^>]*)>`,
    '\\bTransactionPart<([^>]*)>',
  ];
  const matched = (pattern: string) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(([, one = '']) => one);
  const listed = lists.flatMap(matched).flatMap((list) => list.match(/\w+/g) ?? []);
  return new Set([...ones.flatMap(matched), ...listed.filter((one) => nounOwners.has(one))]);
}

/** Who takes a text of a table, a number or a digest for our own words (`ours` of core/words.ts). */
const oursUsers = [
  'document/answers/agent-answer.ts',
  'document/answers/all-facts.ts',
  'document/answers/answers.ts',
  'document/answers/history.ts',
  'document/answers/lines.ts',
  'document/answers/stands-out.ts',
  'document/answers/whose.ts',
  'document/changes.ts',
  'document/criteria/criteria.ts',
  'document/criteria/observed.ts',
  'document/hit.ts',
  'document/pictures/changes.ts',
  'document/rated.ts',
  'document/record.ts',
  'document/resolved.ts',
  'document/sentences.ts',
  'document/words.ts',
  'observations/known/changes/telling.ts',
  'observations/known/kinds/lists/tools.ts',
  'observations/known/kinds/moves.ts',
  'observations/known/prices/assets.ts',
  'observations/known/prices/compare.ts',
  'observations/known/prices/notes.ts',
  'observations/known/prices/quoted-amount.ts',
  'observations/known/prices/words.ts',
  'views/log-page.ts',
];

const reader =
  '(?:match|matchAll|replace|replaceAll|split|search|slice|substring|startsWith|endsWith|includes|indexOf|at|charAt)';

/** Where the text that a renderer of words returns is read, itself or by its name. */
function readingsIn(text: string, renderer: string): string[] {
  const call = `\\b${renderer}\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)`;
  const names = [...text.matchAll(new RegExp(`\\b(?:const|let) (\\w+) = ${call};`, 'g'))].map(
    ([, name]) => name,
  );
  const said = `(?:${[call, ...names.map((name) => `\\b${name}\\b`)].join('|')})`;
  const asked = new RegExp(`\\.(?:test|exec|match|split)\\(${said}|${said}\\??\\.${reader}\\b`, 'g');
  return [...text.matchAll(asked)].map(([found]) => found);
}

/** The same in a file of src, under the name by which it imports the renderers. */
function readingsOf(path: string): string[] {
  if (path === 'core/words.ts') return [];
  const text = read(path);
  const [, names = ''] = /import \{([^}]*)\} from '[./]*core\/words\.ts'/.exec(text) ?? [];
  const renderers = [...names.matchAll(/\b(?:toText|toMarkdown)\b(?: as (\w+))?/g)];
  const found = renderers.flatMap(([name = '', alias]) =>
    readingsIn(text.replaceAll(statement, ''), alias ?? name),
  );
  return found.map((one) => `${path}: ${one}`);
}

describe('architecture', () => {
  it('docs/architecture.md names every module of src', () => {
    expect([...floors.keys()].sort()).toEqual([...new Set(sources.map(partOf))].sort());
  });
  it('docs/architecture.md has five storeys, which have each floor once and in their order', () => {
    const rows = readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| (\w+) \| (\d+) to (\d+) \|/gm);
    const storeys = [...rows].map(([, name = '', from, to]) => ({
      name,
      from: Number(from),
      to: Number(to),
    }));
    expect(storeys.map(({ name }) => name)).toEqual(['ground', 'nouns', 'answers', 'adapters', 'process']);
    const covered = storeys.flatMap(({ from, to }) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    );
    expect(covered).toEqual([...new Set(floors.values())].sort((a, b) => a - b));
  });
  it.each([...floors])('%s imports only modules below floor %i', (part, floor) => {
    const used = sources.filter((path) => partOf(path) === part).flatMap(filesOf);
    const others = new Set(used.map(partOf).filter((to) => to !== part));
    expect([...others].filter((to) => (floors.get(to) ?? Number.POSITIVE_INFINITY) >= floor)).toEqual([]);
  });
  it.each([...floors])('%s names only its own tables and those of modules below floor %i', (part, floor) => {
    // A migration makes the tables of all modules, in their order.
    const own = sources.filter((path) => partOf(path) === part && !path.startsWith('store/migrations/'));
    const named = own.flatMap((path) => [...tablesIn(read(path))].map((table) => [path, table] as const));
    const isAbove = (owner: string) => owner !== part && (floors.get(owner) ?? 0) >= floor;
    expect(named.filter(([, table]) => isAbove(owners.get(table) ?? ''))).toEqual([]);
  });
  it.each([...floors])(
    '%s asks the store only for its own nouns and those of modules below floor %i',
    (part, floor) => {
      const own = sources.filter((path) => partOf(path) === part);
      const named = own.flatMap((path) => [...nounsIn(read(path))].map((noun) => [path, noun] as const));
      const isAbove = (owner: string) => owner !== part && (floors.get(owner) ?? 0) >= floor;
      expect(named.filter(([, noun]) => isAbove(nounOwners.get(noun) ?? ''))).toEqual([]);
    },
  );
  it('below app, the whole transaction has no name but where each module takes its part of it', () => {
    const isBelow = (path: string) =>
      partOf(path) !== 'store' && (floors.get(partOf(path)) ?? 0) < (floors.get('app') ?? 0);
    const whole = (path: string) => read(path).replace(statement, '');
    const users = sources.filter((path) => isBelow(path) && /\bTransaction\b/.test(whole(path)));
    expect(users).toEqual([]);
    const pickers = sources.filter((path) => isBelow(path) && read(path).includes('TransactionPart<'));
    expect(pickers.filter((path) => !path.endsWith('/schema.ts'))).toEqual([]);
  });
  it('a noun of the store is found by each way to name it, and has the module that makes its queries', () => {
    const found = (text: string) => [...nounsIn(text)];
    expect(nounOwners.size).toBeGreaterThan(15);
    expect([nounOwners.get('ratings'), nounOwners.get('figures')]).toEqual(['ratings', 'app']);
    expect(found('await tx.ratings.byId(id)')).toEqual(['ratings']);
    expect(found('store.write(async (change) => change.claims.putClaim(claim))')).toEqual(['claims']);
    expect(found('write(async ({ listings, log }) => log.size())')).toEqual(['listings', 'log']);
    expect(found('const f = (to: ClaimTransaction) => to.imports.last();')).toEqual(['imports']);
    expect(found('const { claims, optOuts } = context.store;')).toEqual(['claims', 'optOuts']);
    expect(found("function f({ listings }: Pick<Reads, 'moderation'>) {}")).toEqual([
      'listings',
      'moderation',
    ]);
    expect(found("interface One extends TransactionPart<'claims' | 'log'> {}")).toEqual(['claims', 'log']);
    expect(found("let page: Context['store']['observations'];")).toEqual(['observations']);
    expect(found('({ store: { changes } }: Context) => changes; // tx.log')).toEqual(['changes']);
    expect(found('context.log.info(listing.claims)')).toEqual([]);
  });
  it('a table is found in SQL and in queries, under another name too, and not in a comment', () => {
    const found = (text: string) => [...tablesIn(text)];
    expect(found('sql`select 1 from claim as held join rating on true`')).toEqual(['claim', 'rating']);
    expect(found("db.selectFrom('claim as held').innerJoin('listing', 'a', 'b')")).toEqual([
      'claim',
      'listing',
    ]);
    expect(found("await upsert(db, 'payee', rows, 'key')")).toEqual(['payee']);
    expect(found("const of = (name: 'rating') => sql.table(name);")).toEqual(['rating']);
    expect(found("const kind = 'rating'; // read from claim")).toEqual([]);
  });
  it('the service has every table that a module declares, and only the store goes round the types of tables', () => {
    expect(tables.map(({ name }) => name).sort()).toEqual(declared.map(([name]) => name).sort());
    expect(declared.length).toBeGreaterThan(40);
    const usersOf = (word: string) => sources.filter((path) => read(path).includes(word));
    expect(usersOf('withAnyTable(').map(partOf)).toEqual(['store', 'store']);
    expect(usersOf('declare module')).toEqual(['app/sql-store.ts']);
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
  it.each([
    ['cli/command-line.ts', ['zod', 'canonicalize', 'kysely']],
    ['cli/lock.ts', ['kysely', 'undici', 'tldts', 'semver']],
    ['cli/inventory/inventory.ts', ['kysely', 'undici', 'yaml', 'smol-toml', '@opentelemetry/api']],
    ['observations/known/kinds.ts', ['undici', '@sigstore/verify']],
  ])('%s loads none of %j before it is needed', (start, late) => {
    const loaded = new Set([start]);
    const dependencies = new Set<string>();
    for (const path of loaded)
      for (const { specifier, isType, isLazy } of importsOf(path)) {
        if (isType || isLazy) continue;
        if (specifier.startsWith('.') && specifier.endsWith('.ts'))
          loaded.add(join(dirname(path), specifier));
        else dependencies.add(specifier.split('/')[0] ?? '').add(specifier);
      }
    expect(late.filter((name) => dependencies.has(name))).toEqual([]);
  });
  it('only app opens an engine', () => {
    const opened = sources.filter((path) => !/^(?:app|store)$/.test(partOf(path))).flatMap(filesOf);
    expect(opened.filter((path) => /^store\/(?:sqlite|postgres|migrations)\//.test(path))).toEqual([]);
  });
  it('no route, resource or view reads the store, but to learn of changes', () => {
    // The cache of answers and the sessions of MCP drop what changed: they listen, and read nothing.
    const listens = /\bstore: Pick<Store, 'onChange'>|\bstore\.onChange\(/g;
    const names = /\bstore(?:\??\.\w|\s*[:,)}])|\['store'\]/;
    const reading = sources
      .filter((path) => /^(?:http|resources|views)$/.test(partOf(path)))
      .filter((path) => names.test(read(path).replace(statement, '').replace(listens, '')));
    expect(reading).toEqual([]);
  });
  it('no function that begins an answer waits for anything, so that whatever fails can still be answered', () => {
    // Biome formats the files, so a top-level declaration starts in the first column.
    const begins = sources.flatMap((path) =>
      read(path)
        .split(/^(?=(?:export |async |function |const |class ))/m)
        .filter((text) => /\.(?:writeHead|flushHeaders)\(/.test(text))
        .map((text) => `${path} ${/\bawait\b|\.then\(/.test(text) ? 'waits' : 'never waits'}`),
    );
    expect(begins.sort()).toEqual([
      'http/cache/fast-path.ts never waits',
      'telemetry/metrics.ts never waits',
    ]);
  });
  it('a kind of fact is named in its own file only', () => {
    const isOfKinds = (path: string) => /^observations\/known\/(?:kinds|prices)\//.test(path);
    const names = sources
      .filter(isOfKinds)
      .flatMap((path) => [...read(path).matchAll(/^ +kind: '(\w+\.\w+)',$/gm)].map(([, name = '']) => name));
    expect(names).toContain('price.offers');
    const isNamed = (text: string) =>
      /'shared\.\w+'/.test(text) || names.some((name) => text.includes(`'${name}'`));
    expect(sources.filter((path) => !isOfKinds(path) && isNamed(read(path)))).toEqual([]);
  });
  it('nothing reads back what was said: no text of our words is matched, split, cut or replaced', () => {
    expect(sources.flatMap(readingsOf)).toEqual([]);
    expect(readingsIn("toText(words).replace(/a/, '')", 'toText')).toEqual(['toText(words).replace']);
    expect(readingsIn('/a/.test(toText(f(words)))', 'toText')).toEqual(['.test(toText(f(words))']);
    expect(
      readingsIn('const said = toText(words);\nif (/a/.exec(said)) return said.slice(1);', 'toText'),
    ).toEqual(['.exec(said', 'said.slice']);
  });
  it('only these files make words of ours of what is no literal, and nothing of it is foreign', () => {
    const users = sources.filter((path) => path !== 'core/words.ts' && /\bours\(/.test(read(path)));
    expect(users.toSorted()).toEqual(oursUsers);
  });
  it('no table by any name is read by an index: foreign names may be those of every object', () => {
    const tableForm = /^(?:export )?const (\w+): Readonly<Record<string,/gm;
    const indexed = sources.flatMap((path) =>
      [...read(path).matchAll(tableForm)]
        .filter(([, table]) => new RegExp(`\\b${table}(?:\\?\\.)?\\[`).test(read(path)))
        .map(([, table]) => `${path}: ${table}`),
    );
    expect(indexed).toEqual([]);
    expect(sources.flatMap((path) => [...read(path).matchAll(tableForm)]).length).toBeGreaterThan(15);
  });
  it('a file of tools is one operation, but for what a tool is and their list', () => {
    const files = sources.filter((path) => /^tools\/[^/]+$/.test(path));
    const others = files.filter((path) => !/\bdefineTool\(/.test(read(path)));
    expect(others.toSorted()).toEqual(['tools/index.ts', 'tools/tool.ts']);
  });
  it('one file decides what changes can be about, for feeds and webhooks', () => {
    const asks = /\bkind [!=]== 'handle'|\bcase 'handle'/;
    expect(sources.filter((path) => asks.test(read(path)))).toEqual(['tools/find/changes.ts']);
  });
  it('one file says how long a day is, how its text is cut from a time, and what stands for every listing', () => {
    const days = /\.slice\(0, ?10\)|\b86_?400(?:_?000)?\b/;
    const text = (path: string) => read(path).replace(/^\s*\/?\*.*$/gm, '');
    expect(sources.filter((path) => days.test(text(path)))).toEqual(['core/text.ts']);
    expect(sources.filter((path) => /= '\*';/.test(read(path)))).toEqual(['core/handle.ts']);
  });
  it('one file opens answers to scripts of other sites', () => {
    const sends = /access-control-(?!allow-origin',$)/im;
    expect(sources.filter((path) => sends.test(read(path)))).toEqual(['http/middleware.ts']);
  });
  it('one file names revisions of MCP', () => {
    const named = /'20\d\d-\d\d-\d\d'/;
    expect(sources.filter((path) => named.test(read(path)))).toEqual(['core/revisions.ts']);
  });
  it('one file decides whether a value that was read before a change may be stored', () => {
    const counts = /\b(?:epoch|changes|generation)\b \+= 1|\b(?:epoch|changes|generation)\+\+/;
    expect(sources.filter((path) => counts.test(read(path)))).toEqual(['core/epoch.ts']);
  });
  it('no folder of src has more than 20 files, besides its folders', () => {
    const folders = Map.groupBy(sources, (path) => dirname(path));
    expect([...folders].filter(([, files]) => files.length > 20).map(([folder]) => folder)).toEqual([]);
  });
  it('no file of src has more than 400 lines', () => {
    const lines = (path: string) => read(path).split('\n').length - 1;
    expect(sources.filter((path) => lines(path) > 400)).toEqual([]);
  });
  it('a type has a name that a search finds once, but for the Db of each module and two of the package', () => {
    const declared = /^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm;
    const names = sources.flatMap((path) => [...read(path).matchAll(declared)].map(([, name = '']) => name));
    const again = names.filter((name, at) => name !== 'Db' && names.indexOf(name) !== at);
    expect(again.toSorted()).toEqual(['ListingDocument', 'Problem']);
    expect(names.length).toBeGreaterThan(900);
  });
  it('a function has a name that fewer than four files declare, so that a search finds it', () => {
    const declared =
      /^(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+)(?:: [^=\n]+)? =\s*(?:async )?(?:(?:<[^\n]*>)?\([^\n]*(?:=>|$)|\w+ =>))/gm;
    const names = sources.flatMap((path) => [
      ...new Set([...read(path).matchAll(declared)].map(([, one, other = '']) => one ?? other)),
    ]);
    const count = Map.groupBy(names, (name) => name);
    expect([...count].filter(([, all]) => all.length > 3).map(([name]) => name)).toEqual([]);
    expect(count.size).toBeGreaterThan(3000);
  });
  it('no text is made of a value that may be missing', () => {
    expect(sources.filter((path) => /\bString\([\w.]*\?\.[\w.?]*\)/.test(read(path)))).toEqual([]);
  });
  it('one file reads the environment', () => {
    expect(sources.filter((path) => read(path).includes('process.env'))).toEqual(['cli/command-line.ts']);
  });
  it('no file asks which database it has', () => {
    expect(sources.filter((path) => /dialect [!=]==/.test(read(path)))).toEqual([]);
  });
});
