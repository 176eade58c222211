/** A server.json and its registry status, as a registry lists them. */
export interface RegistryEntry {
  readonly server: Record<string, unknown>;
  readonly _meta: { 'io.modelcontextprotocol.registry/official': Record<string, unknown> };
}

/** An entry of the registry's list in its wire shape: a name, and other fields of the record. */
export const registryEntry = (
  name: string,
  server: Record<string, unknown> = {},
  official: Record<string, unknown> = {},
): RegistryEntry => ({
  server: { name, description: 'A plain description', version: '1.0.0', ...server },
  _meta: {
    'io.modelcontextprotocol.registry/official': {
      status: 'active',
      publishedAt: '2026-10-01T08:00:00Z',
      updatedAt: '2026-10-02T08:00:00Z',
      isLatest: true,
      ...official,
    },
  },
});

/** The endpoints of a record, each at an address. */
export const remotesAt = (...urls: readonly string[]) => ({
  remotes: urls.map((url) => ({ type: 'streamable-http', url })),
});

/** The package of a record, which is started over stdio, and other members of it. */
export const packageAt = (
  registryType: string,
  identifier: string,
  version = '1.0.0',
  more: object = {},
) => ({
  packages: [{ registryType, identifier, version, transport: { type: 'stdio' }, ...more }],
});

/** An entry whose record has one package, and no endpoint. */
export const packaged = (
  name: string,
  registryType: string,
  identifier: string,
  version?: string,
  more: object = {},
): RegistryEntry =>
  registryEntry(name, {
    packages: [{ registryType, identifier, ...(version && { version }), ...more }],
    remotes: [],
  });

/** The two listings of the specification. */
export const seedEntries: readonly RegistryEntry[] = [
  registryEntry('co.webhook/webhook', {
    description:
      'Receive, inspect, replay and deliver webhooks, with signature verification and agent triggers.',
    repository: { url: 'https://github.com/webhook-co/webhook', source: 'github' },
    remotes: [{ type: 'streamable-http', url: 'https://mcp.webhook.co/mcp' }],
  }),
  registryEntry('com.politicalcomms/api', {
    description:
      'Compliant political SMS/MMS from MCP clients, covering projects, contacts, analytics and billing.',
    repository: { url: 'https://github.com/Political-Comms/political-comms-sdk', source: 'github' },
    packages: [
      {
        registryType: 'npm',
        identifier: '@political-comms/mcp',
        version: '1.2.0',
        transport: { type: 'stdio' },
      },
    ],
  }),
];
