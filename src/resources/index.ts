import { whatClaimedMeans } from '../claims/methods.ts';
import type { Config } from '../config/config.ts';
import { aboutOperator, rulesOfEvidence } from '../document/service.ts';
import { readStatus } from '../document/status.ts';
import { card, listing, listingHistory, listingRatings, listingTools, tag } from './listing.ts';
import { createLlmsTxt } from './llms-txt.ts';
import type { Resource } from './resource.ts';

const rules = (config: Config) => `# ${config.serviceName}: the rules of evidence

${config.serviceName} is a public directory of agent services imported from MCP registries; every listing names its registry. The directory says what is known about a listing, from whom, as of when, and what is not known.

${[...rulesOfEvidence, whatClaimedMeans(config.claimFile)].map((rule) => `* ${rule}`).join('\n')}

${aboutOperator(config)}
`;

const about: Resource = {
  name: 'about',
  uri: 'agent://about',
  title: 'The rules of evidence',
  description:
    'The evidence here: what it is, where it comes from, what it is not, who runs this service, how to cite it, its limits, licence and bulk data. Read this resource once before you rely on an answer.',
  mimeType: 'text/markdown',
  fresh_s: 3600,
  read: async (_variables, { config }) => rules(config),
};

const status: Resource = {
  name: 'status',
  uri: 'agent://status',
  title: 'What is listed and how fresh it is',
  description:
    'How many listings there are, from which registry, when the last import completed and what the newest import is doing, which records could not be read, and what this service checks itself. Use it to judge how old an answer may be.',
  mimeType: 'application/json',
  fresh_s: 1,
  read: async (_variables, context) => JSON.stringify(await readStatus(context)),
};

const listed: readonly Resource[] = [
  about,
  status,
  tag,
  listingRatings,
  listingTools,
  listingHistory,
  listing,
];

export const llmsTxt = createLlmsTxt(listed);

/**
 * llms.txt does not name the card, which is for hosts. The first resource that an address matches is read.
 */
export const resources: readonly Resource[] = [llmsTxt, ...listed, card];
