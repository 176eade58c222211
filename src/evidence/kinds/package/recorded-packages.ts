import type { Subject } from '../../observation/look.ts';
import type { ImageReference } from '../../observation/package-look.ts';

/** A recorded package of a registry that Dossier can read, named as its observations name it. */
export interface RecordedPackage {
  /** As `npm:@scope/name`. */
  readonly subject: string;
  readonly type: 'npm' | 'pypi' | 'oci';
  readonly name: string;
  readonly version: string | undefined;
}

/** Most packages of one listing that are checked. */
const mostPackages = 10;

const forms: Readonly<Record<RecordedPackage['type'], RegExp>> = {
  npm: /^(?:@[\w.~-]{1,100}\/)?(?![._])[\w.~-]{1,214}$/,
  pypi: /^[a-z\d](?:[\w.-]{0,98}[a-z\d])?$/i,
  oci: /^[\w./:@-]{1,300}$/,
};
const versionForm = /^[\w.!+~-]{1,100}$/;

const isType = (type: string): type is RecordedPackage['type'] => Object.hasOwn(forms, type);

function toPackage({ registry_type, identifier, version }: Subject['packages'][number]) {
  const type = registry_type.toLowerCase();
  if (!isType(type) || !forms[type].test(identifier)) return [];
  const isVersion = version !== undefined && version !== 'latest' && versionForm.test(version);
  return [
    { type, name: identifier, subject: `${type}:${identifier}`, version: isVersion ? version : undefined },
  ];
}

/** The recorded packages on npm, PyPI and OCI registries, each once, at most ten; those with no valid name are left out. */
export function readablePackages({ packages }: Subject): RecordedPackage[] {
  const bySubject = new Map<string, RecordedPackage>();
  for (const one of packages.flatMap(toPackage))
    if (!bySubject.has(one.subject)) bySubject.set(one.subject, one);
  return [...bySubject.values()].slice(0, mostPackages);
}

/** Takes an image's name apart, as `ghcr.io/owner/name:1.0`; without a host it is on docker.io. */
export function toImage({ name: identifier, version }: RecordedPackage): ImageReference | undefined {
  const parts =
    /^(?:([a-z\d.-]+\.[a-z]{2,}(?::\d+)?|localhost:\d+)\/)?([a-z\d][a-z\d._/-]*?)(?::([\w.-]{1,128}))?(?:@(sha256:[\da-f]{64}))?$/.exec(
      identifier,
    );
  const [, host = 'docker.io', path = '', tag, digest] = parts ?? [];
  if (path === '' || path.includes('..')) return undefined;
  const name = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path;
  return { host, name, reference: digest ?? tag ?? version ?? 'latest' };
}
