import type { Kind } from './kind.ts';
import { accessOauth, accessRequired } from './kinds/access.ts';
import { agentCard, serverCard } from './kinds/cards.ts';
import {
  endpointAnswers,
  endpointAvailability,
  endpointDns,
  endpointProtocol,
  endpointTls,
} from './kinds/endpoint.ts';
import { priceChallenge } from './kinds/offer.ts';
import { packageDependencies, packagePublishedBy, packageScripts } from './kinds/package-versions.ts';
import {
  packageAdvisories,
  packageDeprecated,
  packageExists,
  packageMaintainers,
  packageProvenance,
  packageVersionAge,
} from './kinds/packages.ts';
import { priceCapability, priceCatalog, priceOpenapi, pricePayTo, priceTool } from './kinds/price.ts';
import {
  repositoryAgentFiles,
  repositoryExists,
  repositoryHead,
  repositoryLastCommit,
  repositorySupersededBy,
} from './kinds/repository.ts';
import { securityContact, termsUrl } from './kinds/terms.ts';
import { toolsHiddenText, toolsHints, toolsInstructions } from './kinds/tool-texts.ts';
import { toolsCount, toolsSurface } from './kinds/tools.ts';

/** Every kind of fact that Dossier checks, in the order that adapters show them. A new kind is one line here. */
const defined = [
  priceChallenge,
  pricePayTo,
  priceTool,
  priceCapability,
  priceOpenapi,
  priceCatalog,
  endpointAnswers,
  endpointAvailability,
  endpointProtocol,
  endpointDns,
  endpointTls,
  toolsCount,
  toolsSurface,
  toolsHints,
  toolsInstructions,
  toolsHiddenText,
  accessRequired,
  accessOauth,
  repositoryExists,
  packageMaintainers,
  packageExists,
  packageVersionAge,
  packageProvenance,
  packageAdvisories,
  packagePublishedBy,
  packageScripts,
  packageDependencies,
  repositoryAgentFiles,
  packageDeprecated,
  repositorySupersededBy,
  repositoryHead,
  repositoryLastCommit,
  securityContact,
  agentCard,
  serverCard,
  termsUrl,
] as const;

/** All of them, as adapters loop over them. */
export const kinds: readonly (Kind & { readonly kind: ObservedKind })[] = defined;

/** The name of a kind that Dossier checks. */
export type ObservedKind = (typeof defined)[number]['kind'];
