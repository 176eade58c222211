import { hasPublicSuffix } from '../../core/identity.ts';
import { attempt } from '../../core/json.ts';

const pageOf = (sites: string, name: string, version: string) =>
  new RegExp(`^(?:www\\.)?(?:${sites})/${name}(?:${version}([^/]+?)(?:\\.json)?)?(?:/.*)?$`, 'i');
const ofNpm =
  'npmjs\\.com/package|unpkg\\.com|esm\\.sh|cdn\\.skypack\\.dev|cdn\\.jsdelivr\\.net/npm|jsdelivr\\.com/package/npm|registry\\.(?:npmjs\\.org|npmmirror\\.com|yarnpkg\\.com)|npmtrends\\.com|(?:bundlephobia\\.com|npmx\\.dev)/package|socket\\.dev/npm/package|(?:libraries\\.io|deps\\.dev)/npm|snyk\\.io/advisor/npm-package|security\\.snyk\\.io/package/npm|api\\.npmjs\\.org/downloads/\\w+/[\\w-]+|img\\.shields\\.io/npm/\\w+|badge\\.fury\\.io/js';
const ofPypi =
  'pypi\\.org/(?:project|simple|pypi)|pypi\\.python\\.org/pypi|(?:libraries\\.io|deps\\.dev)/pypi|pypistats\\.org/packages|(?:static\\.)?pepy\\.tech/(?:project|badge)|socket\\.dev/pypi/package|snyk\\.io/advisor/python|piwheels\\.org/project|img\\.shields\\.io/pypi/\\w+|badge\\.fury\\.io/py';
const ofNuget =
  'nuget\\.org/packages|api\\.nuget\\.org/v3(?:-flatcontainer|/registration[^/]*)|libraries\\.io/nuget|img\\.shields\\.io/nuget/\\w+';
const ofHub =
  'hub\\.docker\\.com/(?:r|repository/docker)|registry\\.hub\\.docker\\.com/v2/repositories|registry-1\\.docker\\.io(?:/v2)?|img\\.shields\\.io/docker/\\w+';

/**
 * Pages about anything else of a package, such as its tags, name the package only; so do badges. Package
 * managers read others, and files, as in a lock file.
 */
const packagePages: readonly (readonly [registry: string, page: RegExp])[] = [
  ['npm', /^registry\.npmjs\.org\/(@[^/]+\/[^/]+|[^/@]+)\/-\/[^/]+?-(\d[^/]*)\.tgz$/i],
  ['npm', pageOf(ofNpm, '(@[^/]+/[^/@]+|[^/@-][^/@]*)', '(?:@|/v/|/(?=\\d|latest$))')],
  ['pypi', pageOf(ofPypi, '([^/]+)', '/(?=\\d)')],
  ['nuget', pageOf(ofNuget, '([^/]+)', '/(?=\\d)')],
  ['cargo', pageOf('crates\\.io/(?:crates|api/v1/crates)|lib\\.rs/crates', '([^/]+)', '/(?=\\d)')],
  ['oci', /^hub\.docker\.com\/layers\/([^/]+\/[^/]+)\/([^/]+)\/.*$/i],
  ['oci', pageOf(ofHub, '([^/]+/[^/]+)', '\0')],
  ['oci', /^hub\.docker\.com\/_\/([^/]+)(?:\/.*)?$/i],
  ['oci', /^((?:ghcr|quay)\.io(?!\/repository\/)(?:\/[\w.-]+){2,})(?:[:@](\w[\w.:-]*))?$/i],
  ['', /^(?:osv\.dev\/vulnerability|github\.com\/advisories|nvd\.nist\.gov\/vuln\/detail)\/([\w-]+)$/i],
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
    .replace(/^https?:\/\/|\.svg$/gi, '')
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

const rawFile = /^https:\/\/raw\.githubusercontent\.com\/([\w-]+\/[\w.-]+)\/(?=\S+$)/i;
/** Others show what is in a repository. */
const repositoryPage =
  /^(?:https?:\/\/)?(?:(?:www\.)?(?:deepwiki\.com|github\.dev|gitingest\.com|codespaces\.new)|vscode\.dev\/github|sourcegraph\.com\/github\.com|snyk\.io\/test\/github|libraries\.io\/github|codeload\.github\.com|api\.github\.com\/repos|cdn\.jsdelivr\.net\/gh|img\.shields\.io\/github\/[\w/-]+?)\/([\w-]+\/[\w.-]+)(?:[@/?#].*)?$/i;

/**
 * `pkg:github/owner/name@ref`, `github:owner/name#ref`, of Go `github.com/owner/name/path@ref`, and a raw
 * file name a repository, whatever is at the ref.
 */
export function readForgePackage(text: string): string | undefined {
  if (rawFile.test(text)) return text.replace(rawFile, 'https://github.com/$1/blob/');
  if (repositoryPage.test(text)) return text.replace(repositoryPage, 'https://github.com/$1');
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
const reportForm =
  /^\s*(?:npm (?:err!|error|warn)|err_pnpm|error\b|warning\b|fatal\b|\u00d7|docker: error|collecting |successfully installed |requirement already )/i;

/** The groups of each are the name, the version, and the version that a range came to. */
type NamingForms = Readonly<Record<string, readonly RegExp[]>>;

const reportedForms: NamingForms = {
  npm: [/(?<![\w@/.-])(@[\w.-]+\/[\w.-]+|[a-z][\w.-]*)@([~^]?\d[\w.+-]*|\*|latest)(?![\w.]*[/@])/gi],
  pypi: [
    /(?<![\w.-])([a-z][\w.-]*)==(\d[\w.!+]*)/gi,
    /(?:\bthe requirement |\bdistribution found for )([a-z][\w.-]*)(?![\w.-]*==)/gi,
    /(?:\bcollecting |\balready satisfied: )([a-z][\w.-]*)/gi,
    /(?<=^successfully installed .{0,1000}?)\b([a-z][\w.]*(?:-[a-z][\w.]*)*)-(\d[\w.!]*)/gim,
    /(?<![\w.-])([a-z][\w.-]*)`? was not found in the package registry/gi,
  ],
  cargo: [/\bcould not find `([\w-]+)` in registry/gi],
  oci: [/(?:\bmanifest for |\bpull access denied for |\bresolve reference "?)([\w./-]+)(?::([\w.-]+))?/gi],
};

/** Of lock files, manifests, stack traces, Dockerfiles, Compose and workflows; a secret has none of them. */
const writtenForms: NamingForms = {
  npm: [
    /node_modules[\\/]((?:@[a-z\d][\w.-]*[\\/])?[a-z\d][\w.-]*)(?![\w.-]|[\\/]node_modules)(?:"\s*:\s*\{\s*"version"\s*:\s*"([\w.+-]+)")?/gi,
    /^[ \t]*["']?\/?((?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)@(?:npm:)?([~^<>=]{0,2}v?\d[\w.+-]*)["']?(?:[,(].*)?:[ \t]*(?:\n[ \t]+version:?[ \t]+"?([\w.+-]+)|$)/gm,
    /^[ \t]*"(?!(?:\w*version|node|npm|yarn|pnpm|vscode)")((?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)"[ \t]*:[ \t]*"((?:[~^]|[<>]=)\d[\w.+-]*|\d+\.\d+\.\d+(?:[+-][\w.+-]*)?)",?[ \t]*$/gim,
  ],
  oci: [
    /^[ \t]*(?:-[ \t]+)?"?image"?[ \t]*:[ \t]*["']?(?!https?:)([\w./:@-]+)["']?,?[ \t]*(?:#.*)?$/gm,
    /^[ \t]*(?:-[ \t]+)?(?:uses[ \t]*:[ \t]*)?["']?docker:\/\/([\w./:@-]+)["']?[ \t]*(?:#.*)?$/gm,
    /^[ \t]*FROM[ \t]+(?:--platform=\S+[ \t]+)?([\w./:@-]+)(?:[ \t]+[Aa][Ss][ \t]+[\w.-]+)?[ \t]*$/gm,
  ],
  github: [
    /^[ \t]*(?:-[ \t]+)?uses[ \t]*:[ \t]*["']?([\w-]+(?:\/[\w.-]+)+)@([\w./-]+)["']?[ \t]*(?:#.*)?$/gm,
  ],
  cargo: [
    /\[\[package\]\]\s+name = "([\w-]+)"\s+version = "([\w.+-]+)"\s+source = "registry\+https:\/\/github\.com\/rust-lang\//g,
  ],
  pypi: [/\[\[package\]\]\s+name = "([\w.-]+)"\s+version = "([\w.!+-]+)"/g],
  nuget: [/\bPackage(?:Reference|Version)\s+Include="([\w.-]+)"(?:\s+Version="([\w.+*-]+)")?/gi],
  '': [
    /(?:^[ \t]*|["'])(?!(?:python|node)\b)([a-z\d][\w.-]*(?:\[[\w, .-]*\])?[ \t]*(?:={2,3}|[~<>!]=|[<>])[ \t]*\d[\w.!+*]*(?:,[ \t]*[<>=!~]{1,3}[ \t]*\d[\w.!+*]*){0,4})(?=[ \t]*(?:$|[;\\#"']|--))/gim,
    /^[ \t]*(?!python\b)([a-z][a-z\d._-]*)[ \t]*=[ \t]*(?:\{.*?\bversion[ \t]*=[ \t]*)?"(?:==)?((?:[~^]|[<>]=|(?<==))\d[\w.+-]*)"[ \t]*(?:,.*|\})?$/gm,
    /^(\S+)[ \t]+#[ \t].*$/g,
  ],
};

/** Of more than one word, and no file; of an account, with a slash. */
const start = '(?<![\\w/.-])["\'`“«]?';
const end = '(?<!\\.(?:[cm]?[jt]sx?|py|json|md|ya?ml|toml|txt|sh))(?![\\w-]|[./]\\w)';
const plainForm = `${start}(@?[a-z\\d]+(?:[-/_.]+[a-z\\d]+)+)${end}(?:@([\\w.+-]+))?`;
const pathForm = `${start}([a-z\\d]+(?:[-_.]+[a-z\\d]+)*(?:/[a-z\\d]+(?:[-_.]+[a-z\\d]+)*)+)${end}(?:[@:]([\\w.+-]+))?`;

const wordedForms = (by: string, form = plainForm): readonly RegExp[] => [
  new RegExp(`\\b${by}(?::| (?:package|module|image|crate|repo(?:sitory)?)):?\\s+${form}`, 'gi'),
  new RegExp(`${form}["'\`”»]?\\s+(?:\\(|(?:on|from|von|auf|sur|en|su)\\s+)${by}\\b`, 'gi'),
];
const quotedAfter = '(?:\\bfrom|\\brequire\\(|\\bimport\\(?|\\bfind (?:package|module))\\s*(?=["\'])';

/** Of words that say what it is of, and of commands that look at a package. */
const saidForms: NamingForms = {
  oci: [
    /^[ \t]*image:[ \t]*\n[ \t]+repository:[ \t]*([\w./-]+)/gm,
    ...wordedForms('(?:docker|oci|container)', pathForm),
    new RegExp(`\\bimages?(?: for|:|=)?\\s*${pathForm}`, 'gi'),
    /^[ \t]*(?:docker|podman|nerdctl|trivy|grype|syft|cosign|crane|oras|dive)\s(?:.*?\s)?([a-z\d][\w.-]*(?:\/[\w.-]+)+(?::[\w.-]+)?)(?=\s|$)/gm,
  ],
  npm: [
    ...wordedForms('npm(?:js)?'),
    new RegExp(quotedAfter + plainForm, 'gi'),
    /\b(?:npm|pnpm|yarn)\s+(?:view|info|show|ls|list|why|pack|uninstall|remove|rm|update|upgrade|audit signatures|outdated|docs|repo)\s+(?:-\S+\s+)*((?:@[\w.-]+\/)?[a-z\d][\w.-]*)(?:@([\w.+-]+))?/g,
  ],
  pypi: [
    ...wordedForms('(?:pypi|pip|python)'),
    /\b(?:pip3?|uv pip|uv tool|pipx)\s+(?:show|download|uninstall|upgrade)\s+(?:-\S+\s+)*([a-z\d][\w.-]*)(?:==([\w.+-]+))?/g,
  ],
  nuget: wordedForms('nuget'),
  cargo: wordedForms('(?:cargo|rust|crates\\.io)'),
  github: [...wordedForms('github', pathForm), new RegExp(`\\brepo(?:sitory)?:?\\s+${pathForm}`, 'gi')],
};

const inForm = (text: string, registry: string, form: RegExp): readonly NamedPackage[] =>
  [...text.matchAll(form)].map(([, name = '', version, exact = version]) => ({
    registry,
    name: name.replaceAll('\\', '/'),
    version: exact,
  }));
const inForms = (text: string, forms: NamingForms) =>
  Object.entries(forms).flatMap(([registry, all]) => all.map((form) => inForm(text, registry, form)));

/** Each once, in the form of `readPackagePage`. */
function namesOf(named: readonly NamedPackage[]): readonly string[] {
  const byName = Map.groupBy(named, ({ registry, name }) => `${registry}:${name}`.toLowerCase());
  return [...byName.values()].map((same) =>
    toWritten(same.reduce((first, one) => (first.version === undefined ? one : first))),
  );
}

/** A text is of one form. */
const readForms = (text: string, forms: NamingForms) =>
  namesOf(inForms(text, forms).find(({ length }) => length > 0) ?? []);

/** What a package manager reports, or else what a file names. */
export function readFile(text: string): readonly string[] {
  const isReport = reportForm.test(text) && /\s/.test(text.trim());
  const urls = isReport ? (text.match(/https?:\/\/[^\s"'`,)]+/g) ?? []) : [];
  const reported = isReport ? inForms(text, reportedForms).flat() : [];
  const named = namesOf([...reported, ...urls.flatMap((url) => pagePackage(url) ?? [])]);
  return named.length > 0 ? named : readForms(text, writtenForms);
}

export const readSaid = (text: string): readonly string[] => readForms(text, saidForms);
