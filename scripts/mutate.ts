import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';

// Usage: npm run lab mutate -- [--sample 8] [--seed 1] [--module claims]. Changes the source of a module at
// one place after the other, in a copy of the tree, and runs the tests of the module: a change that none of
// them notices shows what is not tested. Stryker 10.1 does not serve: it stops at the API of TypeScript 7
// unless its tsconfig is one that does not exist, draws no sample, and its runner for vitest switches changes
// on inside the test process, so that `dossier` as started by tests has none.
const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    module: { type: 'string' },
  },
});

/** The tests of each module of src: folders of test/, and beginnings of file names. */
const testsOf: Record<string, string> = {
  actions: 'moderation properties/moderation',
  audit: 'transparency-log moderation/audit',
  claims: 'claims evidence/challenge properties/claim repositories/many-claims mcp/wire',
  document: 'compare cli/lock http/listing http/not-known evidence/criteria mcp/answers mcp/summary',
  http: 'http mcp/robustness mcp/answer-cache properties/answer-cache',
  imports: 'registry http/imports http/changes ratings/history',
  limits: 'limits http/limits http/shared-limits',
  listings: 'registry store evidence/tags http/publishers',
  log: 'transparency-log witness evidence/log properties/merkle http/changes',
  mcp: 'mcp',
  moderation: 'moderation properties/moderation http/forms http/registry-api',
  net: 'repositories claims/domains observer/dns properties/repository-url',
  observations: 'observer',
  ratings:
    'ratings properties/rating evidence/identity http/ratings mcp/wire moderation/actions moderation/gone-texts',
  receipt: 'receipt ratings/service-receipt',
  search: 'http/search http/similar evidence/search evidence/static-rank store/sqlite',
  store: 'store backup registry/lease',
  tools:
    'mcp ratings compare http/search http/dead-ends http/named http/changes claims/claim-agent moderation/reports',
  views: 'http',
  webhooks: 'webhooks cli/webhooks',
};

/** One change of a file: what stands from `start` to `end` becomes `text`. */
interface Mutation {
  readonly file: string;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What runs if a test reaches the change. */
  readonly node: Node;
  /** In a function; all else runs once, when the file is imported. */
  readonly called: boolean;
}
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const opposites = new Map(
  ['< <=', '<= <', '> >=', '>= >', '=== !==', '!== ===', '+ -', '- +', '&& ||', '|| &&'].map(
    (pair) => pair.split(' ') as [string, string],
  ),
);
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const nodesIn = (value: unknown): Node[] => [value].flat().filter(isNode);

/** What can be changed at a node: the kind of change, the piece of source that it replaces, the new text. */
function* changesAt(
  node: Node,
  source: string,
): Generator<[kind: string, replaced: Pick<Node, 'start' | 'end'>, text: string]> {
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const { type } = node;
  const { test, expression, left, right, operator, body, callee } = node as Record<string, Node | undefined>;
  if (test && /^(If|Conditional|While)/.test(type)) yield ['negate a condition', test, `!(${textOf(test)})`];
  if (type === 'IfStatement' && !node.alternate) yield ['drop an if', node, '{}'];
  if (type === 'ExpressionStatement' && /^(Call|Await)/.test(expression?.type ?? ''))
    yield ['drop a call', node, '{}'];
  const opposite = opposites.get(String(operator));
  if (/^(Binary|Logical)/.test(type) && left && right && opposite) {
    const between = source.slice(left.end, right.start).replace(String(operator), opposite);
    yield ['change an operator', node, `(${textOf(left)}${between}${textOf(right)})`];
  }
  if (type === 'Literal' && typeof node.value === 'number')
    yield ['change a number', node, String(node.value + 1)];
  if (type === 'Literal' && typeof node.value === 'boolean')
    yield ['flip a boolean', node, String(!node.value)];
  if (/Function/.test(type) && body?.type === 'BlockStatement')
    yield ['return early', { start: body.start + 1, end: body.start + 1 }, ' return undefined;'];
  if (type === 'CallExpression' && callee?.type === 'MemberExpression') {
    const [object] = nodesIn(callee.object);
    if (object && /\.(filter|slice|toSorted|toReversed|toLowerCase|trim)$/.test(textOf(callee)))
      yield ['drop a step', { start: object.end, end: node.end }, ''];
  }
  const elements = nodesIn(node.elements);
  if (type === 'ArrayExpression' && elements.length > 1)
    for (const element of elements) yield ['drop an element', element, '...[]'];
  for (const member of nodesIn(node.properties))
    if (member.type === 'SpreadElement') yield ['drop members', member, '...{}'];
}

const parse = (source: string) => parseAst(source, { lang: 'ts' }) as unknown as Node;
const change = (source: string, { start, end, text }: Mutation) =>
  source.slice(0, start) + text + source.slice(end);
function isParsed(source: string): boolean {
  try {
    return isNode(parse(source));
  } catch {
    return false;
  }
}

function mutationsOf(file: string): Mutation[] {
  const source = readFileSync(file, 'utf8');
  const found: Mutation[] = [];
  const walk = (node: Node, outside: boolean) => {
    // Types do nothing when the code runs; `x as T` and `x satisfies T` have a value in them.
    if (node.type.startsWith('TS') && !isNode(node.expression)) return;
    const called = outside || /Function/.test(node.type);
    for (const [kind, { start, end }, text] of changesAt(node, source))
      found.push({ file, kind, start, end, text, node, called });
    for (const child of nodesIn(Object.values(node).flat())) walk(child, called);
  };
  walk(parse(source), false);
  return found;
}

/** What SQLite does not run, and dictionaries, which a test could only repeat. */
const notDrawn = ['**/postgres/**', '**/postgres.ts', '**/synonyms-*.ts'];

/** The same ones for the same seed and source; a change of one file leaves the order of the others. */
function draw(module: string): Mutation[] {
  const keyOf = ({ file, kind, start }: Mutation) =>
    createHash('sha256').update(`${values.seed} ${file} ${kind} ${start}`).digest('hex');
  const keyed = globSync(`src/${module}/**/*.ts`, { exclude: notDrawn })
    .flatMap(mutationsOf)
    .map((mutation) => ({ mutation, key: keyOf(mutation) }));
  return keyed
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ mutation }) => mutation)
    .filter((mutation) => isParsed(change(readFileSync(mutation.file, 'utf8'), mutation)))
    .slice(0, Number(values.sample));
}

let stop = () => {};
/** Runs a command to its end: what it printed, '' if it ended well, undefined after the time limit. */
async function failureOf(
  [command = '', ...args]: readonly string[],
  limit_ms: number,
): Promise<string | undefined> {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  stop = () => {
    if (child.pid && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  // A test that ended early leaves the processes that it started; a mutation may let them run for ever.
  child.once('exit', () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // None was left.
    }
  });
  const timer = setTimeout(stop, limit_ms);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  if (code === 0) return '';
  return code === null ? undefined : (await output).join('').trim();
}

/** What nothing uses any more is no fault: it is what dropping a statement leaves. */
const types = [
  'tsc',
  '--noUnusedLocals',
  'false',
  '--noUnusedParameters',
  'false',
  '--incremental',
  '--tsBuildInfoFile',
  '.tsbuildinfo',
];

/** On a busy machine a slow test is no failed one; a mutation that makes tests hang meets our own limit. */
const patience = ['--testTimeout', '300000', '--hookTimeout', '300000'];

/** The first test that fails; '' if there is none, undefined after the time limit. */
async function failedTest(tests: readonly string[], limit_ms: number): Promise<string | undefined> {
  const failed = await failureOf(
    ['vitest', 'run', '--project', 'sqlite', '--bail', '1', ...patience, ...tests],
    limit_ms,
  );
  return failed ? (/FAIL\s+(.*)/.exec(failed)?.[1] ?? failed.split('\n').at(-1)) : failed;
}

/** Writes once for each test file that it was run; another process or thread has no test file. */
const probe = (place: number) => `(() => {
  const line = \`${place} \${globalThis.__vitest_worker__?.filepath ?? ''}\\n\`;
  const lines = (globalThis.mutateLines ??= new Set());
  if (lines.has(line)) return;
  lines.add(line);
  process.getBuiltinModule('node:fs').appendFileSync('${join(copy, 'reached.txt')}', line);
})()`;

/** The source with a probe at each place. */
function withProbes(source: string, places: readonly (readonly [number, Mutation])[]): string {
  const inserted = places.flatMap(([place, { node }]) => {
    const { start, end, body } = node as Node & { readonly body?: Node };
    if (/Function/.test(node.type))
      return [{ at: (body?.start ?? start) + 1, text: `${probe(place)};`, order: 0 }];
    const [open, close] = /Statement$/.test(node.type)
      ? [`{${probe(place)};`, '}']
      : [`(${probe(place)},`, ')'];
    // At one place the inner ends come first, then the outer beginnings.
    return [
      { at: start, text: open, order: source.length - (end - start) },
      { at: end, text: close, order: end - start - source.length },
    ];
  });
  return inserted
    .toSorted((a, b) => b.at - a.at || b.order - a.order)
    .reduce((text, { at, text: more }) => text.slice(0, at) + more + text.slice(at), source);
}

/**
 * Runs all tests of a module once. The test files that reach each mutation, those first that reach the fewest
 * of all: they are most likely about it. '' is among them if another process reaches it.
 */
async function reachedBy(tests: readonly string[], mutations: readonly Mutation[]) {
  const sources = new Map(mutations.map(({ file }) => [file, readFileSync(file, 'utf8')]));
  const probed = [...mutations.entries()].filter(([place, mutation]) =>
    isParsed(withProbes(sources.get(mutation.file) ?? '', [[place, mutation]])),
  );
  for (const [file, source] of sources)
    writeFileSync(
      file,
      withProbes(
        source,
        probed.filter(([, mutation]) => mutation.file === file),
      ),
    );
  const failure = await failedTest(tests, 1_800_000);
  if (failure !== '')
    throw new Error(`without a mutation: ${failure ?? 'the tests take more than half an hour'}`);
  for (const [file, source] of sources) writeFileSync(file, source);
  const reached = new Map(mutations.map((_mutation, place) => [place, new Set([''])]));
  for (const [place] of probed) reached.get(place)?.clear();
  const lines = existsSync('reached.txt') ? readFileSync('reached.txt', 'utf8') : '';
  for (const [, place, file = ''] of lines.matchAll(/^(\d+) (.*)$/gm)) reached.get(Number(place))?.add(file);
  rmSync('reached.txt', { force: true });
  const timesOf = (file: string) => [...reached.values()].filter((files) => files.has(file)).length;
  return (place: number): readonly string[] =>
    [...(reached.get(place) ?? [])].toSorted((a, b) => timesOf(a) - timesOf(b));
}

/** As many test files as run at the same time. */
const firstFiles = 3;

/** The first test that fails, or error of types; '' if there is none, undefined after the time limit. */
async function firstFailure(
  tests: readonly string[],
  reached: readonly string[],
  { called }: Mutation,
  limit_ms: number,
): Promise<string | undefined> {
  const near = reached.filter((file) => file !== '');
  for (const files of [near.slice(0, firstFiles), near.slice(firstFiles)]) {
    const failed = files.length > 0 ? await failedTest(files, limit_ms) : '';
    if (failed !== '') return failed;
  }
  const wider = !called || reached.includes('') ? await failedTest(tests, limit_ms) : '';
  return wider === '' ? (await failureOf(types, limit_ms))?.split('\n')[0] : wider;
}

function toText({ file, kind, start, end, text }: Mutation, source: string): string {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const to = source.indexOf('\n', end);
  const marked = (sign: string, lines: string) => lines.replaceAll(/^/gm, `${sign} `);
  const changed = source.slice(from, start) + text + source.slice(end, to);
  const line = source.slice(0, start).split('\n').length;
  return `${file}:${line} ${kind}\n${marked('-', source.slice(from, to))}\n${marked('+', changed)}\n`;
}

async function mutate(module: string) {
  const tests = (testsOf[module] ?? '').split(' ').map((path) => `test/${path}`);
  const mutations = draw(module);
  const begun = performance.now();
  const reached = await reachedBy(tests, mutations);
  const limit_ms = 3 * (performance.now() - begun) + 30_000;
  const counts = { killed: 0, survived: 0, 'timed out': 0 };
  for (const [place, mutation] of mutations.entries()) {
    const source = readFileSync(mutation.file, 'utf8');
    writeFileSync(mutation.file, change(source, mutation));
    const by = await firstFailure(tests, reached(place), mutation, limit_ms);
    writeFileSync(mutation.file, source);
    const result = by === undefined ? 'timed out' : by ? 'killed' : 'survived';
    counts[result]++;
    const note = by ? `by ${by}\n` : `reached by ${reached(place).length} test files\n`;
    process.stdout.write(`${result.toUpperCase()} ${toText(mutation, source)}${note}\n`);
  }
  const figures = Object.entries(counts).map(([result, count]) => `${count} ${result}`);
  process.stdout.write(`${module}, seed ${values.seed}: ${figures.join(', ')}\n\n`);
}

const modules = values.module === undefined ? Object.keys(testsOf) : [values.module];
for (const module of modules)
  if (!testsOf[module]) throw new Error(`no module ${module}; there are ${Object.keys(testsOf).join(', ')}`);
const copy = mkdtempSync(join(tmpdir(), 'dossier-mutate-'));
process.on('exit', () => {
  stop();
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
for (const file of execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
  encoding: 'utf8',
}).split('\0'))
  if (file && existsSync(file)) cpSync(file, join(copy, file));
symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
process.chdir(copy);
for (const module of modules) await mutate(module);
