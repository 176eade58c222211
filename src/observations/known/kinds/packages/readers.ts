import type { Json } from '../../../../core/json.ts';
import type { NoAnswer } from '../../../../net/answer.ts';
import { readCargo } from '../../../asked/published/cargo.ts';
import type { Published } from '../../../asked/published/document.ts';
import { readNpm } from '../../../asked/published/npm.ts';
import { readNuget } from '../../../asked/published/nuget.ts';
import { readOci } from '../../../asked/published/oci.ts';
import { readPypi } from '../../../asked/published/pypi.ts';
import {
  type PackageRegistry,
  type PackageType,
  packagesOn,
  type RecordedPackage,
  readablePackages,
} from '../../../asked/published/recorded.ts';
import type { CheckedListing, CheckRun, RecordedSubject } from '../../../asked/run.ts';
import type { Finding } from '../../observation.ts';
import { type RemoteFinding, withoutAnswer } from '../remotes.ts';

type Described = PackageRegistry | 'oci';

const readers: {
  readonly [Type in Described]: (
    run: CheckRun,
    recorded: RecordedPackage<Type>,
  ) => Promise<Published | NoAnswer>;
} = { npm: readNpm, pypi: readPypi, nuget: readNuget, cargo: readCargo, oci: readOci };

export const describedTypes = Object.keys(readers) as readonly Described[];

export const packageRegistries = describedTypes.filter((type) => type !== 'oci');

const read = new WeakMap<CheckRun, Map<string, Promise<Published | NoAnswer>>>();

export function readPublished<Type extends Described>(
  run: CheckRun,
  recorded: RecordedPackage<Type>,
): Promise<Published | NoAnswer> {
  const known = read.get(run) ?? new Map<string, Promise<Published | NoAnswer>>();
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

export const ofPublished = <const Value extends Json>(
  types: readonly Described[],
  toFinding: (
    published: Published,
    recorded: RecordedPackage<Described>,
    run: CheckRun,
  ) => RemoteFinding<Value> | NoAnswer | Promise<RemoteFinding<Value> | NoAnswer>,
) => ({
  isOptional: true as const,
  ...ofPackages(types, async (recorded, run): Promise<Finding<Value>> => {
    const published = await readPublished(run, recorded);
    if (published.result !== 'published') return withoutAnswer(published);
    const { source, source_url } = published;
    const finding = await toFinding(published, recorded, run);
    return { ...('result' in finding ? withoutAnswer(finding) : finding), source, source_url };
  }),
});
