import type { Json } from '../../core/json.ts';
import type { NoAnswer } from '../../net/answer.ts';
import type { Finding, RecordedSubject } from '../observation.ts';
import { type Found, withoutAnswer } from '../remotes.ts';
import type { Run, Subject } from '../run.ts';
import { readCargo } from './cargo.ts';
import type { Published } from './document.ts';
import { readNpm } from './npm.ts';
import { readNuget } from './nuget.ts';
import { readOci } from './oci.ts';
import { readPypi } from './pypi.ts';
import {
  type PackageRegistry,
  type PackageType,
  packagesOn,
  type RecordedPackage,
  readablePackages,
} from './recorded.ts';

/** What has a published version that says something of itself. */
type Described = PackageRegistry | 'oci';

const readers: {
  readonly [Type in Described]: (run: Run, recorded: RecordedPackage<Type>) => Promise<Published | NoAnswer>;
} = { npm: readNpm, pypi: readPypi, nuget: readNuget, cargo: readCargo, oci: readOci };

/** The packages that say something of themselves: those of a registry, and images. */
export const describedTypes = Object.keys(readers) as readonly Described[];

/** The registries whose packages have facts about a published version. */
export const packageRegistries = describedTypes.filter((type) => type !== 'oci');

const read = new WeakMap<Run, Map<string, Promise<Published | NoAnswer>>>();

/** What a registry says of a recorded package, read once for each run. */
export function readPublished<Type extends Described>(
  run: Run,
  recorded: RecordedPackage<Type>,
): Promise<Published | NoAnswer> {
  const known = read.get(run) ?? new Map<string, Promise<Published | NoAnswer>>();
  read.set(run, known);
  const reading = known.get(recorded.recorded);
  const published = reading ?? readers[recorded.type](run, recorded);
  known.set(recorded.recorded, published);
  return published;
}

/** What is compared: a package, and the repository that is recorded beside it. */
export const withRepository = ({ recorded }: RecordedSubject, { repository = '' }: Subject): string =>
  `${recorded} ${repository}`;

/**
 * One fact for each recorded package of these registries, about the recorded version if the fact says nothing
 * else.
 */
export const ofPackages = <const Value extends Json, Type extends PackageType>(
  types: readonly Type[],
  toFinding: (recorded: RecordedPackage<Type>, run: Run) => Promise<Finding<Value>>,
) => ({
  about: packagesOn(...types),
  restsOn: 'package' as const,
  check: (run: Run): Promise<readonly Finding<Value>[]> =>
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

/** One fact for each recorded package of these registries whose version is published there. */
export const ofPublished = <const Value extends Json>(
  types: readonly Described[],
  toFinding: (
    published: Published,
    recorded: RecordedPackage<Described>,
    run: Run,
  ) => Found<Value> | NoAnswer | Promise<Found<Value> | NoAnswer>,
) =>
  ofPackages(types, async (recorded, run): Promise<Finding<Value>> => {
    const published = await readPublished(run, recorded);
    if (published.result !== 'published') return withoutAnswer(published);
    const { source, source_url } = published;
    const finding = await toFinding(published, recorded, run);
    return { ...('result' in finding ? withoutAnswer(finding) : finding), source, source_url };
  });
