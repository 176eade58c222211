import { code, codes, own, say, type Words } from '../core/words.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { ListingInput, ListingPackage } from '../listings/listing.ts';
import {
  hostOfImage,
  isExactVersion,
  isImageType,
  startedAt,
  versionOfImage,
} from '../listings/references/command.ts';
import { steersRuntime } from '../listings/references/programs.ts';
import { reportsOf } from '../observations/known/malware.ts';

/** As registries write them: no operators of ranges, addresses, archives or options. */
const versionForm = /^(?!.*\.(?:tgz|tar|tar\.gz)$)[0-9A-Za-z][0-9A-Za-z.+!_-]{0,127}$/;
/** uvx could read other texts as folders of the caller's machine. */
const pypiVersion = /^(?:v?\d[0-9A-Za-z.+!_-]{0,127}|latest)$/;
/**
 * Of new packages (validate-npm-package-name), without what looks like an option or a file (npm-package-arg).
 */
const npmName = /^(?=.{1,214}$)(?!.*\.(?:tgz|tar|tar\.gz)$)(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
/** PyPA ("Names and normalization"), without interpreters, which uvx would start. */
const pypiName =
  /^(?!(?:pythonw?|pypy|cpython|graalpy)[\d.]*(?:$|-))[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;
/** Words between single dots and hyphens, 100 characters. */
const nugetId = /^(?=.{1,100}$)\w+([.-]\w+)*$/;
const ociPart = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
/** distribution/reference: host, path, tag, digest. */
const ociName = new RegExp(
  `^(?=.{1,255}$)${ociPart}(?::\\d{1,5}(?=/))?(?:/${ociPart})*(?::\\w[\\w.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
);

/** uv would start any other text as a program. */
const pythonVersion = /^(?:c?python|pypy)?@?\d{1,2}(?:\.\d{1,3}){0,2}$/i;

const tagForm = /^\w[\w.-]{0,127}$/;

interface CommandStarter {
  readonly name: RegExp;
  /** By runtimes in records, in lower case. */
  readonly runtimes: Readonly<Record<string, readonly [string, ...string[]]>>;
  /**
   * With a value. A record may have these and those of `plain` before the package: they start no other
   * program.
   */
  readonly valued: RegExp;
  /** Of the values; any without it. */
  readonly value?: RegExp;
  readonly plain: RegExp;
  readonly ending?: readonly string[];
}

const starters: Readonly<Record<'npm' | 'pypi' | 'nuget' | 'oci', CommandStarter>> = {
  npm: {
    name: npmName,
    runtimes: { '': ['npx', '-y'], npx: ['npx', '-y'], npm: ['npx', '-y'], bun: ['bunx'], bunx: ['bunx'] },
    valued: /(?!)/,
    plain: /^(?:-y|--yes|-q|--quiet|-s|--silent|exec|x)$/,
  },
  pypi: {
    name: pypiName,
    runtimes: { '': ['uvx'], uvx: ['uvx'], uv: ['uvx'] },
    valued: /^(?:-p|--python)$/,
    value: pythonVersion,
    plain: /^(?:-q|--quiet|--isolated|--refresh|tool|run)$/,
  },
  nuget: {
    name: nugetId,
    runtimes: { '': ['dnx'], dnx: ['dnx'] },
    valued: /(?!)/,
    plain: /^(?:--yes|-y|--prerelease)$/,
    ending: ['--yes'],
  },
  oci: {
    name: ociName,
    runtimes: {
      '': ['docker', 'run', '-i', '--rm'],
      docker: ['docker', 'run', '-i', '--rm'],
      podman: ['podman', 'run', '-i', '--rm'],
    },
    valued: /^(?:-e|--env|-p|--publish|--platform|--pull|--name)$/,
    plain: /^(?:run|-i|-t|-it|--rm|--init|--interactive|--tty)$/,
  },
};

const starterOf = (type: string): CommandStarter | undefined =>
  isImageType(type)
    ? starters.oci
    : Object.hasOwn(starters, type)
      ? starters[type as keyof typeof starters]
      : undefined;

/** `{input}`, which the import marks for the caller to fill in (imports/launch.ts). */
const isOpenWord = (word: string) => /^\{[^{}]+\}$/.test(word);

export interface StartOptions {
  /** A package reported as malicious code has no command. */
  readonly observations: ListingDocument['observations'];
  /** Only the recorded version may start. */
  readonly isPinned?: boolean;
  /** Hosts need not be public. */
  readonly isPrivate?: boolean;
}

/** `set` is the environment, `asked` what the caller sets in it, by name. */
export interface Started {
  readonly command: readonly [string, ...string[]];
  readonly set: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, string>>;
  /** The caller fills in words of the command. */
  readonly isOpen: boolean;
}

/** A phrase without a full stop. */
export interface WhyNot {
  readonly why: Words;
}
const whyNot = (why: Words): WhyNot => ({ why });

const variable = /^[A-Za-z_]\w{0,59}$/;

export const placeholder = 'YOUR_VALUE';

/** Shells, clients and headers read it literally; some would put variables of the caller at `$`. */
const plainValue = /^[\w +,./:=@-]+$/;

/** With the placeholder for what the caller fills in, or it alone. */
export function filledValue({ value = '' }: ListingInput): string {
  const filled = value.replace(/\{[^{}]+\}/g, placeholder);
  return plainValue.test(filled) ? filled : placeholder;
}

/** Without those that the record sets. */
const askedOf = ({ inputs = [], environment = {} }: ListingPackage) =>
  inputs.filter(
    ({ kind, required, name }) =>
      kind === 'environment' && required && variable.test(name) && !Object.hasOwn(environment, name),
  );

/** An unknown option may start something else. */
function optionsOf(recorded: ListingPackage, { valued, value: form = /^/, plain }: CommandStarter) {
  const { runtime_arguments = [] } = recorded;
  const words = runtime_arguments.flatMap((word) => {
    const [, option, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    return option !== undefined && value !== undefined && valued.test(option) ? [option, value] : [word];
  });
  const options: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const value = words[at + 1];
    if (valued.test(word) && value !== undefined && form.test(value)) {
      options.push(word, value);
      at += 1;
      // Some records repeat the package among the runtime arguments.
    } else if (startedAt(word, recorded) === undefined && !plain.test(word))
      return whyNot(
        say`its record starts it with ${code(word)}, and such options can start other programs or give more access`,
      );
  }
  return options;
}

/** Without the version first, unless it is pinned. */
function specsOf(recorded: ListingPackage, isPinned: boolean): string[] | WhyNot {
  const { registry_type, identifier, version = '' } = recorded;
  const isImage = isImageType(registry_type);
  if (isPinned && !isExactVersion(registry_type, version))
    return whyNot(own('the approval pins its version, and its record has no exact version'));
  if (isImage && versionOfImage(identifier) !== undefined) return [identifier];
  const separator = isImage ? ':' : '@';
  const form = isImage ? tagForm : registry_type === 'pypi' ? pypiVersion : versionForm;
  return [
    ...(isPinned ? [] : [identifier]),
    ...(form.test(version) ? [identifier + separator + version] : []),
  ];
}

const isImageAt = (identifier: string, isPrivate: boolean) => {
  const host = hostOfImage(identifier);
  return isPrivate || host === undefined || isPublicHost(host.replace(/:\d+$/, ''));
};

/** Reports are only looked for in the usual registry. */
function registryOf({ registry_type, registry_base_url: base }: ListingPackage, isPrivate: boolean) {
  const url = URL.parse(base ?? '');
  if (isPrivate && registry_type === 'npm' && url && /^https?:[^@?#]+$/.test(url.href))
    return [`--registry=${url.href.replace(/\/+$/, '')}`];
  const why = say`it is in another registry, ${code(base ?? '')}, where no reports of malicious code are read`;
  return base === undefined ? [] : whyNot(why);
}

/** Values of the record, and the caller's by name. */
const toContainer = (environment: Readonly<Record<string, string>>, asked: readonly string[]): string[] => [
  ...Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
  ...asked.flatMap((name) => ['-e', name]),
];

/** toStarted finds the obstacles in runtime, registry, options and version. */
function findObstacle(recorded: ListingPackage, isPrivate: boolean): Words | undefined {
  const {
    registry_type,
    identifier,
    transport = 'stdio',
    unwritten,
    environment = {},
    unread = [],
  } = recorded;
  if (transport !== 'stdio') return say`it runs over ${code(transport)}, not over stdio`;
  if (!starterOf(registry_type)?.name.test(identifier) || !isImageAt(identifier, isPrivate))
    return own('its name is not in the form of npm, PyPI, NuGet or an OCI image of a public host');
  if (unwritten !== undefined)
    return say`Dossier cannot write its argument ${code(unwritten)} from the record alone`;
  // An image's environment is its container's, so it cannot steer the runtime; what the caller sets is not.
  const set = isImageType(registry_type) ? [] : Object.keys(environment);
  const filled = askedOf(recorded).filter((one) => filledValue(one) !== placeholder);
  const steered = [...set, ...filled.map(({ name }) => name)].find(steersRuntime);
  if (steered !== undefined)
    return say`its record sets ${code(steered)}, and such variables can start other programs`;
  if (unread.length > 0) return say`its record has ${codes(unread)} in a form that Dossier does not read`;
  return undefined;
}

/**
 * The command with the recorded version comes last; the one without is left out if other versions are
 * reported as malicious code. There is none if a part cannot be written, because the rest might start
 * something else.
 */
export function toStarted(
  recorded: ListingPackage,
  { observations, isPinned = false, isPrivate = false }: StartOptions,
): Started[] | WhyNot {
  const { registry_type, runtime = '', environment = {}, arguments: behind = [] } = recorded;
  const { ofVersion, ofOthers, isUndecided, isUnchecked } = reportsOf(observations, recorded);
  // Otherwise the newest version starts, whichever it is.
  const isOpen = isUndecided || !isExactVersion(registry_type, recorded.version ?? '');
  const why = ofVersion[0] ?? (isOpen ? ofOthers[0] : undefined) ?? findObstacle(recorded, isPrivate);
  if (why) return whyNot(why);
  if (isUnchecked) return whyNot(own('reports of malicious code were looked for in other packages alone'));
  const { runtimes, ending = [], ...starter } = starterOf(registry_type) ?? starters.npm;
  const start = Object.hasOwn(runtimes, runtime.toLowerCase()) ? runtimes[runtime.toLowerCase()] : undefined;
  if (!start) return whyNot(say`its record starts it with ${code(runtime)}`);
  const registry = registryOf(recorded, isPrivate);
  const options = optionsOf(recorded, { runtimes, ...starter });
  const specs = specsOf(recorded, isPinned || ofOthers.length > 0);
  if ('why' in registry) return registry;
  if ('why' in options) return options;
  if ('why' in specs) return specs;
  const isImage = isImageType(registry_type);
  const passedOn = isImage
    ? options.filter((word, at) => /^(?:-e|--env)$/.test(options[at - 1] ?? '') && variable.test(word))
    : [];
  const asked = {
    ...Object.fromEntries(passedOn.map((name) => [name, placeholder])),
    ...Object.fromEntries(askedOf(recorded).map((one) => [one.name, filledValue(one)])),
  };
  const isPassedOn = (name: string) => options.some((word) => word === name || word.startsWith(`${name}=`));
  const container = isImage
    ? toContainer(
        environment,
        Object.keys(asked).filter((name) => !isPassedOn(name)),
      )
    : [];
  const before: [string, ...string[]] = [...start, ...registry, ...options, ...container];
  const ended = [...ending, ...(ending.length > 0 && behind.length > 0 ? ['--'] : []), ...behind];
  return specs.map((spec): Started => {
    const command: [string, ...string[]] = [...before, spec, ...ended];
    return { command, set: isImage ? {} : environment, asked, isOpen: command.some(isOpenWord) };
  });
}

export const filledCommand = ({ command: [program, ...words] }: Started): [string, ...string[]] => [
  program,
  ...words.map((word) => (isOpenWord(word) ? placeholder : word)),
];

const plainWord = /^[\w@+=:,./-]+$/;

/** In quotation marks, it starts nothing else in POSIX shells, fish, PowerShell or cmd. */
const isQuotable = (word: string) => /^[\x20-\x7e]*$/.test(word) && !/['\\&|<>^%]/.test(word);

/** Undefined if a shell could start something else. */
export const toShellWords = (command: readonly string[]): string | undefined =>
  !command.every(isQuotable)
    ? undefined
    : command.map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

/** RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal, and .arpa. */
const specialUse =
  /\.(alt|arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/;

/** A name below a public top-level domain; no address in any notation. */
export const isPublicHost = (hostname: string): boolean =>
  /^[a-z0-9._-]+\.[a-z][a-z0-9-]*$/i.test(hostname) && !specialUse.test(hostname);
