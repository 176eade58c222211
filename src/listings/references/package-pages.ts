import { hasPublicSuffix } from '../../core/identity.ts';
import { attempt } from '../../core/json.ts';

/** Pages about anything else of a package, such as its tags, name the package only. */
const packagePages: readonly (readonly [registry: string, page: RegExp])[] = [
  ['npm', /^(?:www\.)?npmjs\.com\/package\/(@[^/]+\/[^/]+|[^/@]+)(?:\/v\/([^/]+)|\/.*)?$/i],
  ['pypi', /^(?:www\.)?pypi\.org\/project\/([^/]+)(?:\/(\d[^/]*)|\/.*)?$/i],
  ['nuget', /^(?:www\.)?nuget\.org\/packages\/([^/]+)(?:\/(\d[^/]*)|\/.*)?$/i],
  ['cargo', /^(?:www\.)?crates\.io\/crates\/([^/]+)(?:\/(\d[^/]*)|\/.*)?$/i],
  ['oci', /^hub\.docker\.com\/r\/([^/]+\/[^/]+)(?:\/.*)?$/i],
  ['oci', /^hub\.docker\.com\/_\/([^/]+)(?:\/.*)?$/i],
  ['', /^(?:osv\.dev\/vulnerability|github\.com\/advisories|nvd\.nist\.gov\/vuln\/detail)\/([\w-]+)$/i],
  ['npm', /^(?:unpkg\.com|cdn\.jsdelivr\.net\/npm)\/(@[^/]+\/[^/@]+|[^/@]+)(?:@([^/]+))?(?:\/.*)?$/i],
  ['oci', /^((?:ghcr|quay)\.io(?!\/repository\/)(?:\/[\w.-]+){2,})(?:[:@](\w[\w.:-]*))?$/i],
  ['oci', /^hub\.docker\.com\/layers\/([^/]+\/[^/]+)\/([^/]+)\/.*$/i],
  // What a package manager reads, and files, as in a lock file.
  ['npm', /^registry\.npmjs\.org\/(@[^/]+\/[^/]+|[^/@-][^/@]*)(?:\/(\d[^/]*|latest))?$/i],
  ['pypi', /^pypi\.org\/(?:simple|pypi)\/([^/]+)(?:\/(\d[^/]*))?(?:\/json)?$/i],
  [
    'nuget',
    /^api\.nuget\.org\/v3(?:-flatcontainer|\/registration[^/]*)\/([^/]+)(?:\/(\d[^/]*?)(?:\.json)?|\/.*)?$/i,
  ],
  ['cargo', /^crates\.io\/api\/v1\/crates\/([^/]+)(?:\/(\d[^/]*)|\/.*)?$/i],
  ['npm', /^registry\.npmjs\.org\/(@[^/]+\/[^/]+|[^/@]+)\/-\/[^/]+?-(\d[^/]*)\.tgz$/i],
  [
    'pypi',
    /^(?:files\.pythonhosted\.org\/packages\/(?:[^/]+\/)+)?([a-z][\w.]*(?:-[a-z][\w.]*)*)-(\d[\w.!+]*?)(?:-[^/]*\.whl|(?<=^files\..*)(?:\.tar\.gz|\.zip))$/i,
  ],
];

/** Of GitHub, of an account or of a repository. */
const imagePage =
  /^github\.com\/(?:(?:orgs|users)\/)?([\w-]+)\/(?:[\w.-]+\/pkgs|packages)\/container\/(?:package\/)?/i;

interface NamedPackage {
  /** Empty for an advisory. */
  readonly registry: string;
  readonly name: string;
  readonly version?: string | undefined;
}

function pagePackage(text: string): NamedPackage | undefined {
  const written = text.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const address = (attempt(() => decodeURIComponent(written)) ?? written)
    .replace(/^https?:\/\//i, '')
    .replace(imagePage, 'ghcr.io/$1/');
  for (const [registry, page] of packagePages) {
    const [, name, version] = page.exec(address) ?? [];
    if (name) return { registry, name, version };
  }
  return undefined;
}

function toWritten({ registry, name, version }: NamedPackage): string {
  const sign = registry === 'oci' && !version?.startsWith('sha256:') ? ':' : '@';
  return `${registry && `${registry}:`}${name}${version === undefined ? '' : `${sign}${version}`}`;
}

/** Of a package URL whose registry is a qualifier, as images have it. */
function urlOfImage(text: string): NamedPackage | undefined {
  const url = /^pkg:(?:oci|docker)\//i.test(text) ? URL.parse(text) : null;
  const at = url?.searchParams.get('repository_url')?.replace(/^https?:\/\/|\/+$/gi, '');
  const [, name = '', behind] =
    /^\w+\/([^@]+)(?:@(.*))?$/.exec(url ? decodeURIComponent(url.pathname) : '') ?? [];
  if (!url || !at || name === '') return undefined;
  const version = [url.searchParams.get('tag'), behind].filter(Boolean).join('@');
  return {
    registry: 'oci',
    name: at.endsWith(`/${name}`) ? at : `${at}/${name}`,
    version: version || undefined,
  };
}

/** As `npm:name@version`, or the id of an advisory. */
export function readPackagePage(text: string): string | undefined {
  const found = attempt(() => urlOfImage(text)) ?? pagePackage(text);
  return found && toWritten(found);
}

export const forges = ['github.com', 'gitlab.com', 'codeberg.org', 'bitbucket.org'];

/**
 * `pkg:github/owner/name@ref`, `github:owner/name#ref`, of Go `github.com/owner/name/path@ref`, and a raw
 * file name a repository, whatever is at the ref.
 */
export function readForgePackage(text: string): string | undefined {
  const raw = /^https:\/\/raw\.githubusercontent\.com\/([\w-]+\/[\w.-]+)\/(?=\S+$)/i;
  if (raw.test(text)) return text.replace(raw, 'https://github.com/$1/blob/');
  const [, forge = '', path, ref] =
    /^(?:(?:https:\/\/)?pkg\.go\.dev\/|pkg:golang\/|pkg:|go:)?([a-z.]+)[:/]([\w.-]+(?:\/[\w.-]+)+)(?:[@#]([^?#]*))?(?:[?#].*)?$/i.exec(
      text,
    ) ?? [];
  const host = forges.find((one) => one === forge.toLowerCase() || one.startsWith(`${forge.toLowerCase()}.`));
  return host && (host !== forge || ref) ? `https://${host}/${path}${ref ? `#${ref}` : ''}` : undefined;
}

export function domainOfMail(text: string): string | undefined {
  const [, domain = ''] = /^(?:mailto:)?[\w.+-]+@([a-z][\w-]*(?:\.[a-z][\w-]*)+)$/i.exec(text) ?? [];
  return hasPublicSuffix(domain) ? domain : undefined;
}

/** How package managers begin what they report. */
const reportForm = /^\s*(?:npm (?:err!|error|warn)|err_pnpm|error\b|warning\b|fatal\b|\u00d7|docker: error)/i;

/** The groups of each are the name, the version, and the version that a range came to. */
type NamingForm = readonly [registry: string, form: RegExp];

const reportedForms: readonly NamingForm[] = [
  ['npm', /(?<![\w@/.-])(@[\w.-]+\/[\w.-]+|[a-z][\w.-]*)@([~^]?\d[\w.+-]*|\*|latest)(?![\w.]*[/@])/gi],
  ['pypi', /(?<![\w.-])([a-z][\w.-]*)==(\d[\w.!+]*)/gi],
  ['pypi', /(?:\bthe requirement |\bdistribution found for )([a-z][\w.-]*)(?![\w.-]*==)/gi],
  ['pypi', /(?<![\w.-])([a-z][\w.-]*)`? was not found in the package registry/gi],
  ['cargo', /\bcould not find `([\w-]+)` in registry/gi],
  ['oci', /(?:\bmanifest for |\bpull access denied for |\bresolve reference "?)([\w./-]+)(?::([\w.-]+))?/gi],
];

/** Of lock files, manifests, stack traces, Dockerfiles, Compose and workflows; a secret has none of them. */
const writtenForms: readonly NamingForm[] = [
  [
    'npm',
    /node_modules[\\/]((?:@[a-z\d][\w.-]*[\\/])?[a-z\d][\w.-]*)(?![\w.-]|[\\/]node_modules)(?:"\s*:\s*\{\s*"version"\s*:\s*"([\w.+-]+)")?/gi,
  ],
  ['oci', /^[ \t]*(?:-[ \t]+)?"?image"?[ \t]*:[ \t]*["']?(?!https?:)([\w./:@-]+)["']?,?[ \t]*(?:#.*)?$/gm],
  [
    'github',
    /^[ \t]*(?:-[ \t]+)?uses[ \t]*:[ \t]*["']?([\w-]+(?:\/[\w.-]+)+)@([\w./-]+)["']?[ \t]*(?:#.*)?$/gm,
  ],
  ['oci', /^[ \t]*(?:-[ \t]+)?(?:uses[ \t]*:[ \t]*)?["']?docker:\/\/([\w./:@-]+)["']?[ \t]*(?:#.*)?$/gm],
  ['oci', /^[ \t]*FROM[ \t]+(?:--platform=\S+[ \t]+)?([\w./:@-]+)(?:[ \t]+[Aa][Ss][ \t]+[\w.-]+)?[ \t]*$/gm],
  [
    'cargo',
    /\[\[package\]\]\s+name = "([\w-]+)"\s+version = "([\w.+-]+)"\s+source = "registry\+https:\/\/github\.com\/rust-lang\//g,
  ],
  ['pypi', /\[\[package\]\]\s+name = "([\w.-]+)"\s+version = "([\w.!+-]+)"/g],
  ['nuget', /\bPackage(?:Reference|Version)\s+Include="([\w.-]+)"(?:\s+Version="([\w.+*-]+)")?/gi],
  [
    '',
    /^[ \t]*(?!(?:python|node)\b)([a-z\d][\w.-]*(?:\[[\w, .-]*\])?[ \t]*(?:={2,3}|[~<>!]=|[<>])[ \t]*\d[\w.!+*]*(?:,[ \t]*[<>=!~]{1,3}[ \t]*\d[\w.!+*]*){0,4})(?=[ \t]*(?:$|[;\\#]|--))/gim,
  ],
  [
    'npm',
    /^[ \t]*["']?\/?((?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)@(?:npm:)?([~^<>=]{0,2}v?\d[\w.+-]*)["']?(?:[,(].*)?:[ \t]*(?:\n[ \t]+version:?[ \t]+"?([\w.+-]+)|$)/gm,
  ],
  [
    'npm',
    /^[ \t]*"(?!(?:\w*version|node|npm|yarn|pnpm|vscode)")((?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)"[ \t]*:[ \t]*"((?:[~^]|[<>]=)\d[\w.+-]*|\d+\.\d+\.\d+(?:[+-][\w.+-]*)?)",?[ \t]*$/gim,
  ],
  [
    '',
    /^[ \t]*(?!python\b)([a-z][a-z\d._-]*)[ \t]*=[ \t]*(?:\{.*?\bversion[ \t]*=[ \t]*)?"(?:==)?((?:[~^]|[<>]=|(?<==))\d[\w.+-]*)"[ \t]*(?:,.*|\})?$/gm,
  ],
  ['', /^(\S+)[ \t]+#[ \t].*$/g],
];

const inForms = (text: string, forms: readonly NamingForm[]): readonly NamedPackage[] =>
  forms.flatMap(([registry, form]) =>
    [...text.matchAll(form)].map(([, name = '', version, exact = version]) => ({
      registry,
      name: name.replaceAll('\\', '/'),
      version: exact,
    })),
  );

/** Each once, in the form of `readPackagePage`. */
function namesOf(named: readonly NamedPackage[]): readonly string[] {
  const byName = Map.groupBy(named, ({ registry, name }) => `${registry}:${name}`.toLowerCase());
  return [...byName.values()].map((same) =>
    toWritten(same.reduce((first, one) => (first.version === undefined ? one : first))),
  );
}

export function readReport(text: string): readonly string[] {
  if (!reportForm.test(text) || !/\s/.test(text.trim())) return [];
  const urls = text.match(/https?:\/\/[^\s"'`,)]+/g) ?? [];
  return namesOf([...inForms(text, reportedForms), ...urls.flatMap((url) => pagePackage(url) ?? [])]);
}

/** A file is of one form. */
export const readFile = (text: string): readonly string[] =>
  writtenForms.map((form) => namesOf(inForms(text, [form]))).find(({ length }) => length > 0) ?? [];
