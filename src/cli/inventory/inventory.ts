import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { asMembers } from '../../core/json.ts';
import { dataError, ExitError, usageError } from '../../core/process.ts';
import { counted, escapeMarks, isWebAddress, quoted, toLine } from '../../core/text.ts';
import { own, say, toMarkdown, toText, type Words } from '../../core/words.ts';
import {
  findingNames,
  findings,
  type InventoryFinding,
  listedFindings,
  unknownName,
  useOf,
} from '../../document/answers/notice-uses.ts';
import {
  type Resolved,
  type ResolvedNames,
  resolvedNames,
  toResolvedLines,
} from '../../document/resolved.ts';
import { annotation } from '../annotation.ts';
import { ask, toBase, unreachable } from '../service.ts';
import { readConfigurations, type UnreadableFile } from './configurations.ts';
import { type ConfiguredLaunch, isPlain, toLaunch } from './launch.ts';
import { isFromElsewhere } from './registries.ts';

/** A Dossier or a dump; by default the database of these settings. */
type InventorySource = readonly [from: string | undefined, config: () => Promise<Config>];

const mostNames = 100;

/** In the order of the names. */
async function askDossier(from: string, sent: { readonly handles: readonly string[] }) {
  const path = '/api/tools/resolve_agents';
  const { status, json } = await ask(toBase(from), path, sent);
  const { data } = resolvedNames.safeParse(json);
  const isComplete =
    data?.results.length === sent.handles.length &&
    data.results.every(({ asked }, at) => asked === sent.handles[at]);
  if (data && isComplete) return data;
  const said = z.object({ detail: z.string() }).safeParse(json).data?.detail;
  const what = `and not an answer of a Dossier about every name that was sent${said ? `: ${toLine(said)}` : ''}`;
  throw unreachable(`${toBase(from)}${path}: HTTP status ${status}, ${what}`);
}

/** In the order of the names. */
async function resolveNames(
  names: readonly string[],
  [from, config]: InventorySource,
): Promise<Partial<ResolvedNames>> {
  if (names.length === 0) return {};
  if (from !== undefined && !isWebAddress(from))
    return (await import('./dump.ts')).resolveInDump(names, from);
  const sent = { handles: names.slice(0, mostNames) };
  const { results: more = [] } = await resolveNames(names.slice(mostNames), [from, config]);
  const ofDatabase = async () => {
    const [{ openContext }, { resolveAgents }, { callTool }] = await Promise.all([
      import('../../app/server.ts'),
      import('../../tools/resolve-agents.ts'),
      import('../../tools/tool.ts'),
    ]);
    const context = await openContext(await config());
    await using _ = context.store;
    return await callTool(resolveAgents, sent, context);
  };
  const answered = await (from === undefined ? ofDatabase() : askDossier(from, sent));
  return { ...answered, results: [...answered.results, ...more] };
}

/** The beginning of a path may be of another listing, and an address may be listed only with its query. */
export function ofPart(result: Resolved | undefined, { left }: ConfiguredLaunch): Resolved | undefined {
  if (!result || !(left === 'path' || (left === 'query' && result.outcome === 'not_listed'))) return result;
  const { asked, handle, near = [] } = result;
  const reason = say`The ${own(left === 'path' ? 'end' : 'query')} of its address was not sent, so its listing cannot be known for certain.`;
  return { asked, outcome: 'not_known', reason, near: handle ? [handle] : near };
}

function findingsOf(launch: ConfiguredLaunch, { outcome, asks_payment, stands_out = [] }: Partial<Resolved>) {
  const found = new Set([
    ...stands_out.map((one) => useOf(one).finding),
    outcome === 'not_listed' ? 'not-listed' : outcome,
    asks_payment && 'paid',
    launch.isPinned === false && 'unpinned',
  ]);
  return findingNames.filter((name) => found.has(name));
}

/** Of what is not listed, nothing else is known. */
function unknownOf(result: Resolved | undefined, found: readonly InventoryFinding[]) {
  if (!result) return [];
  const { outcome, unknown = [] } = result;
  const isListed = outcome === 'listed' || outcome === 'several_listings';
  const names: readonly string[] = isListed
    ? unknown
    : [...listedFindings.map(unknownName), ...(outcome === 'not_known' ? ['withdrawn', 'not-listed'] : [])];
  return findingNames.filter((name) => names.includes(unknownName(name)) && !found.includes(name));
}

const noConfigurations = { configured: [], unreadable: [], files: 0 };

/** Without `files` only of the names that a lock file holds. */
async function readInventory(
  files: readonly string[] | undefined,
  environment: NodeJS.ProcessEnv,
  place: InventorySource,
  held: readonly string[] = [],
) {
  const { configured, ...read } = files ? await readConfigurations(files, environment) : noConfigurations;
  const found = configured.map((one) => ({
    ...one,
    launch: toLaunch(one.server, (...of) => isFromElsewhere(of, one)),
  }));
  const others = held.filter((name) => !found.some(({ launch }) => launch.asked === name));
  const launched = [
    ...found,
    ...others.map((name) => ({
      client: '',
      file: 'held by the lock file',
      name,
      server: asMembers({}),
      launch: { what: name, asked: name } as ConfiguredLaunch,
    })),
  ];
  const names = [...new Set(launched.flatMap(({ launch }) => launch.asked ?? []))];
  const { results = [], evidence_snapshot_date: as_of } = await resolveNames(names, place);
  const servers = launched.map(({ client, file, name, server, launch }) => {
    const result = ofPart(results[names.indexOf(launch.asked ?? '')], launch);
    const found = findingsOf(launch, result ?? {});
    return {
      name: isPlain(name) ? name : '(a name that may be a secret)',
      client,
      file,
      ...launch,
      result,
      findings: found,
      /** What else could be found, and is not known. */
      unknown: unknownOf(result, found),
      isOff: server.disabled === true || server.enabled === false,
    };
  });
  return { servers, as_of, ...read };
}
type Inventory = Awaited<ReturnType<typeof readInventory>>;
type Server = Inventory['servers'][number];

/** What a lock holds of an inventory, and what is said beside the facts of its listings. */
export async function readInventoryToLock(
  files: readonly string[] | undefined,
  environment: NodeJS.ProcessEnv,
  place: InventorySource,
  held?: { readonly names: readonly string[]; readonly failing: ReadonlySet<InventoryFinding> },
) {
  const { servers, unreadable } = await readInventory(files, environment, place, held?.names);
  const isMalware = (one: { key: string; version?: string | undefined }, { result }: Server) =>
    useOf(one).finding === 'malware' && (one.version !== undefined || result?.outcome !== 'listed');
  return {
    handles: servers.flatMap(({ result }) => (result?.outcome === 'listed' ? (result.handle ?? []) : [])),
    /** A part of an address may be another listing's. */
    names: servers.flatMap(({ asked, left }) => (asked !== undefined && left === undefined ? asked : [])),
    unreadable: unreadable.map(unreadableText),
    unlisted: servers.filter(({ result }) => result?.outcome !== 'listed').map(headOf),
    malware: servers.flatMap((one) =>
      (one.result?.stands_out ?? [])
        .filter((notice) => isMalware(notice, one))
        .map(({ text }) => ({ handle: one.result?.handle ?? one.what, said: toText(text) })),
    ),
    said: servers.flatMap(({ result, ...one }) =>
      result?.outcome === 'listed' && result.version_asked
        ? [`${headOf({ ...one, result })}: ${toText(result.version_asked)}`]
        : [],
    ),
    open: servers.filter(isOpen(held?.failing ?? new Set())).map((one) => ({
      at: [one.file, one.name] as const,
      text: `${headOf(one)}: not known: ${one.unknown.filter((name) => held?.failing.has(name)).join(', ')}`,
    })),
    failed: servers.flatMap((one) => {
      const found = one.findings.filter((name) => held?.failing.has(name));
      if (found.length === 0) return [];
      const isAbout = (notice: { key: string }) => found.some((name) => name === useOf(notice).finding);
      const texts = (one.result?.stands_out ?? []).filter(isAbout).map(({ text }) => ` ${toText(text)}`);
      const named = found.map((name) => findings[name].words).join(', ');
      return { at: [one.file, one.name] as const, text: `${headOf(one)}: ${named}.${texts.join('')}` };
    }),
  };
}
export type InventoryToLock = Awaited<ReturnType<typeof readInventoryToLock>>;

function linesOf({ result, left }: Server): Words[] {
  if (!result) return [own('No Dossier was asked about this server.')];
  const isCut = left === 'query' && result.outcome === 'listed';
  return [...toResolvedLines(result), ...(isCut ? [own('The query of its address was not sent.')] : [])];
}

const headOf = ({ name, client, file, isOff, what, version, isPinned }: Server): string =>
  `${quoted(toLine(name))} (${[client, file, isOff && 'switched off'].filter(Boolean).join(', ')}): ${what}${version ? `, version ${version}` : ''}${isPinned === false ? ', not pinned' : ''}`;

const unreadableText = ({ file, line, column, why }: UnreadableFile): string =>
  `${file}${line ? `:${line}:${column}` : ''}: ${why}; left out`;

function totalsOf({ servers, unreadable, files }: Inventory): string {
  const count = (isCounted: (server: Server) => boolean) => servers.filter(isCounted).length;
  const ended = (outcome: Resolved['outcome']) => count(({ result }) => result?.outcome === outcome);
  const found = (name: InventoryFinding) => count((one) => one.findings.includes(name));
  const counts: [number, string][] = [
    [ended('listed'), 'listed'],
    [ended('several_listings'), 'recorded by several listings'],
    ...findingNames.map((name): [number, string] => [found(name), findings[name].words]),
    [ended('not_known'), 'not known'],
    [count(({ result }) => !result), 'not asked about'],
    [unreadable.length, 'left out'],
  ];
  const shown = counts.filter(([many]) => many > 0).map(([many, what]) => `${many} ${what}`);
  return `${counted(servers.length, 'server')} in ${counted(files, 'file')}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}.`;
}

const toItems = ({ servers, unreadable }: Inventory) => [
  ...unreadable.map((one) => {
    const head = unreadableText(one);
    return { ...one, title: one.why, head, lines: [], findings: [], unknown: [] };
  }),
  ...servers.map((one) => ({ ...one, title: one.name, head: headOf(one), lines: linesOf(one) })),
];
type InventoryItem = ReturnType<typeof toItems>[number];

function toBlocks(items: readonly InventoryItem[], isMarkdown: boolean): string[] {
  const [mark, show] = isMarkdown ? ['* ', (text: string) => escapeMarks(toLine(text))] : ['', toLine];
  const write = isMarkdown ? toMarkdown : (words: Words) => toLine(toText(words));
  return [...Map.groupBy(items, ({ lines, head }) => lines.map(toText).join('\n') || head).values()].map(
    (same) => {
      const said = (same[0]?.lines ?? []).map((line) => `  * ${write(line)}`);
      return [...same.map(({ head }) => mark + show(head)), ...said, ''].join('\n');
    },
  );
}

function toAnnotation(
  { file, title, head, lines, findings: found, unknown }: InventoryItem,
  failing: ReadonlySet<InventoryFinding>,
): string {
  const isFailing =
    lines.length === 0 ? failing.size > 0 : [...found, ...unknown].some((name) => failing.has(name));
  const what = [title, ...found.map((name) => findings[name].words)].join(', ');
  const text = toLine([`${head}.`, ...lines.map(toText)].join(' '));
  return annotation(isFailing ? 'error' : 'warning', file, what, text);
}

export interface InventoryOptions {
  readonly service?: string;
  readonly offline?: boolean;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly failOn?: string;
  readonly environment: NodeJS.ProcessEnv;
}

export function readFindings(text: string | undefined): ReadonlySet<InventoryFinding> {
  if (text === undefined) return new Set();
  const names = text.split(',').filter(Boolean) as InventoryFinding[];
  if (names.length === 0) throw usageError(`--fail-on: name one or more of ${findingNames.join(', ')}`);
  const unknown = names.find((name) => !findingNames.includes(name));
  // A report of malicious code is an advisory.
  if (unknown === undefined) return new Set(names.includes('advisories') ? [...names, 'malware'] : names);
  throw usageError(`--fail-on ${unknown}: not one of ${findingNames.join(', ')}`);
}

const isOpen =
  (failing: ReadonlySet<InventoryFinding>) =>
  ({ unknown }: Pick<Server, 'unknown'>): boolean =>
    unknown.some((name) => failing.has(name));

/** Nothing was found that --fail-on names. */
export function refuseUnknown(unreadable: readonly unknown[], open: readonly unknown[]): void {
  const which = 'may have what --fail-on names';
  const why = [
    unreadable.length > 0 && `some configurations were not understood, so they ${which}`,
    open.length > 0 &&
      `not all is known of ${counted(open.length, 'server')}, so ${open.length === 1 ? 'it' : 'they'} ${which}`,
  ].filter(Boolean);
  if (why.length > 0) throw dataError(why.join('; '));
}

/** --fail-on ends with 1 for what it names, or else with 65 for what could not be read. */
export async function runInventory(
  config: () => Promise<Config>,
  files: readonly string[],
  options: InventoryOptions,
): Promise<void> {
  const { service, offline, json, markdown = false, failOn, environment } = options;
  const failing = readFindings(failOn);
  const named = service || (offline ? undefined : environment.DOSSIER_URL);
  const isDump = named !== undefined && !isWebAddress(named);
  const from = offline && !isDump ? undefined : named;
  if (!from && !offline) throw usageError('name a Dossier with --service or DOSSIER_URL, or use --offline');
  const inventory = await readInventory(files, environment, [from, config]);
  const { servers, unreadable } = inventory;
  const isAnnotated = environment.GITHUB_ACTIONS === 'true' && !markdown;
  const items = toItems(inventory);
  const isTold = isOpen(failing);
  const told = items.filter((one) => one.findings.length > 0 || one.lines.length === 0 || isTold(one));
  const blocks = isAnnotated ? told.map((one) => toAnnotation(one, failing)) : toBlocks(items, markdown);
  const { as_of } = inventory;
  const asked = from === undefined ? 'your own database' : isDump ? from : toBase(from);
  const lacks = isDump ? (await import('./dump.ts')).dumpLacks : undefined;
  const isEmpty = isDump && as_of === undefined && servers.some(({ result }) => result);
  const when = isEmpty ? 'which has no listing.' : as_of && `as of ${toLine(as_of)}. ${lacks ?? ''}`.trim();
  const source = when
    ? [`${isDump ? 'Read' : 'Asked'} ${toLine(asked)}, ${when} Not being listed is not a verdict.`]
    : [];
  const report = [...blocks, totalsOf(inventory), ...source].join('\n');
  process.stdout.write(
    `${json ? JSON.stringify({ asked, as_of, lacks, servers, unreadable }, null, 2) : report}\n`,
  );
  const found = [...failing].filter((name) => servers.some((one) => one.findings.includes(name)));
  if (found.length > 0) throw new ExitError(1, `found what --fail-on names: ${found.join(', ')}`);
  if (failing.size > 0 && inventory.files === 0) throw dataError('no configuration was found');
  if (failing.size > 0) refuseUnknown(unreadable, servers.filter(isOpen(failing)));
}
