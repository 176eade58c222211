/** `values` have a value; `flags` have none and can name no registry. */
export interface Starter {
  readonly calls: readonly string[];
  readonly registry: string;
  readonly form: RegExp;
  readonly values: RegExp;
  readonly flags: RegExp;
  /** Options behind the package are the starter's too, up to `--`. */
  readonly isToEnd?: boolean;
  /** Other words are further packages. */
  readonly installs?: boolean;
  /** Starts what is of the machine, or of a package that an option adds. */
  readonly isAdding?: boolean;
}

const npm: Starter = {
  calls: ['npx', 'bunx', 'pnpx', 'bun x', 'pnpm exec', 'pnpm dlx', 'yarn dlx'],
  registry: 'npm',
  form: /^(?<name>(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:@(?<version>[\w.+~^*<>=-]+))?$|^(?<url>https?:\/\/.+)$/i,
  values: /^(?:-[cw]|--(?:call|workspace|cache|loglevel))$/,
  flags:
    /^(?:-[yqs]|--(?:yes|no|quiet|silent|verbose|bun|no-install|ignore-existing|prefer-offline|prefer-online|offline|ignore-scripts|no-audit|no-fund|force))$/,
};
const pypi: Starter = {
  calls: ['uvx', 'uv tool run', 'pipx run'],
  registry: 'pypi',
  form: /^(?<name>[a-z\d][\w.-]*)(?:\[[\w,.-]*\])?(?:(?:@|==)(?<version>[\w.+!*-]+)|(?<range>[~<>!]=?.*))?$|^(?<url>https?:\/\/.+)$/i,
  values: /^(?:-[pw]|--(?:python|with|with-editable|cache-dir|index-strategy|prerelease|color))$/,
  flags:
    /^(?:-[qvnUm]|--(?:quiet|verbose|no-cache|offline|isolated|native-tls|no-config|no-progress|refresh|upgrade|no-index|managed-python|no-managed-python|module|no-project|no-sync|frozen|locked))$/,
};
const runners: readonly Starter[] = [
  npm,
  { ...npm, calls: ['npm x', 'npm exec'], isToEnd: true },
  pypi,
  { ...pypi, calls: ['uv run'], isAdding: true },
  {
    calls: ['docker', 'podman', 'nerdctl'].flatMap((one) => [`${one} run`, `${one} container run`]),
    registry: 'oci',
    form: /^(?<name>(?:[a-z\d.-]+(?::\d+)?\/)?[a-z\d][\w./-]*)(?::(?<tag>[\w.-]+))?(?:@(?<version>sha256:[\da-f]{64}))?$/i,
    values:
      /^(?:-[evpwumlhc]|--(?:env|env-file|volume|mount|name|net|network|network-alias|publish|workdir|user|entrypoint|platform|add-host|memory|cpus|cpu-shares|label|annotation|hostname|pull|security-opt|cap-add|cap-drop|gpus|device|tmpfs|shm-size|ulimit|restart|log-driver|log-opt|dns|userns|group-add|ip|ipc|pid|runtime|secret|stop-signal|stop-timeout|volumes-from|cidfile|pids-limit|expose|link))$/,
    flags:
      /^(?:-[itdPq]+|--(?:rm|init|interactive|tty|detach|privileged|read-only|no-healthcheck|publish-all|quiet|sig-proxy|oom-kill-disable|disable-content-trust|use-api-socket|replace|rmi|no-hosts|no-hostname|env-host|tls-verify))$/,
  },
  {
    calls: ['dnx', 'dotnet tool exec'],
    registry: 'nuget',
    form: /^(?<name>[a-z\d][\w.-]*)(?:@(?<version>[\w.+*-]+))?$/i,
    values: /^(?:-v|--(?:version|verbosity|framework))$/,
    flags: /^(?:-y|--(?:yes|prerelease|interactive|allow-roll-forward|ignore-failed-sources))$/,
    isToEnd: true,
  },
  {
    calls: ['deno run', 'deno serve', 'deno'],
    registry: 'npm',
    form: /^(?:(?:npm|jsr):\/?(?<name>(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:@(?<version>[\w.+~^*<>=-]+))?(?:\/.*)?|(?<url>https?:\/\/.+))$/i,
    values: /^(?:-L|--(?:cert|location|seed|log-level))$/,
    flags:
      /^(?:-[AqrRWNESI]+|--(?:(?:allow|deny|no|unstable)(?:-[\w-]+)?|quiet|reload|cached-only|lock|node-modules-dir|frozen))$/,
  },
];

const installing: readonly (readonly [registry: string, calls: readonly string[]])[] = [
  ['npm', ['npm', 'pnpm', 'yarn', 'bun'].flatMap((one) => [`${one} install`, `${one} i`, `${one} add`])],
  ['npm', ['yarn global add']],
  ['pypi', ['pip', 'pip3', 'uv pip', 'pipx', 'uv tool'].map((one) => `${one} install`)],
  ['pypi', ['python', 'python3', 'py'].map((one) => `${one} -m pip install`)],
  ['pypi', ['uv', 'poetry', 'pdm', 'rye'].map((one) => `${one} add`)],
  ['oci', ['docker', 'podman', 'nerdctl'].flatMap((one) => [`${one} pull`, `${one} image pull`])],
  ['nuget', ['dotnet tool install', 'dotnet add package']],
  ['cargo', ['cargo install', 'cargo binstall', 'cargo add']],
  ['npm', ['deno add', 'deno install']],
];
const cargo: Omit<Starter, 'calls'> = {
  registry: 'cargo',
  form: /^(?<name>[a-z][\w-]*)(?:@(?<version>[\w.+~^*<>=-]+))?$/i,
  values: /^--(?:version|features|target|root)$/,
  flags: /^(?:-[qfy]|--(?:locked|force|all-features|no-confirm))$/,
};
const installFlags =
  /^(?:-[gDEPOUqfy]|--(?:global|save(?:-dev|-exact|-prod)?|dev|exact|user|upgrade|pre|force|yes|quiet|prerelease))$/;
const installers = installing.map(([registry, calls]): Starter => {
  const [program] = calls[0]?.split(' ') ?? [];
  const like =
    runners.find((one) => one.calls[0]?.split(' ')[0] === program && !one.isAdding) ??
    runners.find((one) => one.registry === registry) ??
    cargo;
  const flags = new RegExp(`${like.flags.source}|${installFlags.source}`);
  return { ...like, calls, flags, isToEnd: true, installs: true };
});

export const starters: readonly Starter[] = [...installers, ...runners];
