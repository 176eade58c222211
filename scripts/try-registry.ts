import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDirectory } from '../test/support/directory.ts';

// Usage: npm run lab try:registry [-- --once]. A registry as ToolHive's registry server answers, whose
// entries have an empty `_meta`: it is imported and served on loopback, and what its listings say of dates is
// printed. Ends with Ctrl-C; with --once at once, with 1 if anything is missing.
const entries = ['calendar', 'mail', 'payroll'].map((name) => ({
  server: {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `com.acme.internal/${name}`,
    description: `The ${name} of a company`,
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: `https://${name}.acme.example/mcp` }],
    packages: [
      {
        registryType: 'oci',
        registryBaseUrl: 'https://ghcr.io',
        identifier: `acme/${name}`,
        version: '1.0.0',
        transport: { type: 'stdio' },
      },
    ],
  },
  _meta: {},
}));
const registry = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ servers: entries, metadata: { count: entries.length } }));
});
registry.listen(0, '127.0.0.1');
await once(registry, 'listening');
const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

const { runImport } = await import('../src/imports/import.ts');
const directory = await openDirectory({
  entries: [],
  listening: true,
  environment: { REGISTRY_URL: url, REGISTRY_NAME: '' },
});
const { state, counts } = await runImport(directory.context, { source: url });
process.stdout.write(
  `${url}: import ${state}, ${counts.listings_new} listings, ${counts.rows_quarantined} not read\n`,
);
const missing: string[] = [];
for (const { server } of entries) {
  const markdown = await (await fetch(`${directory.url}/agents/${server.name}.md`)).text();
  const [line = ''] = /^\* Kept up:.*$/m.exec(markdown) ?? [];
  process.stdout.write(`${directory.url}/agents/${server.name}\n  ${line}\n`);
  if (!line.includes('states no date')) missing.push(server.name);
}
if (!process.argv.includes('--once')) {
  process.stdout.write('Ctrl-C ends it.\n');
  await once(process, 'SIGINT');
}
await directory.close();
registry.close();
process.exitCode = state === 'done' && missing.length === 0 ? 0 : 1;
