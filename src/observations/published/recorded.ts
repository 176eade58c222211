import { isImageType } from '../../listings/package.ts';
import type { RecordedSubject } from '../observation.ts';
import type { Subject } from '../run.ts';

/** A recorded package of a registry that Dossier can read, named as its observations name it. */
export interface RecordedPackage {
  /** As `npm:@scope/name`. */
  readonly subject: string;
  /** With the recorded version, as `npm:@scope/name@1.0.0`. */
  readonly recorded: string;
  readonly type: 'npm' | 'pypi' | 'oci';
  readonly name: string;
  readonly version: string | undefined;
}

const mostPackages = 10;

const forms: Readonly<Record<RecordedPackage['type'], RegExp>> = {
  npm: /^(?:@[\w.~-]{1,100}\/)?(?![._])[\w.~-]{1,214}$/,
  pypi: /^[a-z\d](?:[\w.-]{0,98}[a-z\d])?$/i,
  oci: /^[\w./:@-]{1,300}$/,
};
/** Not `.` or `..`, which would be other addresses of the registry. */
const versionForm = /^(?!\.{1,2}$)[\w.!+~-]{1,100}$/;

const isType = (type: string): type is RecordedPackage['type'] => Object.hasOwn(forms, type);

/** A recorded package by the names of its facts; undefined for one of another registry, or with no valid name. */
export function toPackage({
  registry_type,
  registry_base_url,
  identifier,
  version,
}: Subject['packages'][number]): RecordedPackage | undefined {
  const type = isImageType(registry_type) ? 'oci' : registry_type.toLowerCase();
  // A package of another registry is never looked up in the usual one.
  if (registry_base_url !== undefined || !isType(type) || !forms[type].test(identifier)) return undefined;
  const isVersion = version !== undefined && version !== 'latest' && versionForm.test(version);
  const subject = `${type}:${identifier}`;
  const named = { type, name: identifier, subject, recorded: `${subject}@${version ?? ''}` };
  return { ...named, version: isVersion ? version : undefined };
}

/** The recorded packages on these registries, all of them; those with no valid name are left out. */
export const packagesOn =
  (...types: RecordedPackage['type'][]) =>
  ({ packages }: Pick<Subject, 'packages'>): RecordedSubject[] =>
    packages
      .flatMap((one) => toPackage(one) ?? [])
      .filter(({ type }) => types.includes(type))
      .map(({ subject, recorded }) => ({ subject, recorded }));

/** The recorded packages that are checked: on npm, PyPI and OCI registries, each name once, at most ten. */
export function readablePackages({ packages }: Pick<Subject, 'packages'>): RecordedPackage[] {
  const known = packages.flatMap((recorded) => toPackage(recorded) ?? []);
  const bySubject = new Map(known.toReversed().map((one) => [one.subject, one]));
  return known.filter((one) => bySubject.get(one.subject) === one).slice(0, mostPackages);
}

/** Takes an image's name apart, as `ghcr.io/owner/name:1.0`; without a host it is on docker.io. `reference`: a tag or digest. */
export function toImage({ name: identifier, version }: RecordedPackage) {
  const parts =
    /^(?:([a-z\d.-]+\.[a-z]{2,}(?::\d+)?|localhost:\d+)\/)?([a-z\d][a-z\d._/-]*?)(?::([\w.-]{1,128}))?(?:@(sha256:[\da-f]{64}))?$/.exec(
      identifier,
    );
  const [, host = 'docker.io', path = '', tag, digest] = parts ?? [];
  if (path === '' || path.includes('..')) return undefined;
  const name = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path;
  return { host, name, reference: digest ?? tag ?? version ?? 'latest' };
}
