import { type Surface, surfaces } from '../asked/endpoint/surface.ts';
import type { AskedKind, FactKind, Kind, RecordKind } from './kind.ts';
import { accessOauth, accessRequired } from './kinds/access.ts';
import { agentCard, serverCard } from './kinds/cards.ts';
import { endpointAnswers, endpointAvailability, endpointProtocol } from './kinds/endpoint.ts';
import { toolsCredentialFiles } from './kinds/lists/credential-files.ts';
import { toolsInterfaces } from './kinds/lists/tool-interfaces.ts';
import * as lists from './kinds/lists/tools.ts';
import { recordMoves } from './kinds/moves.ts';
import { packageAdvisories } from './kinds/packages/advisories.ts';
import { packageNewestVersion } from './kinds/packages/newest-version.ts';
import * as packages from './kinds/packages/packages.ts';
import { packageProvenance } from './kinds/packages/provenance.ts';
import { packageLicence, packageNames, packageRepository } from './kinds/packages/says.ts';
import { packageDependencies, packagePublishedBy, packageScripts } from './kinds/packages/versions.ts';
import * as publisher from './kinds/publisher.ts';
import { otherQuestions } from './kinds/questions.ts';
import * as records from './kinds/record.ts';
import * as repositories from './kinds/repository.ts';
import { securityContact, termsUrl } from './kinds/terms.ts';
import { questions } from './observation.ts';
import { priceOffers } from './prices/offers.ts';
import type { StateRules, Timeline } from './timeline/timeline.ts';

export const surfaceKinds = [
  lists.toolsSurface,
  lists.promptsSurface,
  lists.resourcesSurface,
  lists.skillsSurface,
] as const;

/** Kinds of one question are shown in this order. */
const checked = [
  priceOffers,
  endpointAnswers,
  endpointAvailability,
  endpointProtocol,
  lists.toolsCount,
  ...surfaceKinds,
  toolsInterfaces,
  lists.toolsHints,
  lists.toolsInstructions,
  lists.toolsHiddenText,
  toolsCredentialFiles,
  accessRequired,
  accessOauth,
  repositories.repositoryExists,
  repositories.repositoryLastCommit,
  packages.packageMaintainers,
  packages.packageExists,
  packages.packageVersionAge,
  packageNewestVersion,
  packageNames,
  packageRepository,
  packageProvenance,
  packageAdvisories,
  packageScripts,
  packagePublishedBy,
  packageDependencies,
  packages.packageDeprecated,
  repositories.repositorySupersededBy,
  repositories.repositoryHead,
  securityContact,
  agentCard,
  serverCard,
  termsUrl,
  packageLicence,
] as const;

const recorded = [
  records.registryStatus,
  records.registryStatusMessage,
  records.registryLastUpdate,
  records.registryVersions,
  records.registryFirstPublished,
  records.registryLastPublished,
  records.recordTransports,
  records.recordPackageTypes,
  records.recordRepository,
  recordMoves,
  records.recordUnreadFields,
  publisher.namespaceProof,
  publisher.namespaceOwner,
  publisher.namespaceHoldsEndpoint,
  publisher.publisherListings,
  publisher.publisherSameEndpoint,
  ...publisher.sharedKinds,
] as const;

export const kinds: readonly Kind[] = checked;

export const recordKinds: readonly RecordKind[] = recorded;

export const kindsWithUnknown: readonly AskedKind[] = questions.flatMap((question) =>
  [...checked, ...otherQuestions].filter(
    (kind: AskedKind) => kind.question === question && (kind.unstated ?? kind.unchecked),
  ),
);

const byName = new Map<string, FactKind>([...recorded, ...checked].map((kind) => [kind.kind, kind]));
const askedByName = new Map<string, AskedKind>(
  [...recorded, ...checked, ...otherQuestions].map((kind) => [kind.kind, kind]),
);

export const kindOf = (name: string): FactKind | undefined => byName.get(name);

export const surfaceOf = (name: string): Surface | undefined => {
  const lists = kinds.find(({ kind }) => kind === name)?.lists;
  return lists && surfaces[lists];
};

/** Also finds questions that no fact answers. */
export const askedOf = (name: string): AskedKind | undefined => askedByName.get(name);

export const rulesOf = ({ kind, away }: Pick<Timeline, 'kind' | 'away'>): StateRules => ({
  reach: kind === endpointAnswers.kind,
  away,
});
