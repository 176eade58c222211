import { readablePackages, toPackage } from '../kinds/package/recorded-packages.ts';
import type { Observation } from '../observation/observation.ts';
import {
  absentFinding,
  type ComparedListing,
  type Criterion,
  type Finding,
  observedFinding,
  plainCriterion,
  unseenFinding,
  worstOf,
} from './criterion.ts';

const evidence = 'observed';

/** A question about every recorded package, in the words of its answers; without full stops where `unseenFinding` adds one. */
interface Asked {
  readonly kind: string;
  holds(value: Observation['value']): boolean;
  readonly met: string;
  readonly notMet: string;
  readonly unseen: string;
}

type RecordedPackage = ComparedListing['listing']['packages'][number];

function judgeOne(compared: ComparedListing, recorded: RecordedPackage, asked: Asked): Finding {
  const { observations, packages } = compared.listing;
  const checked = readablePackages({ packages }).find(
    (one) => one.recorded === toPackage(recorded)?.recorded,
  );
  const seen = observations.find(
    ({ kind, subject }) => checked && kind === asked.kind && subject === checked.subject,
  );
  if (seen?.state !== 'observed' || seen.value === 'not_comparable')
    return unseenFinding(compared, asked.unseen, seen);
  return asked.holds(seen.value)
    ? observedFinding(seen, { result: 'met', fact: asked.met })
    : observedFinding(seen, { result: 'not_met', fact: asked.notMet });
}

/** Not met if one recorded package does not fulfil it, met only if each does; one that Dossier does not check is unknown. */
function ofEachPackage(compared: ComparedListing, asked: Asked): Finding {
  const { packages } = compared.listing;
  return (
    worstOf(packages.map((one) => judgeOne(compared, one, asked))) ??
    absentFinding(compared, 'package', { result: 'not_applicable', fact: 'No package is recorded.' })
  );
}

const notDeprecated = plainCriterion({ evidence, label: 'No recorded package is deprecated' }, (compared) =>
  ofEachPackage(compared, {
    kind: 'package.deprecated',
    holds: (value) => value === false,
    met: 'Their registries mark no recorded package as deprecated or yanked.',
    notMet: 'Its registry marks a recorded package as deprecated or yanked.',
    unseen: 'Dossier has not seen whether each recorded package is deprecated',
  }),
);

const builtFromRepository = plainCriterion(
  { evidence, label: 'Packages have provenance from the recorded repository' },
  (compared) =>
    ofEachPackage(compared, {
      kind: 'package.provenance',
      holds: (value) => value === 'match',
      met: 'The signed provenance of each recorded package names the recorded repository.',
      notMet: 'A recorded package has no provenance, or its signed provenance names another repository.',
      unseen: 'Dossier has not seen provenance of each recorded package',
    }),
);

/** Criteria judged by what Dossier saw in the registries of the recorded packages. */
export const packageCriteria = {
  package_not_deprecated: notDeprecated,
  package_built_from_repository: builtFromRepository,
} as const satisfies Record<string, Criterion>;
