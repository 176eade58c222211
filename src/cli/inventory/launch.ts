import semver from 'semver';
import { asMembers, type JsonObject } from '../../core/json.ts';
import { isAddress, isPublicAddress, plainAddress } from '../../net/client.ts';

/** What a configured server starts or reaches, without anything that may be secret; `what` is shown. */
export interface Launch {
  readonly what: string;
  /** What a Dossier is asked for; undefined of what only this machine knows. */
  readonly asked?: string;
  readonly version?: string;
  /** Whether a start runs the same next time; undefined of what is not a package. */
  readonly isPinned?: boolean;
  /** Whether the end of an address is left out of what is asked. */
  readonly isCut?: boolean;
}

/** A UUID, how well-known tokens begin, and a long text with capitals, small letters and digits. */
const keys = [
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i,
  /^(?:sk|pk|rk|gh[oprsu]|github_pat|glpat|xox.|hf|ntn|npm|pat|key|token|secret)[-_](?=.*[\dA-Z]).{8}/,
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{16}/s,
];
const countTurns = (piece: string, turn: RegExp) => piece.match(turn)?.length ?? 0;

/** Letters with few changes of case, or few short numbers among letters of one case, as in `neo4j`. */
const isWord = (piece: string): boolean =>
  /\d/.test(piece)
    ? piece.length <= 12 &&
      !/\d{9}|[a-z].*[A-Z]/.test(piece) &&
      countTurns(piece, /\d(?=[a-z])|[a-z](?=\d)/gi) <= 3
    : piece.length <= 30 && countTurns(piece, /[a-z](?=[A-Z])|[A-Z]{2}(?=[a-z])/g) <= piece.length / 4;

/** Whether a text reads as names do, in words and short numbers. Any other may be a key: it is neither sent nor shown. */
export const isPlain = (text: string): boolean =>
  !keys.some((key) => key.test(text)) && text.split(/[^A-Za-z\d]+/).every(isWord);

/** A command that starts packages: how it is called, the form of a package, and its options that take a value. */
interface Starter {
  readonly calls: RegExp;
  readonly registry: string;
  readonly form: RegExp;
  readonly values: RegExp;
}
const starters: readonly Starter[] = [
  {
    calls: /^(?:npx|bunx|pnpx|bun x|(?:npm|pnpm) exec|(?:pnpm|yarn) dlx)(?= |$)/,
    registry: 'npm',
    form: /^(?<name>(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:@(?<version>[\w.+~^*<>=-]+))?$/i,
    values: /^(?:-c|--call|-w|--workspace|--registry|--cache|--userconfig|--prefix)$/,
  },
  {
    calls: /^(?:uvx|uv tool run|pipx run)(?= |$)/,
    registry: 'pypi',
    form: /^(?<name>[a-z\d][\w.-]*)(?:\[[\w,.-]*\])?(?:(?:@|==)(?<version>[\w.+!-]+)|[~<>!]=?.*)?$/i,
    values:
      /^(?:-[pwicC]|--(?:python|with|with-\w+|index|default-index|(?:extra-)?index-url|pip-args|cache-dir|directory|project|env-file|constraints|index-strategy|prerelease|color|config-file))$/,
  },
  {
    calls: /^(?:docker|podman|nerdctl)(?: container)? run(?= |$)/,
    registry: 'oci',
    form: /^(?<name>(?:[a-z\d.-]+(?::\d+)?\/)?[a-z\d][\w./-]*)(?::(?<tag>[\w.-]+))?(?:@(?<version>sha256:[\da-f]{64}))?$/i,
    // Every option but these takes one.
    values:
      /^(?!-[itdPq]+$|--(?:rm|init|interactive|tty|detach|privileged|read-only|no-healthcheck|publish-all|quiet|sig-proxy|oom-kill-disable|disable-content-trust|use-api-socket|replace|rmi|no-hosts|env-host)$)-(?:-[\w-]+|\w)$/,
  },
  {
    calls: /^(?:dnx|dotnet tool exec)(?= |$)/,
    registry: 'nuget',
    form: /^(?<name>[a-z\d][\w.-]*)(?:@(?<version>[\w.+*-]+))?$/i,
    values: /^(?:-v|--(?:version|source|add-source|configfile|verbosity|framework))$/,
  },
];
/** Options that name the package, where what follows is a command of it. */
const packageOption = /^(?:-p|--package|--from|--spec)$/;

/** The package among the arguments of a starter, and what is behind it. */
function findPackage(args: readonly string[], { values, registry }: Starter) {
  let spec: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const [, option, value] = /^(-[^=]*)(?:=(.*))?$/s.exec(args[at] ?? '') ?? [];
    if (option === undefined) return { spec: spec ?? args[at] ?? '', behind: args.slice(at + 1) };
    const isPackage =
      packageOption.test(option) && registry !== 'oci' && !(registry === 'pypi' && option === '-p');
    const given = value ?? (isPackage || values.test(option) ? args[++at] : undefined);
    if (isPackage) spec ??= given;
  }
  return { spec: spec ?? '', behind: [] };
}

/** A tag of an image can be moved; one with a number seldom is. */
const isExact = (registry: string, version: string): boolean =>
  registry === 'npm' ? semver.valid(version) !== null : /\d/.test(version) && !version.includes('*');

function toPackage(starter: Starter, args: readonly string[]): Launch {
  const { registry, form } = starter;
  const { spec, behind } = findPackage(args, starter);
  const [, source, ref = ''] = /^git\+(https:\/\/[^/]+\/.*?)(?:@([^/@]*))?$/s.exec(spec) ?? [];
  if (source !== undefined) return { ...toAddress(source), isPinned: /^[\da-f]{40}$/.test(ref) };
  const { name, version: written, tag } = form.exec(spec)?.groups ?? {};
  if (name === undefined || !isPlain(name)) return { what: `${registry}, a package without a plain name` };
  const option = args.indexOf('--version');
  const version = written ?? tag ?? (registry === 'nuget' && option >= 0 ? args[option + 1] : undefined);
  const isShown = version !== undefined && (version.startsWith('sha256:') || isPlain(version));
  const pin = { isPinned: isShown && isExact(registry, version), ...(isShown && { version }) };
  // These two only pass on to an address.
  const address = /^mcp-(?:remote|proxy)$/.test(name)
    ? behind.find((one) => /^https?:\/\//i.test(one))
    : undefined;
  if (address === undefined) return { what: `${registry} ${name}`, asked: `${registry}:${name}`, ...pin };
  const reached = toAddress(address);
  return { ...reached, what: `${reached.what} through ${registry} ${name}`, ...pin };
}

/** Scheme, host and path of an address, up to what may be a key. */
function toAddress(text: string): Launch {
  const url = URL.parse(text);
  const isPublic =
    url &&
    /^https?:$/.test(url.protocol) &&
    (isAddress(url.hostname)
      ? isPublicAddress(plainAddress(url.hostname))
      : /\.(?!(?:local|localhost|internal|lan|arpa|test)$)[^.]+$/.test(url.hostname));
  if (!isPublic) return { what: 'an address of this machine or a private network' };
  const segments = url.pathname.split('/');
  const secret = segments.findIndex((segment) => !/^[\w.~@-]*$/.test(segment) || !isPlain(segment));
  const asked = `${url.protocol}//${url.host}${(secret < 0 ? segments : segments.slice(0, secret)).join('/')}`;
  return secret < 0 ? { what: asked, asked } : { what: `${asked}/...`, asked, isCut: true };
}

const texts = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string');

/** What a configured server is. Of its secrets nothing is kept: names and versions of packages; scheme, host and path of addresses. */
export function toLaunch(server: JsonObject): Launch {
  const [address] = texts(server.url ?? server.serverUrl ?? server.httpUrl);
  if (address !== undefined) return toAddress(address);
  const { path = server.command, args = server.args } = asMembers(server.command);
  const [program = '', ...rest] = [...texts(path), ...texts(args)];
  const name = program.replace(/^.*[\\/]/s, '').replace(/\.(?:cmd|exe|ps1)$/i, '');
  const command = /^cmd \/c$/i.test(`${name} ${rest[0]}`) ? rest.slice(1) : [name, ...rest];
  for (const starter of starters) {
    const called = starter.calls.exec(command.slice(0, 3).join(' '))?.[0];
    if (called !== undefined) return toPackage(starter, command.slice(called.split(' ').length));
  }
  return { what: 'a command of this machine' };
}
