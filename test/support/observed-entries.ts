import { type RegistryEntry, registryEntry } from './entries.ts';
import { onGitHub } from './registry-entries.ts';

const day_ms = 86_400_000;
/** RFC 3339, so many days before today. */
export const ago = (days: number) => new Date(Date.now() - days * day_ms).toISOString();
export const since = (days: number, more: object = {}) => ({
  publishedAt: ago(days),
  updatedAt: ago(days),
  ...more,
});
const at = (host: string, more: object = {}) => ({
  remotes: [{ type: 'streamable-http', url: `https://${host}/mcp`, ...more }],
});
const npm = (identifier: string, version: string, more: object = {}) => ({
  packages: [{ registryType: 'npm', identifier, version, transport: { type: 'stdio' }, ...more }],
});
const secret = (name: string) => ({ name, isRequired: true, isSecret: true });

/** Listings in every state that checks can find, by the name of the state. */
export const observedStates = {
  healthy: 'com.findwell/search',
  paid: 'com.quotewire/quotes',
  toolsChanged: 'com.toolbench/files',
  unreachable: 'com.faded/translate',
  notThere: 'com.vanished/api',
  signIn: 'com.signfirst/crm',
  contradicting: 'io.github.cloudhelper/aws-helper',
  packaged: 'io.github.noteworks/notes',
  stale: 'com.longago/weather',
  twinOfDomain: 'com.mapland/maps',
  twinOfAccount: 'io.github.someone-else/maps',
  manyVariables: 'com.pipelines/etl',
  manyVersions: 'org.oftenout/server',
  deprecated: 'com.retired/mail',
  unobserved: 'com.unseen/billing',
  malicious: 'com.bundled/export',
  moved: 'com.relocated/mail',
  besidesTools: 'com.deskwork/office',
  severalOffers: 'com.renderfarm/render',
} as const;

/** Read from the registry 10 days ago; all others 60 days ago. */
export const publishedLater: readonly string[] = [observedStates.contradicting, observedStates.twinOfAccount];

export const observedEntries: readonly RegistryEntry[] = [
  registryEntry(
    observedStates.healthy,
    { description: 'Web search for agents', ...onGitHub('findwell/search'), ...at('mcp.findwell.com') },
    since(400),
  ),
  registryEntry(
    observedStates.paid,
    { description: 'Stock quotes, a call at a time', ...at('mcp.quotewire.com') },
    since(300),
  ),
  registryEntry(
    observedStates.toolsChanged,
    {
      description: 'Reads files of your project',
      ...onGitHub('toolbench/files'),
      ...at('mcp.toolbench.com'),
    },
    since(200),
  ),
  registryEntry(
    observedStates.unreachable,
    { description: 'Translates text between 40 languages', ...at('mcp.faded.com') },
    since(350),
  ),
  registryEntry(
    observedStates.notThere,
    {
      description: 'An API for everything',
      ...onGitHub('vanished/api'),
      ...at('mcp.vanished.com'),
      ...npm('vanished-mcp', '1.0.0'),
    },
    since(100),
  ),
  registryEntry(
    observedStates.signIn,
    {
      description: 'Customers and deals of your CRM',
      ...at('mcp.signfirst.com', { headers: [secret('Authorization')] }),
    },
    since(250),
  ),
  registryEntry(
    observedStates.contradicting,
    {
      description: 'Manages your AWS account: EC2, S3, IAM',
      ...onGitHub('cloudhelper/aws-helper'),
      ...at('aws-helper.cloudhelper.dev', { headers: [secret('X-Aws-Secret')] }),
      ...npm('aws-helper-mcp', '0.1.0', {
        environmentVariables: [secret('AWS_ACCESS_KEY_ID'), secret('AWS_SECRET_ACCESS_KEY')],
      }),
    },
    since(12),
  ),
  registryEntry(
    observedStates.packaged,
    {
      description: 'Keeps notes on your machine',
      ...onGitHub('noteworks/notes'),
      ...npm('noteworks-notes', '2.1.0'),
    },
    since(180),
  ),
  registryEntry(
    observedStates.stale,
    { description: 'Weather of yesterday', ...at('mcp.longago.com') },
    since(500),
  ),
  registryEntry(
    observedStates.twinOfDomain,
    { description: 'Maps, routes and places of Mapland', ...at('mcp.mapland.com') },
    since(330),
  ),
  registryEntry(
    observedStates.twinOfAccount,
    { description: 'Maps, routes and places of Mapland', ...at('mcp.mapland.com') },
    since(20),
  ),
  registryEntry(
    observedStates.manyVariables,
    {
      description: 'Moves data between 60 systems',
      ...npm('pipelines-etl', '3.0.0', {
        environmentVariables: Array.from({ length: 60 }, (_, one) => ({
          name: `SOURCE_${String(one).padStart(2, '0')}_TOKEN`,
          isSecret: one % 2 === 0,
          description: `Key of source ${one}, as its console shows it under Settings, Access`,
        })),
      }),
    },
    since(90),
  ),
  ...Array.from({ length: 36 }, (_, one) =>
    registryEntry(
      observedStates.manyVersions,
      { description: 'Released three times a week', version: `0.${one}.0`, ...onGitHub('oftenout/server') },
      since(420 - one * 2, { isLatest: one === 35 }),
    ),
  ),
  registryEntry(
    observedStates.deprecated,
    { description: 'Sends mail', ...at('mcp.retired.com') },
    since(600, { status: 'deprecated', statusMessage: 'Replaced by com.retired/mail-two' }),
  ),
  registryEntry(
    observedStates.unobserved,
    { description: 'Invoices and payments', ...onGitHub('unseen/billing'), ...at('mcp.unseen.com') },
    since(60),
  ),
  registryEntry(
    observedStates.malicious,
    { description: 'Exports tables to spreadsheets', ...npm('bundled-export', '1.4.2') },
    since(70),
  ),
  registryEntry(
    observedStates.moved,
    {
      description: 'Sends and reads mail',
      version: '1.0.0',
      ...onGitHub('relocated/mail'),
      ...at('mcp.relocated.com'),
    },
    since(320, { isLatest: false }),
  ),
  registryEntry(
    observedStates.moved,
    {
      description: 'Sends and reads mail',
      version: '2.0.0',
      ...onGitHub('another-account/mail-server'),
      ...at('mail.elsewhere-hosting.net'),
    },
    since(65),
  ),
  registryEntry(
    observedStates.besidesTools,
    { description: 'Invoices, letters and their templates', ...at('mcp.deskwork.com') },
    since(150),
  ),
  registryEntry(
    observedStates.severalOffers,
    { description: 'Renders scenes, paid by the call', ...at('mcp.renderfarm.com') },
    since(140),
  ),
];
