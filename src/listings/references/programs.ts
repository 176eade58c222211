import { ownMember } from '../../core/json.ts';

const pathForm = /^(?:[a-z]:(?!\/\/))?[^\s:\\/]*[\\/]/i;

/** Only start another program, as in `cmd /c` or `env NAME=value`. */
const passing: Readonly<Record<string, { readonly plain: RegExp; readonly valued?: RegExp }>> = {
  cmd: { plain: /^\/[a-z]$/i },
  env: { plain: /^\w+=/ },
  wsl: { plain: /^(?:-e|--exec|--|--system)$/, valued: /^(?:-[du]|--(?:distribution|user|cd|shell-type))$/ },
};

export function unwrap(words: readonly string[]): {
  words: readonly string[];
  named: Record<string, string>;
} {
  const [program = ''] = words;
  const isNamed = /^\w+=/.test(program);
  const passes = ownMember(passing, isNamed ? 'env' : nameOf(program));
  if (!passes || (!isNamed && isOfMachine(program))) return { words, named: {} };
  let at = isNamed ? 0 : 1;
  const named: Record<string, string> = {};
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined) named[name] = value;
    if (passes.valued?.test(word)) at++;
    else if (!passes.plain.test(word)) break;
  }
  const inner = unwrap(words.slice(at));
  return { words: inner.words, named: { ...named, ...inner.named } };
}

export const nameOf = (program: string) =>
  program
    .replace(/^.*[\\/]/s, '')
    .replace(/\.(?:cmd|exe|ps1)$/i, '')
    .toLowerCase();

/** As after `--token-url`, or the second value after `--headers`. */
export const isOfOption = (before: readonly string[]) =>
  /^-/.test(before.at(-1) ?? '') || /^(?:-H|--headers)$/.test(before.at(-2) ?? '');

const interpreter = /^(?:node|nodejs|python[\d.]*|py|(?:ba|z)?sh|ruby|perl|php)$/;
const scriptForm = /^[\w.-]+\.(?:[cm]?[jt]sx?|py|rb|pl|php|sh)$/i;

/** What programs of a system start is another question. */
const programFolder =
  /^(?:(?:[a-z]:)?[\\/~]|\$\{?(?:env:)?(?:HOME|USERPROFILE))(?:.*[\\/])?(?:s?bin|shims|roaming[\\/]npm)[\\/][^\\/]+$|^[a-z]:[\\/](?:windows|program files)/i;

const isPath = (word: string) => pathForm.test(word) && !/\s-|[;&|"'<>]/.test(word);

export const isOfMachine = (program: string) =>
  isPath(program) && (!programFolder.test(program) || /venv[^\\/]*[\\/]/i.test(program));

/** More than one command for a shell, or output sent elsewhere. */
export const shellOperator = /[&|;<>`\n]|\$\(|\\["']/;

export const isOwnScript = (program: string, script: string): boolean =>
  interpreter.test(nameOf(program)) && (isPath(script) || scriptForm.test(script));

/** Can make a runtime or loader start other code or ask another registry; some of .NET start nothing. */
const steering =
  /^(?!dotnet_(?:skip_first_time_experience|nologo|cli_telemetry_optout|cli_ui_language)$)(?:(?:npm_config|uv|pip|bun|dotnet|nuget|docker|podman|ld|dyld|ssl_cert|git)_.*|node_(?:options|path|.*(?:tls|certs).*)|python(?:.*path|startup|home|breakpoint)|path|pathext|comspec|shell|bash_env|env|ifs|home|userprofile|(?:https?|all|no)_proxy|aspnetcore_hosting.*)$/i;

export const steersRuntime = (variable: string): boolean => steering.test(variable);

/** Lets an image run or read something else. */
export const reaching =
  /^(?:-v|--(?:volume|mount|volumes-from|net|network|entrypoint|device|cap-add|security-opt|pid|ipc|privileged|use-api-socket))$/;

/** The option with its value, if it opens files, devices or a network of the machine. */
export function reachesMachine(word: string, next = ''): string | undefined {
  const [, option = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
  if (!reaching.test(option) || /^--(?:entrypoint|security-opt)$/.test(option)) return undefined;
  if (/^--(?:privileged|use-api-socket)$/.test(option)) return word;
  if (/^(?:none|bridge|private)$/.test(value ?? next)) return undefined;
  return value === undefined ? `${word} ${next}`.trim() : word;
}
