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
    /^files\.pythonhosted\.org\/packages\/(?:[^/]+\/)+([a-z][\w.]*(?:-[a-z][\w.]*)*)-(\d[\w.!+]*?)(?:-[^/]*\.whl|\.tar\.gz|\.zip)$/i,
  ],
];

interface NamedPackage {
  /** Empty for an advisory. */
  readonly registry: string;
  readonly name: string;
  readonly version?: string | undefined;
}

function pagePackage(text: string): NamedPackage | undefined {
  const written = text.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const address = (attempt(() => decodeURIComponent(written)) ?? written).replace(/^https?:\/\//i, '');
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

/** How package managers begin what they report. */
const reportForm = /^\s*(?:npm (?:err!|error|warn)|err_pnpm|error\b|warning\b|fatal\b|\u00d7|docker: error)/i;

const reportedForms: readonly (readonly [registry: string, form: RegExp])[] = [
  ['npm', /(?<![\w@/.-])(@[\w.-]+\/[\w.-]+|[a-z][\w.-]*)@([~^]?\d[\w.+-]*|\*|latest)(?![\w.]*[/@])/gi],
  ['pypi', /(?<![\w.-])([a-z][\w.-]*)==(\d[\w.!+]*)/gi],
  ['pypi', /(?:\bthe requirement |\bdistribution found for )([a-z][\w.-]*)(?![\w.-]*==)/gi],
  ['pypi', /(?<![\w.-])([a-z][\w.-]*)`? was not found in the package registry/gi],
  ['cargo', /\bcould not find `([\w-]+)` in registry/gi],
  ['oci', /(?:\bmanifest for |\bpull access denied for |\bresolve reference "?)([\w./-]+)(?::([\w.-]+))?/gi],
];

/** The packages in what a package manager reported, each once, in the form of `readPackagePage`. */
export function readReported(text: string): readonly string[] {
  if (!reportForm.test(text) || !/\s/.test(text.trim())) return [];
  const pages = (text.match(/https?:\/\/[^\s"'`,)]+/g) ?? []).flatMap((url) => pagePackage(url) ?? []);
  const named = reportedForms.flatMap(([registry, form]) =>
    [...text.matchAll(form)].map(([, name = '', version]): NamedPackage => ({ registry, name, version })),
  );
  const byName = Map.groupBy([...named, ...pages], ({ registry, name }) =>
    `${registry}:${name}`.toLowerCase(),
  );
  return [...byName.values()].map((same) =>
    toWritten(same.reduce((first, one) => (first.version === undefined ? one : first))),
  );
}
