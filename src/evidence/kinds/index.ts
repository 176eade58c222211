import type { Kind } from '../observation/kind.ts';
import { accessOauth } from './access/oauth.ts';
import { accessRequired } from './access/required.ts';
import { endpointAnswers } from './endpoint/answers.ts';
import { endpointAvailability } from './endpoint/availability.ts';
import { endpointDns } from './endpoint/dns.ts';
import { endpointProtocol } from './endpoint/protocol.ts';
import { endpointTls } from './endpoint/tls.ts';
import { packageAdvisories } from './package/advisories.ts';
import { packageDeprecated } from './package/deprecated.ts';
import { packageExists } from './package/exists.ts';
import { packageMaintainers } from './package/maintainers.ts';
import { packageProvenance } from './package/provenance.ts';
import { packageVersionAge } from './package/version-age.ts';
import { priceCapability } from './price/capability.ts';
import { priceCatalog } from './price/catalog.ts';
import { priceChallenge } from './price/challenge.ts';
import { priceOpenapi } from './price/openapi.ts';
import { pricePayTo } from './price/pay-to.ts';
import { priceTool } from './price/tool.ts';
import { repositoryAgentFiles } from './repository/agent-files.ts';
import { repositoryExists } from './repository/exists.ts';
import { repositoryHead } from './repository/head.ts';
import { repositoryLastCommit } from './repository/last-commit.ts';
import { agentCard } from './terms/agent-card.ts';
import { securityContact } from './terms/security-contact.ts';
import { termsUrl } from './terms/terms-url.ts';
import { toolsCount } from './tools/count.ts';
import { toolsSurface } from './tools/surface.ts';

/** Every kind of fact that this service knows, in the order that faces show them. A new kind is one line here. */
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
