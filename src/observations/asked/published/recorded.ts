import { name, own } from '../../../core/words.ts';
import { isImageType } from '../../../listings/references/command.ts';
import type { CheckedListing, RecordedSubject } from '../run.ts';

const types = {
  npm: {
    form: /^(?:@[\w.~-]{1,100}\/)?(?![._])[\w.~-]{1,214}$/,
    registry: name('npm'),
    withdrawn: own('deprecated'),
  },
  pypi: { form: /^[a-z\d](?:[\w.-]{0,98}[a-z\d])?$/i, registry: own('PyPI'), withdrawn: own('yanked') },
  nuget: { form: /^\w(?:[\w.-]{0,98}\w)?$/, registry: own('NuGet'), withdrawn: own('deprecated') },
  cargo: { form: /^[a-z][\w-]{0,63}$/i, registry: name('crates.io'), withdrawn: own('yanked') },
  oci: { form: /^[\w./:@-]{1,300}$/ },
  mcpb: { form: /^https?:\/\/[\x21-\x7e]{1,2000}$/i },
} as const;

export type PackageType = keyof typeof types;

export type PackageRegistry = Exclude<PackageType, 'oci' | 'mcpb'>;

export interface RecordedPackage<Type extends PackageType = PackageRegistry> {
  readonly subject: string;
  /** The subject, `@` and the recorded version, if any: `npm:@scope/name@1.0.0`. */
  readonly recorded: string;
  readonly type: Type;
  readonly name: string;
  readonly version: string | undefined;
}

const mostPackages = 10;

/** The versions `.` and `..` would lead to other addresses of the registry. */
const versionForm = /^(?!\.{1,2}$)[\w.!+~-]{1,100}$/;

const isType = (type: string): type is PackageType => Object.hasOwn(types, type);

export function typeOf(registry_type: string): PackageType | undefined {
  const type = isImageType(registry_type) ? 'oci' : registry_type.toLowerCase();
  return isType(type) ? type : undefined;
}

export function registryOf(subject: string) {
  const [type = ''] = subject.split(':', 1);
  return isType(type) && type !== 'oci' && type !== 'mcpb' ? types[type] : types.npm;
}

export function toPackage({
  registry_type,
  registry_base_url,
  identifier,
  version,
}: CheckedListing['packages'][number]): RecordedPackage<PackageType> | undefined {
  const type = typeOf(registry_type);
  // A package from a different registry must not be looked up in the usual one.
  if (registry_base_url !== undefined || !type || !types[type].form.test(identifier)) return undefined;
  const isVersion = version !== undefined && version !== 'latest' && versionForm.test(version);
  const subject = `${type}:${identifier}`;
  const named = { type, name: identifier, subject, recorded: `${subject}@${version ?? ''}` };
  return { ...named, version: isVersion ? version : undefined };
}

export const packagesOn =
  (...wanted: readonly PackageType[]) =>
  ({ packages }: Pick<CheckedListing, 'packages'>): RecordedSubject[] =>
    packages
      .flatMap((one) => toPackage(one) ?? [])
      .filter(({ type }) => wanted.includes(type))
      .map(({ subject, recorded }) => ({ subject, recorded }));

export function readablePackages({
  packages,
}: Pick<CheckedListing, 'packages'>): RecordedPackage<PackageType>[] {
  const known = packages.flatMap((recorded) => toPackage(recorded) ?? []);
  const bySubject = new Map(known.toReversed().map((one) => [one.subject, one]));
  return known.filter((one) => bySubject.get(one.subject) === one).slice(0, mostPackages);
}

export const versionsOf = <Type extends PackageType>(
  { packages }: Pick<CheckedListing, 'packages'>,
  { type, subject }: RecordedPackage<Type>,
): RecordedPackage<Type>[] =>
  packages
    .flatMap((recorded) => toPackage(recorded) ?? [])
    .flatMap((one) => (one.subject === subject ? [{ ...one, type }] : []))
    .slice(0, mostPackages);

/** `reference` is a tag or a digest. */
export function toImage({ name: identifier, version }: RecordedPackage<PackageType>) {
  const parts =
    /^(?:([a-z\d.-]+\.[a-z]{2,}(?::\d+)?|localhost:\d+)\/)?([a-z\d][a-z\d._/-]*?)(?::([\w.-]{1,128}))?(?:@(sha256:[\da-f]{64}))?$/.exec(
      identifier,
    );
  const [, host = 'docker.io', path = '', tag, digest] = parts ?? [];
  if (path === '' || path.includes('..')) return undefined;
  const name = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path;
  return { host, name, reference: digest ?? tag ?? version ?? 'latest' };
}
