import type { ListingDocument, ListingPackage } from '../../evidence/listing/listing-document.ts';
import { toEntryNames } from '../connect/entry-names.ts';

/** Commands that start a package over stdio, as hosts' configurations have them; none for kinds without a launcher. */
function launchers({ registry_type, identifier, version }: ListingPackage): string[][] {
  const exact = version ? [`${identifier}@${version}`] : [];
  if (registry_type === 'npm') return [identifier, ...exact].map((name) => ['npx', '-y', name]);
  if (registry_type === 'pypi') return [identifier, ...exact].map((name) => ['uvx', name]);
  if (registry_type === 'oci') return [['docker', 'run', '-i', '--rm', identifier]];
  return [];
}

const isPlain = (url: string) => /^https?:/.test(url) && !/[{}\s*]/.test(url) && URL.canParse(url);
const remoteUrls = ({ remotes }: ListingDocument) => remotes.map(({ url }) => url).filter(isPlain);

/** An allow list in the grammar of Claude Code, Copilot and VS Code: one key an entry; whatever matches none is blocked. */
export const toManagedSettings = (listings: readonly ListingDocument[]) => ({
  allowedMcpServers: listings.flatMap((listing) => [
    ...remoteUrls(listing).map((serverUrl) => ({ serverUrl })),
    ...listing.packages.flatMap(launchers).map((serverCommand) => ({ serverCommand })),
  ]),
});

/** The recorded endpoints of listings as entries of an `.mcp.json`, and the first launcher of those that record none. */
export function toMcpJson(listings: readonly ListingDocument[]) {
  const entries = listings.flatMap((listing): [string, object][] => {
    const urls = remoteUrls(listing);
    const names = toEntryNames(listing.handle, urls.length > 0 ? urls : ['']);
    if (urls.length > 0) return urls.map((url, at) => [names[at] ?? listing.handle, { type: 'http', url }]);
    const [command, ...args] = listing.packages.flatMap(launchers)[0] ?? [];
    return command ? [[names[0] ?? listing.handle, { command, args }]] : [];
  });
  return { mcpServers: Object.fromEntries(entries) };
}
