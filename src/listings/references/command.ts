import valid from 'semver/functions/valid.js';
import { ownMember } from '../../core/json.ts';
import {
  isOfMachine,
  isOfOption,
  isOwnScript,
  nameOf,
  reaching,
  shellOperator,
  steersRuntime,
  unwrap,
} from './programs.ts';
import { type Starter, starters } from './starters.ts';

const usualHosts: Readonly<Record<string, readonly string[]>> = {
  npm: ['registry.npmjs.org', 'npmjs.org', 'npmjs.com', 'www.npmjs.com', 'registry.npmjs.com'],
  pypi: ['pypi.org', 'pypi.python.org', 'www.pypi.org', 'upload.pypi.org'],
  nuget: ['api.nuget.org', 'nuget.org', 'www.nuget.org'],
  cargo: ['crates.io', 'static.crates.io', 'index.crates.io'],
  oci: ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com', 'hub.docker.com'],
};

/** Records before September 2025 may say `docker`. */
export const isImageType = (type: string): boolean => /^(?:oci|docker)$/i.test(type);

const toUrl = (base: string) => URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(base) ? base : `https://${base}`);

/** The name of an MCPB file is its address. */
export const isAddress = (identifier: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(identifier);

/** As distribution/reference does ("splitDockerDomain"). */
export function hostOfImage(identifier: string): string | undefined {
  const [first = '', rest] = identifier.split('/', 2);
  return rest !== undefined && (/[.:]/.test(first) || first === 'localhost') ? first : undefined;
}

/** Some write a digest as they write a tag: `name:sha256:…`. */
export const atDigest = (image: string): string => image.replace(/(?<=.):(?=sha256:[\da-f]{64}$)/i, '@');

/**
 * The type's usual base is left out; another one is put before the name of an image without a host. What is
 * no address is still a different registry.
 */
export function placeOfPackage(
  type: string,
  recorded: string,
  base: string,
): { readonly identifier: string; readonly registry_base_url?: string } {
  const identifier = isImageType(type) ? atDigest(recorded) : recorded;
  if (base === '' || isAddress(identifier)) return { identifier };
  const url = toUrl(base);
  const host = url?.host.toLowerCase();
  const usual = ownMember(usualHosts, isImageType(type) ? 'oci' : type.toLowerCase());
  if (host !== undefined && usual?.includes(host)) return { identifier };
  if (!isImageType(type)) return { identifier, registry_base_url: base };
  if (hostOfImage(identifier) !== undefined) return { identifier };
  if (!url || host === undefined) return { identifier, registry_base_url: base };
  const path = url.pathname.replace(/^\/v2\/?$/, '').replace(/\/+$/, '');
  return { identifier: `${host}${path}/${identifier}` };
}

const imageForm = /^(.*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[a-f0-9]{64}))?$/s;

/** `1.2.0`, `sha256:…` or `1.2.0@sha256:…`. */
export function versionOfImage(identifier: string): string | undefined {
  const host = hostOfImage(identifier);
  const path = host === undefined ? identifier : identifier.slice(host.length + 1);
  const [, , tag, digest] = imageForm.exec(path) ?? [];
  return [tag, digest].filter(Boolean).join('@') || undefined;
}

/** Behind the name of the package: `latest` of `name@latest`, empty for the name alone. */
export function startedAt(
  word: string,
  { registry_type: type, identifier }: { readonly registry_type: string; readonly identifier: string },
): string | undefined {
  const name = isImageType(type)
    ? identifier.replace(/@sha256:.*$/s, '').replace(/:[\w.-]+$/, '')
    : identifier;
  if (!word.startsWith(name)) return undefined;
  return /^(?:(?:@|:|==)(.*))?$/s.exec(word.slice(name.length))?.[1] ?? (word === name ? '' : undefined);
}

/** PEP 440 without local labels, as PyPI accepts it. */
const pep440 =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?(?:(?:-\d+)|(?:[-_.]?(?:post|rev|r)[-_.]?\d*))?(?:[-_.]?dev[-_.]?\d*)?$/i;

/** As in `v1.2` and `release-1.2`. */
export const withoutV = (version: string) =>
  version.replace(/^(?:v(?:ersion)?|rel(?:ease)?)[-_.]?(?=\d)/i, '');

/** An image's tag with a number counts, although it can be moved. */
export function isExactVersion(type: string, version: string): boolean {
  if (isImageType(type)) return /\d/.test(version);
  return type.toLowerCase() === 'pypi' ? pep440.test(version) : valid(version) !== null;
}

/** A command without a version, or with `latest`, starts the newest. */
export const anyVersion = '*' as const;

/** As `npm:name@version` or `oci:name:tag`. */
export function nameOfPackage(registry: string, name: string, version?: string): string {
  const isImage = registry === 'oci';
  const newest = isImage ? '' : `@${anyVersion}`;
  if (version === undefined || (version === 'latest' && !isImage)) return `${registry}:${name}${newest}`;
  return `${registry}:${name}${isImage && !version.startsWith('sha256:') ? ':' : '@'}${version}`;
}

/** What decides which code runs and is no part of the package; `text` shows no user name or password. */
export interface Beside {
  /** `setting`: an option that may name another registry; `package`: as `npm:name@version`. */
  readonly what: 'code' | 'registry' | 'setting' | 'package' | 'address' | 'added' | 'digest' | 'letters';
  readonly text: string;
  /**
   * Of `code` in a repository: a branch, tag or commit, or empty; of a registry: the type of the package; of
   * `letters`, which look like others: the name with those.
   */
  readonly of?: string | undefined;
}

/** Without name and address it was not read, or is a file of this machine. */
export interface Command {
  readonly registry?: string;
  readonly name?: string;
  readonly version?: string | undefined;
  /** A git repository, or what the package connects to if it does nothing else. */
  readonly address?: string | undefined;
  /** May be of another registry, by an option or a variable. */
  readonly isElsewhere?: boolean;
  /** Runs the same code next time. Undefined for a file of this machine. */
  readonly isPinned?: boolean;
  readonly beside?: readonly Beside[];
  /** The arguments of the package; undefined if it is not started, or only a way to another service. */
  readonly given?: readonly string[] | undefined;
}

/** The package `@smithery/cli` as it is installed. */
const smithery = 'smithery';
const programs = new Set([
  smithery,
  ...starters.flatMap(({ calls }) => calls.map((one) => one.split(' ')[0] ?? '')),
]);

/** Then the first other word is one of the package's commands. */
const packageOption = /^(?:-p|-e|--package|--from|--spec|--git|--editable)$/;

/** The value is a registry, or leads to settings that may name one. */
const settingOption =
  /^(?:-i|--(?:.+[:-])?(?:registry|index|index-url|source|links|args|config|config-?file|env-file|userconfig|globalconfig|prefix|directory|project|constraints|requirements|import-map))$/;

/** Of package managers, or of the folders of their settings. */
const setting =
  /^(?:npm|pnpm|yarn|bun|corepack|uv|pip|pipx|nuget|dotnet|deno|jsr|xdg)_|^(?:home|userprofile|(?:local)?appdata|programdata|prefix)$/i;
const settingOfImage = /^(?:containers|registries)_/i;
const harmless =
  /^(?:npm_token|npm_config_(?:loglevel|yes|cache|update_notifier|fund|audit|progress)|uv_(?:cache_dir|no_cache|python|python_preference|tool_dir|link_mode|http_timeout|no_progress|native_tls)|pip_(?:no_cache_dir|disable_pip_version_check|no_input)|dotnet_(?:skip_first_time_experience|nologo|cli_telemetry_optout|cli_ui_language)|deno_(?:dir|no_update_check)|xdg_(?:cache|data|state)_home)$/i;

/** An unreadable address, and more than one, count as another registry. */
export function isOtherRegistry(registry: string, address = ''): boolean {
  const [, base] = /^(?:[\w-]+=)?(https?:\/\/[^\s,;|]+)$/i.exec(address) ?? [];
  return base === undefined || placeOfPackage(registry, '', base).registry_base_url !== undefined;
}

/** Of a package URL. */
export function ofQualifier(registry: string, text: string): Beside | undefined {
  const base = URL.parse(text)?.searchParams.get('repository_url');
  return base && isOtherRegistry(registry, base)
    ? otherRegistry('repository_url', base, registry)
    : undefined;
}

type CommandVariables = Readonly<Record<string, unknown>>;

function otherRegistry(option: string, value: string, of: string): Beside {
  const host = URL.parse(value.replace(/^[\w-]+=/, ''))?.host;
  return host ? { what: 'registry', text: host, of } : { what: 'setting', text: option, of };
}

/** Of variables: those that may name another registry, and those that may start other code. */
const ofVariables = (registry: string, variables: CommandVariables): Beside[] =>
  Object.entries(variables).flatMap(([name, value]): Beside[] => {
    if (harmless.test(name)) return [];
    if ((registry === 'oci' ? settingOfImage : setting).test(name))
      return isOtherRegistry(registry, String(value)) ? [otherRegistry(name, String(value), registry)] : [];
    return steersRuntime(name) ? [{ what: 'added', text: name }] : [];
  });

/** Undefined after an unknown option, which may take the next word. */
function readOptions(
  args: readonly string[],
  { values, flags, registry, isToEnd, installs = false }: Starter,
) {
  const packages: string[] = [];
  const words: string[] = [];
  const beside: Beside[] = [];
  let version: string | undefined;
  let ref = '';
  // Another package, without an exact version.
  let isLoose = false;
  let isOwn = true;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const [, option = '--', value] = isOwn ? (/^(-[^=]*)(?:=(.*))?$/s.exec(word) ?? []) : [];
    if (option === '--') {
      if (!isOwn || word !== '--') words.push(word);
      isOwn &&= isToEnd === true && word !== '--';
      continue;
    }
    if (registry === 'oci' && flags.test(option) && reaching.test(option))
      beside.push({ what: 'added', text: option });
    if (flags.test(option)) continue;
    const isPackage =
      packageOption.test(option) && /^(?:npm -[p-]|pypi -[e-]|cargo)/.test(`${registry} ${option}`);
    const isSetting = !values.test(option) && settingOption.test(option);
    const isRef = installs && /^--(?:tag|branch|rev)$/.test(option);
    if (!isPackage && !isSetting && !isRef && !values.test(option)) return undefined;
    const given = value ?? args[++at] ?? '';
    if (isRef) ref = `@${given}`;
    if (isPackage) packages.push(option === '--git' ? `git+${given}` : given);
    if (registry === 'npm' && /^(?:-c|--call)$/.test(option) && !/^[\w.-]+$/.test(given)) return undefined;
    if (registry === 'nuget' && option === '--version') version = given;
    const isWith = registry === 'pypi' && /^(?:-w|--with(?:-\w+)?)$/.test(option);
    isLoose ||= isWith && !/==\d/.test(given);
    const others = isWith ? given.split(',') : [];
    beside.push(
      ...others.map((one): Beside => ({ what: 'package', text: `pypi:${one.replace('==', '@')}` })),
    );
    if (registry === 'oci' && reaching.test(option))
      beside.push({ what: 'added', text: `${option} ${given}` });
    if (isSetting && (/args$/.test(option) || isOtherRegistry(registry, given)))
      beside.push(otherRegistry(option, given, registry));
  }
  const all = packages.length > 0 ? packages : words.slice(0, installs ? undefined : 1);
  const named = all.map((one) => (/^git\+[^@]*$/.test(one) ? `${one}${ref}` : one));
  return { named, behind: words.slice(1), version, beside, isLoose };
}

/** Of npm and pip, with the commit after `@` or `#`; `owner/name` is npm's. */
const gitForm =
  /^(?:(?:[\w.[\],-]+\s*@\s*)?git\+(?<address>https:\/\/[^/#]+\/[^#@]*)|(?:github:)?(?<repository>[\w-]+\/[\w.-]+))(?:@(?<ref>[^#]*))?(?:#(?<fragment>.*))?$/s;

export const commitForm = /^[\da-f]{40}$/;

/** Only connect to an address, start another command, or write it into the settings of a client. */
const bridging =
  /^(?:mcp-(?:remote|proxy)|supergateway|(?:add|install)-mcp|@modelcontextprotocol\/inspector|@smithery\/cli)$/;
/** Of `@smithery/cli`: the name of what it connects to at Smithery. */
const atSmithery =
  /^(?:mcp )?(?:install|run|add|inspect) (?:--?[a-z][\w-]* \S+ )*(@?[a-z\d][\w.-]*(?:\/[\w.-]+)?)(?= |$)/i;
const reachingOption = /^--(?:sse|streamableHttp|cli|url|server-url)$/;

function readPackage(
  spec: string,
  { registry, form, installs, isAdding }: Starter,
  read: NonNullable<ReturnType<typeof readOptions>>,
  variables: CommandVariables,
): Command {
  if (/^(?:[./~]|file:|[a-z]:\\)/i.test(spec)) return {};
  const besides = [...read.beside, ...ofVariables(registry, variables)];
  const git = gitForm.exec(spec)?.groups;
  const { name, tag, range, url, version = tag ?? range ?? read.version } = form.exec(spec)?.groups ?? {};
  const address =
    (git?.address ?? url)?.replace(/(?<=:\/\/)[^/@]*@/, '') ??
    (registry === 'npm' && git ? `https://github.com/${git.repository}` : undefined);
  if (address !== undefined) {
    const ref = git && (git.ref ?? git.fragment ?? '');
    return {
      address,
      isPinned: commitForm.test(ref ?? ''),
      beside: [{ what: 'code', text: address, of: ref }, ...besides],
    };
  }
  if (name === undefined) return { registry, isPinned: false };
  const isBridge = bridging.test(name);
  const addresses = read.behind.flatMap((one, at) =>
    isBridge && isOfOption(read.behind.slice(0, at)) && !reachingOption.test(read.behind[at - 1] ?? '')
      ? []
      : (/^(?:--?[\w-]+=)?(https?:\/\/.*)$/is.exec(one)?.[1] ?? []),
  );
  const [, named] = (name === '@smithery/cli' && atSmithery.exec(read.behind.join(' '))) || [];
  if (named !== undefined) addresses.unshift(`https://server.smithery.ai/${named}/mcp`);
  const [reached] = isBridge ? addresses : [];
  const bridge = `${registry}:${name}${version === undefined ? '' : `@${version}`}`;
  const words = isBridge && reached === undefined ? read.behind.join(' ').split(/\s+/) : [];
  const isOfClient = /^(?:add|install)-mcp$/.test(name) && !programs.has(nameOf(words[0] ?? ''));
  const [inner] = words.length > 0 ? readCommandsIn(isOfClient ? ['npx', ...words] : words) : [];
  if (inner?.registry ?? inner?.address) {
    const also: Beside = { what: 'package', text: bridge };
    return { ...inner, isPinned: false, beside: [...(inner?.beside ?? []), also, ...besides] };
  }
  const beside: Beside[] = [
    ...(/^jsr:/i.test(spec) ? [{ what: 'registry' as const, text: 'jsr.io', of: registry }] : []),
    ...(reached === undefined
      ? addresses.map((one) => ({
          what: 'address' as const,
          text: one.replace(/(?<=:\/\/)[^/@]*@|[?#].*$/gs, ''),
        }))
      : [{ what: 'package' as const, text: bridge }]),
    ...besides,
  ];
  return {
    registry,
    name,
    version,
    isPinned: !read.isLoose && version !== undefined && isExactVersion(registry, version),
    isElsewhere: beside.some(({ what }) => what === 'registry' || what === 'setting'),
    address: reached,
    beside,
    given: isBridge || installs || isAdding || read.named.length > 1 ? undefined : read.behind,
  };
}

const toModule = (name = '') =>
  name
    .replace(/[^\w.-].*$/s, '')
    .replace(/[-_.]+/g, '-')
    .toLowerCase();

/** `uv run --with name` starts the package if its name is that of the command or the module. */
function readAdded(starter: Starter, read: ReturnType<typeof readOptions>, variables: CommandVariables) {
  const { named: [first = ''] = [], behind = [], beside = [] } = read ?? {};
  const started = toModule(/^python/.test(first) && behind[0] === '-m' ? behind[1] : first);
  const isStarted = ({ what, text }: Beside) =>
    what === 'package' && toModule(text.slice('pypi:'.length)) === started;
  // What a file of this machine does with it is its own.
  const isOfFile = behind.some((one) => isOwnScript('python', one));
  const added = isOfFile ? undefined : beside.find(isStarted);
  const others = beside.filter((one) => one !== added);
  if (read && added)
    return [readPackage(added.text.slice('pypi:'.length), starter, { ...read, beside: others }, variables)];
  const isRead = beside.some(({ what }) => what === 'package');
  return [{ isPinned: false, beside, ...(isRead && { registry: starter.registry }) }];
}

function readPackages(starter: Starter, args: readonly string[], variables: CommandVariables): Command[] {
  const read = readOptions(args, starter);
  if (starter.isAdding) return readAdded(starter, read, variables);
  // What installs no package installs what is in its folder.
  if (starter.installs && read?.named.length === 0) return [];
  if (!read || read.named.length === 0) return [{ registry: starter.registry, isPinned: false }];
  return read.named.map((spec) => readPackage(spec, starter, read, variables));
}

/** One for each package. `variables` are set for the command. */
export function readCommands(all: readonly string[], variables: CommandVariables): Command[] {
  const { words, named } = unwrap(all);
  const [program = '', script = ''] = words;
  if (isOfMachine(program)) return [{}];
  // Without a shell, an operator within an argument is a part of it.
  const isOfShell = all.some((one) => /^(?:\/c|[&|;]+|\d?[<>]+)$/i.test(one));
  if (isOfShell && shellOperator.test(all.join(' '))) return [{ isPinned: false }];
  if (nameOf(program) === smithery)
    return readCommands(['npx', '@smithery/cli', ...words.slice(1)], { ...variables, ...named })
      .filter(({ address }) => address !== undefined)
      .map(({ beside, ...one }) => ({ ...one, beside: beside?.filter(({ what }) => what !== 'package') }));
  const line = [shellOperator.test(program) ? '' : nameOf(program), ...words.slice(1)];
  for (const starter of starters) {
    const calls = starter.calls.map((one) => one.split(' '));
    const call = calls.find((one) => one.every((word, at) => word === line[at]?.toLowerCase()));
    if (call) return readPackages(starter, line.slice(call.length), { ...variables, ...named });
  }
  return [isOwnScript(program, script) ? {} : { isPinned: false }];
}

/** What starts several packages has no name. */
export function readCommand(all: readonly string[], variables: CommandVariables = {}): Command {
  const [one = {}, other] = readCommands(all, variables);
  return other ? { ...(one.registry && { registry: one.registry }), isPinned: false } : one;
}

/** Of the first words that start or install packages, as behind `claude mcp add NAME --`. */
export function readCommandsIn(words: readonly string[], variables: CommandVariables = {}): Command[] {
  if (isOfMachine(unwrap(words).words[0] ?? '')) return [];
  for (let at = 0; at < words.length; ) {
    const inner = unwrap(words.slice(at)).words;
    const found = programs.has(nameOf(inner[0] ?? '')) ? readCommands(words.slice(at), variables) : [];
    if (found.some(({ registry, address }) => registry ?? address)) return found;
    // What only starts another program is read once, however many words follow.
    at = words.length - inner.length + 1;
  }
  return [];
}
