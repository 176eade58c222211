import { packageAt, type RegistryEntry, registryEntry, seedEntries } from './entries.ts';
import { onGitHub } from './registry-entries.ts';

const early = { publishedAt: '2025-03-04T08:00:00Z', updatedAt: '2025-09-12T08:00:00Z' };
const remote = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });

/**
 * Handles and repositories of those who rate co.webhook/webhook; two share an account, the last is related to
 * it.
 */
export const raters = [
  ['com.politicalcomms/api', 'Political-Comms/political-comms-sdk'],
  ['io.github.fieldnotes/collector', 'fieldnotes/collector'],
  ['dev.ledgerline/agent', 'ledgerline/agent'],
  ['dev.ledgerline/reports', 'ledgerline/reports'],
  ['com.harbour-freight/dispatch', 'harbour-freight/dispatch'],
  ['co.webhook/replayer', 'webhook-co/replayer'],
] as const;

const oneOfMany = (at: number) =>
  registryEntry(
    `io.github.mass-publisher/generated-server-${String(at).padStart(2, '0')}`,
    {
      description: 'One of many servers that one account published on one day',
      ...onGitHub('mass-publisher/all'),
    },
    early,
  );

/** A record whose every part is long, for narrow screens. */
const longEntry = registryEntry(
  'io.github.a-publisher-with-a-rather-long-account-name/model-context-protocol-server-for-everything',
  {
    title: 'Everything, everywhere: a server whose title does not want to end on this line',
    description:
      'Reads, writes, watches, summarises and forwards whatever it is pointed at, over any transport there is.',
    version: '2026.11.21-beta.14+build.20261121T080910Z',
    remotes: [
      { type: 'streamable-http', url: 'https://{tenant}.everything.example/mcp/{workspace}/v2' },
      {
        type: 'sse',
        url: 'https://everything.example/a/very/long/path/that/goes/on/and/on/without/any/place/to/break/sse',
        headers: [{ name: 'Authorization', isRequired: true, isSecret: true, description: 'a token' }],
      },
    ],
    ...packageAt(
      'oci',
      'ghcr.io/a-publisher-with-a-rather-long-account-name/everything-server-image',
      '2026.11.21',
      { environmentVariables: [{ name: 'EVERYTHING_TOKEN', isRequired: true, isSecret: true }] },
    ),
  },
);

const versions = Array.from({ length: 14 }, (_, at) =>
  registryEntry(
    'org.versions/many',
    {
      version: `1.${at}.0`,
      description: 'A server with a long history, deprecated at last',
      ...onGitHub('versions/many'),
    },
    {
      isLatest: at === 13,
      status: 'deprecated',
      statusMessage: 'Replaced by org.versions/next',
      publishedAt: `2025-${String((at % 12) + 1).padStart(2, '0')}-0${(at % 9) + 1}T08:00:00Z`,
    },
  ),
);

/** What a directory lists that has a page in every state. */
export const shownEntries: readonly RegistryEntry[] = [
  ...seedEntries,
  ...raters.slice(1).map(([name, path]) =>
    registryEntry(
      name,
      {
        description: 'An agent that calls webhooks and says how it went',
        ...onGitHub(path),
        ...remote(`https://${name.split('/')[0]}.example/mcp`),
      },
      early,
    ),
  ),
  registryEntry('com.example/suspended', onGitHub('example/suspended'), early),
  registryEntry('com.example/fresh', onGitHub('example/fresh'), early),
  registryEntry('com.example/wrong-file', onGitHub('example/wrong-file'), early),
  registryEntry('com.example/no-repository', { description: 'Records no repository at all' }, early),
  registryEntry('com.example/gone', {}, { status: 'deleted' }),
  registryEntry('org.moderated/hidden', { title: 'Buy now', description: 'The best offer of all' }, early),
  registryEntry('org.moderated/withdrawn', { description: 'Leads elsewhere' }, early),
  registryEntry('org.moderated/rated', onGitHub('moderated/rated'), early),
  longEntry,
  ...versions,
  ...Array.from({ length: 24 }, (_, at) => oneOfMany(at)),
];
