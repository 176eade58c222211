import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { applyEdits, modify, type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { asMembers, attempt, isJsonObject, parseForeignJson, readObject } from '../../core/json.ts';
import { dataError, textOf, usageError } from '../../core/process.ts';
import { isWebAddress, toLine } from '../../core/text.ts';
import { own, toText } from '../../core/words.ts';
import { useOf } from '../../document/answers/notice-uses.ts';
import { firstNotices, isOfMalware } from '../../document/answers/notices.ts';
import type { Resolved } from '../../document/resolved.ts';
import { replaceFile } from '../replace-file.ts';
import { toBase, unreachable } from '../service.ts';
import { isWanted, print } from '../shell.ts';
import { readAboutToRun } from './about-to-run.ts';

export interface HookOptions {
  readonly service?: string;
  readonly user?: boolean;
  readonly write?: boolean;
  readonly wait?: string;
  readonly environment: NodeJS.ProcessEnv;
}

function toService({ service, environment }: HookOptions): string {
  const named = service ?? environment.DOSSIER_URL ?? '';
  if (!isWebAddress(named)) throw usageError('name a Dossier with --service or DOSSIER_URL');
  return toBase(named);
}

const longestWait_s = 10;

function toWait_s({ wait = '3' }: HookOptions): number {
  const wait_s = Number(wait);
  if (wait_s > 0 && wait_s <= longestWait_s) return wait_s;
  throw usageError(`--wait ${wait}: not a number of seconds up to ${longestWait_s}`);
}

/** Each command of a session is asked about once, but for malicious code. */
const mostRemembered = 500;

function openMemory(environment: NodeJS.ProcessEnv, session: string) {
  const folder = join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dossier');
  const file = join(folder, 'hook.json');
  const read = parseForeignJson(attempt(() => readFileSync(file, 'utf8')) ?? '');
  const known = Array.isArray(read) ? read.map(String) : [];
  return {
    has: (name: string) => known.includes(`${session} ${name}`),
    /** An error must not take the question with it. */
    keep(names: readonly string[]) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const kept = [...known, ...names.map((name) => `${session} ${name}`)].slice(-mostRemembered);
        replaceFile(file, JSON.stringify(kept));
      } catch (error) {
        process.stderr.write(`${toLine(textOf(error))}\n`);
      }
    },
  };
}

function differencesOf({ outcome, reason, version_asked, stands_out: about = [] }: Partial<Resolved>) {
  const first = [outcome === 'withdrawn' ? reason : undefined, version_asked].filter(
    (one) => one !== undefined,
  );
  const isSaid = first.length > 0 || about.some((one) => useOf(one).hook === 'asks');
  const others = about.filter((one) => one.version === undefined);
  const said = isSaid ? firstNotices(others, (one) => useOf(one).hook !== 'counts', own('get_agent')) : [];
  return { texts: [...first, ...said].map(toText), isMalware: about.some(isOfMalware) };
}

async function askOnce(handles: readonly string[], base: string, wait_s: number) {
  const [{ createClient }, { resolvedNames }] = await Promise.all([
    import('../../client/client.ts'),
    import('../../document/resolved.ts'),
  ]);
  try {
    const dossier = createClient({ url: base, timeout_ms: wait_s * 1000 });
    const answer: unknown = await dossier.call('resolve_agents', { handles: [...handles] });
    const read = resolvedNames.parse(answer);
    if (read.results.map(({ asked }) => asked).join('\n') === handles.join('\n')) return read;
    throw new Error('it is not about every name that was sent');
  } catch (error) {
    throw unreachable(toLine(`${base} gave no answer about ${handles.join(', ')}: ${textOf(error)}`));
  }
}

/** Prints a question for the user, or nothing. Any exit code but 2 lets the call of the tool go on. */
export async function runHook(options: HookOptions): Promise<void> {
  const { environment } = options;
  const base = toService(options);
  const wait_s = toWait_s(options);
  const input = readObject(await readText(process.stdin));
  if (!input) throw dataError('standard input is not the JSON of a hook');
  const launches = await readAboutToRun(input, environment);
  const memory = openMemory(environment, String(input.session_id));
  const asked = new Map(launches.flatMap((launch) => (launch.asked ? [[launch.asked, launch]] : [])));
  const names = [...asked.keys()].filter((name) => !memory.has(name));
  if (names.length === 0) return;
  const { results, evidence_snapshot_date } = await askOnce(names, base, wait_s);
  const { ofPart } = await import('../inventory/inventory.ts');
  const found = names.map((name, at) => {
    const result = results[at];
    const launch = asked.get(name) ?? { what: name };
    const { texts, isMalware } = differencesOf(ofPart(result, launch) ?? {});
    const what = [launch.what, launch.version && `version ${launch.version}`].filter(Boolean).join(', ');
    const of = result?.handle ? ` (${result.handle})` : '';
    return { name, isMalware, said: texts.length > 0 ? `${what}${of}: ${texts.join(' ')}` : '' };
  });
  const said = found.flatMap((one) => one.said || []);
  if (said.length > 0) {
    const permissionDecisionReason = toLine(
      `Dossier ${base} as of ${evidence_snapshot_date}: ${said.join(' ')} This is evidence, not a verdict.`,
    );
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'ask',
      permissionDecisionReason,
    };
    print(JSON.stringify({ hookSpecificOutput }));
  }
  memory.keep(found.filter(({ isMalware }) => !isMalware).map(({ name }) => name));
}

const forShell = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A program within the project is named from the project, so that others can share the settings. */
function toCommand(base: string, isOfUser: boolean): string {
  const program = realpathSync(process.argv[1] ?? '');
  const within = relative(realpathSync(process.cwd()), program);
  const path =
    isOfUser || within.startsWith('..') ? forShell(program) : `"$CLAUDE_PROJECT_DIR"/${forShell(within)}`;
  return `node ${path} hook run --service ${forShell(base)}`;
}

const isOurs = (one: unknown) => / hook run --service /.test(String(asMembers(one).command));

/** Everything else stays as it is, in its order and its form. */
function withHook(text: string, file: string, hook: object): string {
  const errors: ParseError[] = [];
  const settings: unknown = parseJsonc(text || '{}', errors, { allowTrailingComma: true });
  const { hooks = {} } = asMembers(settings);
  const { PreToolUse: groups = [] } = asMembers(hooks);
  if (errors.length > 0 || !isJsonObject(settings) || !isJsonObject(hooks) || !Array.isArray(groups))
    throw dataError(`${file}: not the settings of Claude Code; nothing was written`);
  const [place] = groups.flatMap((group, at) => {
    const { hooks: inner } = asMembers(group);
    const found = Array.isArray(inner) ? inner.findIndex(isOurs) : -1;
    return found < 0 ? [] : [[at, 'hooks', found]];
  });
  const formattingOptions = { insertSpaces: !text.includes('\n\t'), tabSize: 2, eol: '\n' };
  const path = ['hooks', 'PreToolUse', ...(place ?? [groups.length])];
  const value = place ? hook : { matcher: 'Bash|mcp__.*', hooks: [hook] };
  return applyEdits(text || '{}\n', modify(text || '{}\n', path, value, { formattingOptions }));
}

const others = (base: string) => `
For clients of x402 (docs/package.md):

import { x402Client } from '@x402/core/client';
import { beforePayment, createClient } from 'dossier/client';

const dossier = createClient({ url: '${base}', timeout_ms: 5000 });
const hook = beforePayment(
  dossier,
  ({ offers: [offer] }) => (offer?.payee === 'as_seen' && !offer.changed?.payee ? undefined : (offer?.facts.join(' ') ?? 'Dossier knows no offer.')),
  { handle: 'com.example/weather' },
);

const client = new x402Client().onBeforePaymentCreation(hook);

For CI:

npx --no-install dossier inventory --service ${base} --fail-on malware,advisories,changed
npx --no-install dossier check --from ${base}`;

/** Shows the hook, and writes it if asked. */
export async function runShowHook(options: HookOptions): Promise<void> {
  const { user = false, write = false, environment } = options;
  const base = toService(options);
  const folder = user ? (environment.CLAUDE_CONFIG_DIR ?? join(homedir(), '.claude')) : '.claude';
  const file = join(folder, 'settings.json');
  const hook = { type: 'command', command: toCommand(base, user), timeout: 2 * longestWait_s };
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const after = withHook(before, file, hook);
  print(`A PreToolUse hook of Claude Code, for ${file}:\n\n${JSON.stringify(hook, null, 2)}\n`);
  if (after === before) print('It is there already.');
  else if (write || (await isWanted('Write it?'))) {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    replaceFile(file, after);
    print('Written.');
  } else print('Not written: --write writes it.');
  print(others(base));
}
