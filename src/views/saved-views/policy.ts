import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { nameServers, toCommands, toRemote, toServerJson } from '../connect/connections.ts';

/** An allow list in the grammar of Claude Code, Copilot and VS Code: one key an entry; whatever matches none is blocked. */
export const toManagedSettings = (listings: readonly ListingDocument[]) => ({
  allowedMcpServers: listings.flatMap(({ remotes, packages }) => [
    ...remotes.flatMap((remote) => toRemote(remote) ?? []).map(({ url }) => ({ serverUrl: url })),
    ...packages.flatMap(toCommands).map((serverCommand) => ({ serverCommand })),
  ]),
});

/** Listings as entries of an `.mcp.json`: their recorded endpoints, or the first launcher of those that record none. */
export const toMcpJson = (listings: readonly ListingDocument[]) => ({
  mcpServers: Object.fromEntries(
    nameServers(listings).map(([name, server]): [string, object] => [name, toServerJson(server)]),
  ),
});
