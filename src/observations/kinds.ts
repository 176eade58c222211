import type { Kind } from './kind.ts';
import { accessOauth, accessRequired } from './kinds/access.ts';
import {
  endpointAnswers,
  endpointAvailability,
  endpointDns,
  endpointProtocol,
  endpointTls,
} from './kinds/endpoint.ts';
import { priceChallenge } from './kinds/offer.ts';
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
} from './kinds/repository.ts';
import { agentCard, securityContact, termsUrl } from './kinds/terms.ts';
import { toolsCount, toolsSurface } from './kinds/tools.ts';

/** Every kind of fact that this service knows, in the order that adapters show them. A new kind is one line here. */
export const kinds: readonly Kind[] = [
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
  accessRequired,
  accessOauth,
  repositoryExists,
  packageMaintainers,
  packageExists,
  packageProvenance,
  packageAdvisories,
  repositoryAgentFiles,
  packageDeprecated,
  packageVersionAge,
  repositoryHead,
  repositoryLastCommit,
  securityContact,
  agentCard,
  termsUrl,
];
