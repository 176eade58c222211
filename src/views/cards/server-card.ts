import type { Config } from '../../config/config.ts';
import { reversedHost } from '../../core/identity.ts';
import { cardSchema, serverCardType } from '../../document/registry/ard.ts';

export const catalogType = 'application/ai-catalog+json';

type ServerSite = Pick<Config, 'publicUrl' | 'serviceName' | 'version'>;

const description =
  'Independent evidence before an agent-service purchase: what is known about MCP servers, from whom, as of when, and what is not known. Not verification, not a recommendation, not a score.';

/** At most 100 characters, by the schema of server cards. */
const cardDescription =
  'Independent evidence about MCP servers before a purchase, with source and date. No score.';

/** Of the server card, and over MCP. */
export const toServerName = ({ publicUrl }: Pick<ServerSite, 'publicUrl'>): string =>
  `${reversedHost(publicUrl)}/dossier`;

/** SEP-2127. */
export const toServerCard = (site: ServerSite, revisions: readonly string[]) => ({
  $schema: cardSchema,
  name: toServerName(site),
  title: site.serviceName,
  version: site.version,
  description: cardDescription,
  websiteUrl: site.publicUrl,
  remotes: [
    { type: 'streamable-http', url: `${site.publicUrl}/api/mcp`, supportedProtocolVersions: revisions },
  ],
});

/** ARD v0.91 and AI Catalog 1.0. */
export function toCatalog(site: ServerSite) {
  const { hostname } = new URL(site.publicUrl);
  return {
    specVersion: '1.0',
    host: { displayName: site.serviceName, identifier: hostname },
    entries: [
      {
        identifier: `urn:air:${hostname}:dossier`,
        type: serverCardType,
        url: `${site.publicUrl}/api/mcp/server-card`,
        displayName: site.serviceName,
        description,
        version: site.version,
        representativeQueries: [
          'what is known about this MCP server before I connect to it or pay for it',
          'compare two MCP servers by their evidence',
          'what changed in the tools or prices of an agent service',
        ],
      },
      {
        identifier: `urn:air:${hostname}:dossier:listings`,
        type: 'application/ai-registry+json',
        url: `${site.publicUrl}/ard`,
        displayName: `${site.serviceName}: listings`,
        description:
          'Searches MCP servers from an MCP registry, with dated evidence about each. A score says how much of the query matches. It is not a judgment.',
        representativeQueries: ['find an MCP server that sends email', 'find a weather tool for agents'],
      },
    ],
  };
}
