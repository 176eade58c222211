import { readFileSync, writeFileSync } from 'node:fs';

// Usage: node scripts/server-json.ts OWNER/NAME. Writes the owner of the repository, the version and the
// repository into server.json, which the MCP registry reads, and the name of the server into package.json, by
// which the registry sees that both have one publisher.
const [owner, repository] = (process.argv[2] ?? '').split('/');
if (!owner || !repository) {
  process.stderr.write('server-json: name the repository on GitHub, as OWNER/NAME\n');
  process.exit(64);
}
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
const write = (file: string, value: object) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
const own = read('package.json');
const server = read('server.json');
const { version } = own;
const name = `io.github.${owner}/dossier`;
const [packaged] = server.packages as Record<string, unknown>[];
const { $schema, title, description } = server;
write('server.json', {
  $schema,
  name,
  title,
  description,
  repository: { url: `https://github.com/${owner}/${repository}`, source: 'github' },
  version,
  packages: [{ ...packaged, version }],
});
write('package.json', { ...own, mcpName: name });
