import { z } from 'zod';
import { type Json, ownMember } from '../../../../core/json.ts';
import {
  code,
  codes,
  day,
  dayOf,
  number,
  own,
  quote,
  say,
  type Words,
  within,
} from '../../../../core/words.ts';
import type { Listing } from '../../../../listings/listing.ts';
import { type NoAnswer, returned, toContent } from '../../../../net/answer.ts';
import { readCargo, readNuget } from '../../../asked/published/cargo-nuget.ts';
import {
  type NoVersion,
  namesWords,
  type OfPackage,
  type PackageAnswer,
  type Published,
  sourceOf,
  toTime,
} from '../../../asked/published/document.ts';
import { readNpm } from '../../../asked/published/npm.ts';
import { digestForm, digestOfManifest, readManifest, readOci } from '../../../asked/published/oci.ts';
import { readPypi } from '../../../asked/published/pypi.ts';
import {
  type PackageRegistry,
  type PackageType,
  packagesOn,
  type RecordedPackage,
  readablePackages,
  registryOf,
  typeOf,
} from '../../../asked/published/recorded.ts';
import type { CheckedListing, CheckRun, RecordedSubject } from '../../../asked/run.ts';
import { defineKind, type ShownFinding } from '../../kind.ts';
import type { Finding } from '../../observation.ts';
import { ownProbe, type RemoteFinding, withoutAnswer } from '../remotes.ts';
import { keepVersions } from './kept-versions.ts';

export const isOnNpmOrPypi = ({ packages }: Pick<Listing, 'packages'>): boolean =>
  packages.some(({ registry_type }) => /^(?:npm|pypi)$/i.test(registry_type));

const packagePages: Readonly<Record<string, (identifier: string, version?: string) => string>> = {
  npm: (name, version) => `https://www.npmjs.com/package/${name}${version ? `/v/${version}` : ''}`,
  pypi: (name, version) => `https://pypi.org/project/${name}/${version ? `${version}/` : ''}`,
  nuget: (name, version) => `https://www.nuget.org/packages/${name}${version ? `/${version}` : ''}`,
  cargo: (name, version) => `https://crates.io/crates/${name}${version ? `/${version}` : ''}`,
};

export const packagePage = (type: string, name: string, version?: string): string | undefined =>
  ownMember(packagePages, type)?.(name, version);

export function subjectWords(subject: string): Words {
  const [, url, place] = /^(\S+) in (\S.*)$/.exec(subject) ?? [];
  if (url !== undefined && place !== undefined) return say`${code(url)} in ${code(place)}`;
  const [, type = '', name = '', version] =
    /^([a-z]+):(@?[^@:/]+(?:\/[^@:/]+)?)(?:@(.+))?$/.exec(subject) ?? [];
  return code(subject, packagePage(type, name, version));
}

export const packageOf = (subject: string | undefined): Words =>
  subject === undefined ? own('the package') : subjectWords(subject);

/** As it begins a sentence. */
export const versionOf = ({ details, subject }: Pick<ShownFinding, 'details' | 'subject'>): Words =>
  typeof details?.version === 'string'
    ? say`Version ${code(details.version)} of ${packageOf(subject)}`
    : say`The recorded version of ${packageOf(subject)}`;

type Described = PackageRegistry | 'oci';

const readers: {
  readonly [Type in Described]: (run: CheckRun, recorded: RecordedPackage<Type>) => Promise<PackageAnswer>;
} = { npm: readNpm, pypi: readPypi, nuget: readNuget, cargo: readCargo, oci: readOci };

export const describedTypes = Object.keys(readers) as readonly Described[];

export const packageRegistries = describedTypes.filter((type) => type !== 'oci');

const read = new WeakMap<CheckRun, Map<string, Promise<PackageAnswer>>>();

export function readPublished<Type extends Described>(run: CheckRun, recorded: RecordedPackage<Type>) {
  const known = read.get(run) ?? new Map<string, Promise<PackageAnswer>>();
  read.set(run, known);
  const reading = known.get(recorded.recorded);
  const published = reading ?? readers[recorded.type](run, recorded);
  known.set(recorded.recorded, published);
  return published;
}

/** A finding may have its own `recorded`. */
export const ofPackages = <const Value extends Json, Type extends PackageType>(
  types: readonly Type[],
  toFinding: (recorded: RecordedPackage<Type>, run: CheckRun) => Promise<Finding<Value>>,
) => ({
  about: packagesOn(...types),
  restsOn: 'package' as const,
  check: (run: CheckRun): Promise<readonly Finding<Value>[]> =>
    Promise.all(
      readablePackages(run.listing)
        .filter((one): one is RecordedPackage<Type> => types.some((type) => type === one.type))
        .map(async (one) => ({
          recorded: one.recorded,
          ...(await toFinding(one, run)),
          subject: one.subject,
        })),
    ),
});

export function besideRepository<Of extends Finding>(facts: {
  readonly about: (listing: CheckedListing) => readonly RecordedSubject[];
  readonly check: (run: CheckRun) => Promise<readonly Of[]>;
}) {
  const add =
    ({ repository = '' }: CheckedListing) =>
    <One extends RecordedSubject>(one: One): One => ({ ...one, recorded: `${one.recorded} ${repository}` });
  return {
    restsOn: 'package' as const,
    about: (listing: CheckedListing) => facts.about(listing).map(add(listing)),
    check: async (run: CheckRun) => (await facts.check(run)).map(add(run.listing)),
  };
}

type Made<Value extends Json> = RemoteFinding<Value> | NoAnswer;

/** A finding is of the place that answered. */
const ofAnswer = <const Value extends Json, Type extends Described>(
  types: readonly Type[],
  toFinding: (
    answer: PackageAnswer,
    recorded: RecordedPackage<Type>,
    run: CheckRun,
  ) => Made<Value> | Promise<Made<Value>>,
) => ({
  isOptional: true as const,
  ...ofPackages(types, async (recorded, run): Promise<Finding<Value>> => {
    const answer = await readPublished(run, recorded);
    const made = await toFinding(answer, recorded, run);
    const { source = ownProbe, source_url } = answer;
    const place = { source, ...(source_url !== undefined && { source_url }) };
    return { ...('result' in made ? withoutAnswer(made) : made), ...place };
  }),
});

export const ofPublished = <const Value extends Json>(
  types: readonly Described[],
  toFinding: (
    published: Published,
    recorded: RecordedPackage<Described>,
    run: CheckRun,
  ) => Made<Value> | Promise<Made<Value>>,
) => ofAnswer(types, (answer, ...of) => (answer.result === 'published' ? toFinding(answer, ...of) : answer));

/** Also if the registry lacks the recorded version. */
export const ofNamed = <const Value extends Json>(
  types: readonly PackageRegistry[],
  toFinding: (
    named: OfPackage,
    recorded: RecordedPackage<PackageRegistry>,
    answer: Published | NoVersion,
  ) => Made<Value>,
) =>
  ofAnswer(types, (answer, recorded) => {
    if (answer.result === 'published') return toFinding(answer, recorded, answer);
    return 'of_package' in answer ? toFinding(answer.of_package, recorded, answer) : answer;
  });

export const packageDeprecated = defineKind({
  kind: 'package.deprecated',
  value: z.strictObject({
    deprecated: z.boolean(),
    /** NuGet leaves the version out of its lists. */
    unlisted: z.literal(true).optional(),
    message: z.string().optional(),
  }),
  say({ value: { deprecated, unlisted, message } }) {
    const said = message !== undefined && say`: ${quote(message)}`;
    if (deprecated) return say`yes${said}`;
    return unlisted ? own('no, but unlisted') : own('no');
  },
  standsOutAs: 'package_deprecated',
  sayStandsOut({ value: { deprecated, unlisted, message }, by, ...of }) {
    const said = message !== undefined && say`: ${quote(message)}`;
    if (!deprecated && !unlisted) return undefined;
    const { registry, withdrawn } = registryOf(of.subject ?? '');
    const how = deprecated ? withdrawn : own('unlisted');
    return say`${registry} marks ${within(versionOf(of))} as ${how}${by}${said}`;
  },
  isLocked: true,
  question: 'upkeep',
  title: 'Version marked as deprecated or yanked',
  topic: own('whether the version is marked as deprecated or yanked'),
  means:
    'Whether the registry marks the recorded version as deprecated (npm, NuGet) or yanked (PyPI, crates.io), and the message with the mark. NuGet may also leave a version out of its lists (unlisted).',
  doesNotMean: 'A version that is not marked may still be abandoned.',
  method_version: 'package/2',
  ...ofPublished(packageRegistries, ({ deprecated, version }) =>
    'result' in deprecated ? deprecated : { value: deprecated, outcome: 'seen', details: { version } },
  ),
});

const manifest = z.strictObject({ reference: z.string(), digest: z.string() });

async function ofImage(
  recorded: RecordedPackage<'oci'>,
  run: CheckRun,
): Promise<Finding<z.infer<typeof manifest>>> {
  const found = await readManifest(run, recorded);
  if (found.result !== 'document') return withoutAnswer(found);
  const { response, reference } = found;
  return { value: { reference, digest: digestOfManifest(found) }, outcome: 'seen', ...sourceOf(response) };
}

const file = z.strictObject({ size_bytes: z.number().nullable() });

async function ofFile(
  { name: url }: RecordedPackage<'mcpb'>,
  run: CheckRun,
): Promise<Finding<z.infer<typeof file>>> {
  const answer = toContent(await run.packageFile(url));
  const place = { source: URL.parse(url)?.host ?? ownProbe, source_url: url };
  if (answer.result !== 'response') return { ...withoutAnswer(answer), ...place };
  const { headers } = answer;
  if (/^(?:text\/html|application\/xhtml)/i.test(headers['content-type'] ?? ''))
    return { ...withoutAnswer(returned(code(url), answer, own('a file'))), ...place };
  const length = headers['content-length'] ?? '';
  const last_modified = toTime(headers['last-modified']);
  const recorded = run.listing.packages.find(({ identifier }) => identifier === url);
  return {
    value: { size_bytes: /^\d{1,15}$/.test(length) ? Number(length) : null },
    outcome: 'seen',
    details: { records_sha256: recorded?.file_sha256 !== undefined },
    ...(last_modified !== undefined && { as_seen: { last_modified } }),
    ...place,
  };
}

const published = ofNamed(packageRegistries, (named, { type }, answer) => ({
  ...(answer.result === 'published'
    ? { value: { version: named.version }, outcome: 'seen' as const }
    : withoutAnswer(answer)),
  ...(named.versions.length > 0 && { as_seen: keepVersions(named, type) }),
}));
const images = ofPackages(['oci'], ofImage);
const files = ofPackages(['mcpb'], ofFile);

const shortDigest = (digest: string) => code(digest.slice(0, 'sha256:'.length + 12));

export const packageExists = defineKind({
  kind: 'package.exists',
  name: 'package',
  unchecked: {
    what: own('whether the recorded package is published'),
    isAsked: ({ packages }) => packages.some(({ registry_type }) => typeOf(registry_type)),
  },
  entryName: 'package',
  value: z.union([z.strictObject({ version: z.string() }), manifest, file]),
  say({ value, details, as_seen }) {
    if ('version' in value) return say`version ${code(value.version)}`;
    if ('digest' in value) {
      const same = value.reference === value.digest ? own(', as recorded') : own(', not the recorded one');
      return say`${code(value.reference)} with the digest ${code(value.digest)}${digestForm.test(value.reference) && same}`;
    }
    const size = value.size_bytes !== null && say` of ${number(value.size_bytes)} bytes`;
    const { last_modified } = as_seen ?? {};
    const when = typeof last_modified === 'string' && say`, last modified ${day(last_modified)}`;
    const stated = own('its SHA-256, with which Dossier has not compared the file');
    const digest = details?.records_sha256 ? stated : own('no SHA-256 of it');
    return say`a file${size}${when}; the record states ${digest}`;
  },
  // Registries do not replace a version, but the image at a tag.
  sayChange: ({ value: was }, { value: now }, between) =>
    was !== null && 'digest' in was && 'digest' in now && was.reference === now.reference
      ? say`The image at ${code(now.reference)} was replaced: digest ${shortDigest(now.digest)} instead of ${shortDigest(was.digest)} (${between})`
      : undefined,
  line: 'where',
  existsAs: 'package',
  standsOutAs: 'not_there',
  isLocked: true,
  question: 'code',
  title: 'Published package',
  means:
    'Whether the registry has the recorded version of the package, or the newest version if none is recorded. For an image, the fact is whether the registry has the manifest. For an MCPB file, it is whether the file is at its address, with the size and date that the host states.',
  doesNotMean:
    'It does not say who published it, or that it was built from the recorded repository. Files of packages are not compared with a digest.',
  method_version: 'package/2',
  about: packagesOn(...packageRegistries, 'oci', 'mcpb'),
  check: async (run) => [
    ...(await published.check(run)),
    ...(await images.check(run)),
    ...(await files.check(run)),
  ],
});

const mostShown = 5;
/** A long list is stored shortened. */
const isWhole = ({ count, names }: { readonly count: number; readonly names: readonly string[] }) =>
  count > 0 && count === names.length;

export const packageMaintainers = defineKind({
  kind: 'package.maintainers',
  value: z.strictObject({ count: z.number(), names: z.array(z.string()) }),
  say: ({ value: { count, names } }) => namesWords(count, names),
  sayChange: ({ value: was }, { value: now }, between) =>
    was && isWhole(was) && isWhole(now) && was.names.every((one) => !now.names.includes(one))
      ? say`All maintainers of the npm package were replaced: ${codes(now.names, mostShown)} instead of ${codes(was.names, mostShown)} (${between})`
      : undefined,
  question: 'publisher',
  title: 'Maintainers of the package',
  means: 'How many accounts npm lists as maintainers of the package, with their names.',
  doesNotMean:
    'It does not say who these accounts belong to. Other registries are not asked for maintainers.',
  method_version: 'package/2',
  ...ofNamed(['npm'], ({ maintainers }) =>
    'result' in maintainers
      ? maintainers
      : { value: { count: maintainers.length, names: maintainers }, outcome: 'seen' },
  ),
});

export const packageVersionAge = defineKind({
  kind: 'package.version_age',
  saidIn: 'kept_up',
  sayInLine: ({ value }) => say`package version published on ${dayOf(value)}`,
  value: z.string(),
  say: ({ value }) => day(value),
  question: 'upkeep',
  title: 'Day on which the recorded version was published',
  means: 'The date on which the recorded version was published, as its registry states it.',
  doesNotMean: 'An old version may need no change, and a new one may be no better.',
  unit: 'date',
  method_version: 'package/1',
  ...ofPublished(packageRegistries, ({ published_at, version }) =>
    typeof published_at === 'string'
      ? { value: published_at, outcome: 'seen', details: { version } }
      : published_at,
  ),
});
