import { whatClaimedMeans } from '../evidence/claim/claim-statement.ts';
import { rulesOfEvidence } from '../evidence/listing/sentences/rules.ts';
import type { Resource } from './resource.ts';

const rules = (service: string, claimFile: string) => `# ${service}: the rules of evidence

${service} is a public directory of agent services imported from MCP registries; every listing names its own. It says what is known about a listing, from whom, as of when, and what is not known.

${[...rulesOfEvidence, whatClaimedMeans(claimFile)].map((rule) => `* ${rule}`).join('\n')}
`;

/** The rules of evidence of this service. */
export const about: Resource = {
  name: 'about',
  uri: 'agent://about',
  title: 'The rules of evidence',
  description:
    'What the evidence here is, where it comes from, what it is not. Read it once before you rely on an answer.',
  mimeType: 'text/markdown',
  fresh_s: 3600,
  async read(_variables, { config }) {
    return rules(config.serviceName, config.claimFile);
  },
};
