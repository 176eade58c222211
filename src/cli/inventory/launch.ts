import { asMembers, type JsonObject, ownMember } from '../../core/json.ts';
import { isExactVersion } from '../../listings/references/package.ts';
import { isAddress, isPublicAddress, plainAddress } from '../../net/addresses.ts';
import { isOtherRegistry } from './registries.ts';

/** No member contains a text that looks like a secret. `what` is shown. */
export interface ConfiguredLaunch {
  readonly what: string;
  /** The name to ask Dossier about; undefined if nothing is asked. */
  readonly asked?: string;
  readonly version?: string;
  /** Tells whether the next start runs the same code. It is undefined if no code is fetched. */
  readonly isPinned?: boolean;
  /** The question leaves out the end of the path and the query, or only the query. */
  readonly left?: 'path' | 'query';
}

const keys = [
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i,
  /^(?:sk|pk|rk|gh[oprsu]|github_pat|glpat|xox.|hf|ntn|npm|pat|key|token|secret)[-_](?=.*[\dA-Z]).{8}/,
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{16}/s,
];

/** For example `getUserInfo`, `2024`, `neo4j` and `text2image`. */
const words = [
  /^[a-z]{0,30}$/,
  /^[A-Z]{1,8}$/,
  /^(?=.{1,30}$)[a-z]*(?:[A-Z][a-z]{2,}|[A-Z]{2,5}(?=[A-Z][a-z]{2}|$))*$/,
  /^\d{1,4}$/,
  /^(?=.{1,16}$)(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)\d{1,3}$/,
  /^(?=.{1,8}$)[a-z]+\d[a-z]+$/,
  /^(?=.{1,16}$)[a-z]{2,}[24][a-z]{2,}$/,
  /^(?=.{1,12}$)\d{1,2}[a-z]+$/,
];
const isMixed = (piece: string) => /\d/.test(piece) && /[a-z]/i.test(piece) && !/^v\d+$/.test(piece);

const isKey = (text: string) => keys.some((key) => key.test(text));
const isWord = (piece: string) => words.some((word) => word.test(piece));
const toPieces = (text: string) => text.split(/[^A-Za-z\d]+/);

/**
 * Tells whether a text looks like a name of words and short numbers. Any other text may be a key. It is
 * neither sent nor shown, unless it is the name of a package, version or account (`isName`).
 */
export function isPlain(text: string): boolean {
  const pieces = toPieces(text);
  return (
    !isKey(text) &&
    pieces.every(isWord) &&
    pieces.filter(isMixed).length <= 2 &&
    text.replace(/\D/g, '').length <= 8
  );
}

/** Tells whether a text looks like a public name: of a package, a version or an account. */
const isName = (text: string): boolean =>
  text
    .split('/')
    .every((part) => !isKey(part) && toPieces(part).every((one) => one.length <= 16 || isWord(one)));

/** `values` are options with a value, `flags` those without. */
interface ConfiguredStarter {
  readonly calls: RegExp;
  readonly registry: string;
  readonly form: RegExp;
  readonly values: RegExp;
  readonly flags: RegExp;
}
const starters: readonly ConfiguredStarter[] = [
  {
    calls: /^(?:npx|bunx|pnpx|bun x|npm x|(?:npm|pnpm) exec|(?:pnpm|yarn) dlx)(?= |$)/,
    registry: 'npm',
    form: /^(?<name>(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:@(?<version>[\w.+~^*<>=-]+))?$/i,
    values: /^(?:-c|--call|-w|--workspace|--registry|--cache|--userconfig|--prefix)$/,
    flags:
      /^(?:-[yqs]|--(?:|yes|no|quiet|silent|verbose|bun|no-install|ignore-existing|prefer-offline|prefer-online|offline|ignore-scripts|no-audit|no-fund|force))$/,
  },
  {
    calls: /^(?:uvx|uv tool run|pipx run)(?= |$)/,
    registry: 'pypi',
    form: /^(?<name>[a-z\d][\w.-]*)(?:\[[\w,.-]*\])?(?:(?:@|==)(?<version>[\w.+!*-]+)|[~<>!]=?.*)?$/i,
    values:
      /^(?:-[pwicC]|--(?:python|with|with-\w+|index|default-index|(?:extra-)?index-url|pip-args|cache-dir|directory|project|env-file|constraints|index-strategy|prerelease|color|config-file))$/,
    flags:
      /^(?:-[qvnU]|--(?:|quiet|verbose|no-cache|offline|isolated|native-tls|no-config|no-progress|refresh|upgrade|no-index|managed-python|no-managed-python))$/,
  },
  {
    calls: /^(?:docker|podman|nerdctl)(?: container)? run(?= |$)/,
    registry: 'oci',
    form: /^(?<name>(?:[a-z\d.-]+(?::\d+)?\/)?[a-z\d][\w./-]*)(?::(?<tag>[\w.-]+))?(?:@(?<version>sha256:[\da-f]{64}))?$/i,
    values:
      /^(?:-[evpwumlhc]|--(?:env|env-file|volume|mount|name|net|network|network-alias|publish|workdir|user|entrypoint|platform|add-host|memory|cpus|cpu-shares|label|annotation|hostname|pull|security-opt|cap-add|cap-drop|gpus|device|tmpfs|shm-size|ulimit|restart|log-driver|log-opt|dns|userns|group-add|ip|ipc|pid|runtime|secret|stop-signal|stop-timeout|volumes-from|cidfile|pids-limit|expose|link))$/,
    flags:
      /^(?:-[itdPq]+|--(?:rm|init|interactive|tty|detach|privileged|read-only|no-healthcheck|publish-all|quiet|sig-proxy|oom-kill-disable|disable-content-trust|use-api-socket|replace|rmi|no-hosts|no-hostname|env-host|tls-verify))$/,
  },
  {
    calls: /^(?:dnx|dotnet tool exec)(?= |$)/,
    registry: 'nuget',
    form: /^(?<name>[a-z\d][\w.-]*)(?:@(?<version>[\w.+*-]+))?$/i,
    values: /^(?:-v|--(?:version|source|add-source|configfile|verbosity|framework))$/,
    flags: /^(?:-y|--(?:yes|prerelease|interactive|allow-roll-forward|ignore-failed-sources))$/,
  },
];
const deno: ConfiguredStarter = {
  calls: /^deno(?: run| serve)?(?= |$)/,
  registry: 'npm',
  form: /^npm:\/?(?<name>(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:@(?<version>[\w.+~^*<>=-]+))?(?:\/.*)?$/i,
  values: /^(?:-[cL]|--(?:config|import-map|cert|location|seed|log-level))$/,
  flags:
    /^(?:-[AqrRWNESI]+|--(?:(?:allow|deny|no|unstable)(?:-[\w-]+)?|quiet|reload|cached-only|lock|env-file|node-modules-dir|frozen))$/,
};

/** These options name the package. The first word after the options is then one of the package's commands. */
const packageOption = /^(?:-p|--package|--from|--spec)$/;

const registryOption = /^(?:-i|--(?:registry|index|default-index|(?:extra-)?index-url|(?:add-)?source))$/;

/** Returns undefined after an unknown option, because the next argument may be its value. */
function findPackage(args: readonly string[], { values, flags, registry }: ConfiguredStarter) {
  let spec: string | undefined;
  let isElsewhere = false;
  let startsMore = false;
  // True if an option adds another package without an exact version.
  let isLoose = false;
  for (let at = 0; at < args.length; at++) {
    const [, option, value] = /^(-[^=]*)(?:=(.*))?$/s.exec(args[at] ?? '') ?? [];
    if (option === undefined)
      return { spec: spec ?? args[at] ?? '', behind: args.slice(at + 1), isElsewhere, startsMore, isLoose };
    const isPackage =
      packageOption.test(option) && registry !== 'oci' && !(registry === 'pypi' && option === '-p');
    const takes = isPackage || values.test(option);
    if (!takes && value === undefined && !flags.test(option)) return undefined;
    const given = value ?? (takes ? args[++at] : undefined);
    startsMore ||=
      (isPackage && spec !== undefined) ||
      (registry === 'npm' && /^(?:-c|--call)$/.test(option) && !/^[\w.-]+$/.test(given ?? ''));
    isLoose ||= registry === 'pypi' && /^(?:-w|--with(?:-\w+)?)$/.test(option) && !/==\d/.test(given ?? '');
    if (isPackage) spec ??= given;
    if (registry !== 'oci' && registryOption.test(option)) isElsewhere ||= isOtherRegistry(registry, given);
    // These options name a file of settings that is not read here, or the registry of a scope.
    if (/^--(?:userconfig|globalconfig|config-file|configfile|@[^:]+:registry)$/.test(option))
      isElsewhere = true;
  }
  return { spec: spec ?? '', behind: [], isElsewhere, startsMore, isLoose };
}

/** Everything after `--` belongs to the package. */
function versionOption(args: readonly string[]): string | undefined {
  const own = args.slice(0, [...args, '--'].indexOf('--'));
  const at = own.findIndex((one) => /^--version(?:=|$)/.test(one));
  return at < 0 ? undefined : (/=(.*)/s.exec(own[at] ?? '')?.[1] ?? own[at + 1]);
}

/** A git repository in the form of npm and pip, with its commit after `@` or `#`. */
const gitForm = /^git\+(https:\/\/[^/#]+\/[^#@]*)(?:@([^#]*))?(?:#(.*))?$/s;

/**
 * The registry of an image is the part before the first slash, if that is a host (distribution/reference,
 * "splitDockerDomain").
 */
const isPrivateImage = (name: string) => {
  const [first = '', path] = name.split('/', 2);
  return (
    path !== undefined &&
    (/[.:]/.test(first) || first === 'localhost') &&
    !isPublicHost(first.replace(/:\d+$/, ''))
  );
};

/**
 * Tells whether the next word is the value of an option, as after `--token-url`, or the second value after
 * `--headers`.
 */
const isOfOption = (before: readonly string[]) =>
  /^-/.test(before.at(-1) ?? '') || /^(?:-H|--headers)$/.test(before.at(-2) ?? '');

function toPackage(
  starter: ConfiguredStarter,
  args: readonly string[],
  isFrom: (registry: string, name: string) => boolean,
): ConfiguredLaunch {
  const { registry, form } = starter;
  const found = findPackage(args, starter);
  if (!found) return { what: `${registry}, a package behind an option that is not known`, isPinned: false };
  const { spec, behind, isElsewhere, startsMore, isLoose } = found;
  if (startsMore)
    return {
      what: `${registry}, more than one package, or a command line that is not read`,
      isPinned: false,
    };
  if (spec === '' || /^(?:[./~]|file:|[a-z]:\\)/i.test(spec))
    return { what: `${registry}, a package of this machine` };
  const [, source, ref = '', fragment = ''] = gitForm.exec(spec) ?? [];
  if (source !== undefined)
    return { ...launchOf(source), isPinned: [ref, fragment].some((one) => /^[\da-f]{40}$/.test(one)) };
  const { name, version: written, tag } = form.exec(spec)?.groups ?? {};
  if (name === undefined || !isName(name) || name.length > longestName)
    return { what: `${registry}, a package without a plain name`, isPinned: false };
  const version = written ?? tag ?? (registry === 'nuget' ? versionOption(args) : undefined);
  const isShown =
    version !== undefined && ((registry === 'oci' && version.startsWith('sha256:')) || isName(version));
  const isPinned = !isLoose && version !== undefined && isExactVersion(registry, version);
  const pin = { isPinned, ...(isShown && { version }) };
  if (isElsewhere || isFrom(registry, name))
    return { what: `${registry}, a package of another registry`, ...pin };
  if (registry === 'oci' && isPrivateImage(name)) return { what: 'an image of a private registry', ...pin };
  // These two packages only connect to an address.
  const address = /^mcp-(?:remote|proxy)$/.test(name)
    ? behind.find((one, at) => /^https?:\/\//i.test(one) && !isOfOption(behind.slice(0, at)))
    : undefined;
  if (address === undefined) return { what: `${registry} ${name}`, asked: `${registry}:${name}`, ...pin };
  const reached = launchOf(address);
  return { ...reached, what: `${reached.what} through ${registry} ${name}`, ...pin };
}

const longestName = 300;

/** Tells whether a host may be public and its name is plain. */
const isPublicHost = (hostname: string): boolean =>
  isAddress(hostname)
    ? isPublicAddress(plainAddress(hostname))
    : /\.(?!(?:local|localhost|internal|lan|arpa|test)$)[^.]+$/.test(hostname) &&
      hostname.split('.').every((label) => /^[\w-]+$/.test(label) && isPlain(label));

/** Leaves out the end of the path, from the first part that may be a key. */
function launchOf(text: string): ConfiguredLaunch {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !isPublicHost(url.hostname))
    return { what: 'an address that is not asked about' };
  const segments = url.pathname.split('/');
  const secret = segments.findIndex(
    (one) => !/^@?[\w.~-]*$/.test(one) || !(one.startsWith('@') ? isName : isPlain)(one),
  );
  const asked = `${url.protocol}//${url.host}${(secret < 0 ? segments : segments.slice(0, secret)).join('/')}`;
  if (asked.length > longestName) return { what: 'an address that is not asked about' };
  if (secret >= 0) return { what: `${asked}/...`, asked, left: 'path' };
  return url.search ? { what: `${asked}?...`, asked, left: 'query' } : { what: asked, asked };
}

const texts = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string');

/** These programs only start another one. */
const passing: Readonly<Record<string, { readonly plain: RegExp; readonly valued?: RegExp }>> = {
  cmd: { plain: /^\/[a-z]$/i },
  env: { plain: /^\w+=/ },
  wsl: { plain: /^(?:-e|--exec|--|--system)$/, valued: /^(?:-[du]|--(?:distribution|user|cd|shell-type))$/ },
};

/** Leaves out a program that only starts another one, as in `cmd /c` or `env NAME=value`. */
function toCommand([program = '', ...rest]: readonly string[]): string[] {
  const name = program.replace(/^.*[\\/]/s, '').replace(/\.(?:cmd|exe|ps1)$/i, '');
  const passes = ownMember(passing, name.toLowerCase());
  if (!passes) return [name, ...rest];
  let at = 0;
  for (; at < rest.length; at++) {
    if (passes.valued?.test(rest[at] ?? '')) at++;
    else if (!passes.plain.test(rest[at] ?? '')) break;
  }
  return at < rest.length ? toCommand(rest.slice(at)) : [];
}

const isShell = (program = '') =>
  /^(?:(?:ba|z|da|fi|k)?sh|cmd|powershell|pwsh)$/i.test(program.replace(/^.*[\\/]|\.exe$/gis, ''));

const startsPackage = (text: string) =>
  /(?:^|[\s;&|("'/\\])(?:npx|bunx|pnpx|uvx|dnx)(?:\.(?:cmd|exe))?\s/i.test(text) ||
  /(?:^|[\s;&|("'/\\])(?:(?:npm|pnpm|yarn|bun)(?:\s+\S+){0,4}\s+(?:exec|x|dlx|init|create)|(?:uv(?:\s+\S+){0,4}\s+tool|pipx|(?:docker|podman|nerdctl)(?:\s+\S+){0,4})\s+run)\s/i.test(
    text,
  );

/**
 * Reads what a configured server starts or connects to, without anything that looks like a secret.
 * `isElsewhere` tells whether settings name a different registry for a package.
 */
export function toLaunch(
  server: JsonObject,
  isElsewhere: (registry: string, name: string) => boolean,
): ConfiguredLaunch {
  const { command = server.cmd } = server;
  const [address] = texts([server.url, server.serverUrl, server.httpUrl, server.uri]).filter(Boolean);
  const { path = command, args = server.args } = asMembers(command);
  const given = [...texts(path), ...texts(args)];
  const isStdio = server.type === 'stdio' || server.type === 'local';
  if (address !== undefined && (given.length === 0 || (server.type !== undefined && !isStdio)))
    return launchOf(address);
  // It is not known which of the two a client uses.
  if (address !== undefined && !isStdio) return { what: 'both a command and an address', isPinned: false };
  const line = toCommand(given);
  const fetched = line[0] === 'deno' ? line.find((one) => /^(?:npm|jsr|https?):/.test(one)) : undefined;
  if (fetched !== undefined && !fetched.startsWith('npm:'))
    return {
      what: 'a script that Deno fetches, not asked about',
      isPinned: /^jsr:[^#?]*@\d+\.\d+\.\d+(?:[-/]|$)/.test(fetched),
    };
  for (const starter of fetched === undefined ? starters : [deno]) {
    const called = starter.calls.exec(line.slice(0, 3).join(' '))?.[0];
    const words = called?.split(' ') ?? [];
    if (called !== undefined && words.every((word, at) => word === line[at]))
      return toPackage(starter, line.slice(words.length), isElsewhere);
  }
  if ((isShell(line[0]) || isShell(given[0]) || /\s/.test(given[0] ?? '')) && given.some(startsPackage))
    return { what: 'a command line for a shell, not read', isPinned: false };
  if (startsPackage(given.join(' ')))
    return { what: 'a command that starts a package, not read', isPinned: false };
  return { what: 'a command of this machine' };
}
