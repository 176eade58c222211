import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RegistryEntry } from '../test/support/entries.ts';
import { createSynthetic, type Synthetic } from './synthetic.ts';

const pageSize = 100;

/** All pages of a registry, serialized before the first request. */
function toPages(rows: Iterable<RegistryEntry>): Buffer[] {
  const pages: string[][] = [[]];
  for (const row of rows) {
    if (pages.at(-1)?.length === pageSize) pages.push([]);
    pages.at(-1)?.push(JSON.stringify(row));
  }
  return pages.map((texts, at) => {
    const next = at + 1 < pages.length ? `,"nextCursor":"${at + 1}"` : '';
    return Buffer.from(`{"servers":[${texts.join(',')}],"metadata":{"count":${texts.length}${next}}}`);
  });
}

function* rowsOf(synthetic: Synthetic): Generator<RegistryEntry> {
  for (let at = 0; at < synthetic.listings; at++) yield* synthetic.entries(at);
}

// Usage: node bench/registry.ts <listings> latest|all <seed>. A registry of made-up rows on loopback, with
// the latest or every version of each listing.
const [listings = '1000', versions, seed = '1'] = process.argv.slice(2);
const allVersions = versions === 'all';
const pages = toPages(
  rowsOf(createSynthetic({ listings: Number(listings), allVersions, seed: Number(seed) })),
);
const server = createServer((request, response) => {
  const cursor = new URL(request.url ?? '/', 'http://registry').searchParams.get('cursor');
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(pages[Number(cursor ?? 0)]);
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
