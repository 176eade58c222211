import type { Observation } from '../observation/observation.ts';
import {
  type ComparedListing,
  type Criterion,
  type Finding,
  observedFinding,
  plainCriterion,
  recordedFinding,
  unseenFinding,
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

/** Not met if one package does not fulfil it, met only if each does. */
function ofEachPackage(compared: ComparedListing, { kind, holds, ...texts }: Asked): Finding {
  const found = compared.listing.observations.filter((one) => one.kind === kind);
  if (found.length === 0 && compared.listing.packages.length === 0)
    return recordedFinding(compared, { result: 'unknown', fact: 'No package is recorded.' });
  const seen = found.filter(({ state, value }) => state === 'observed' && value !== 'not_comparable');
  const against = seen.find(({ value }) => !holds(value));
  if (against) {
    const recorded = against.subject === undefined ? {} : { recorded: against.subject };
    return observedFinding(against, { result: 'not_met', fact: texts.notMet, ...recorded });
  }
  const [first] = seen;
  return first && seen.length === found.length
    ? observedFinding(first, { result: 'met', fact: texts.met })
    : unseenFinding(
        compared,
        texts.unseen,
        found.find((one) => !seen.includes(one)),
      );
}

const notDeprecated = plainCriterion({ evidence, label: 'No recorded package is deprecated' }, (compared) =>
  ofEachPackage(compared, {
    kind: 'package.deprecated',
    holds: (value) => value === false,
    met: 'The registry marks no recorded package on npm or PyPI as deprecated or yanked.',
    notMet: 'The registry marks a recorded package as deprecated or yanked.',
    unseen: 'Dossier has not seen whether each recorded package is deprecated',
  }),
);

const builtFromRepository = plainCriterion(
  { evidence, label: 'Packages have provenance from the recorded repository' },
  (compared) =>
    ofEachPackage(compared, {
      kind: 'package.provenance',
      holds: (value) => value === 'match',
      met: 'The signed provenance of each recorded package on npm or PyPI names the recorded repository.',
      notMet: 'A recorded package has no provenance, or its signed provenance names another repository.',
      unseen: 'Dossier has not seen provenance of each recorded package',
    }),
);

/** Criteria judged by what Dossier saw in the registries of the recorded packages. */
export const packageCriteria = {
  package_not_deprecated: notDeprecated,
  package_built_from_repository: builtFromRepository,
} as const satisfies Record<string, Criterion>;
