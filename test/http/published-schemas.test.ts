import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { packageAt, registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const entries = [
  registryEntry('com.example/plain', { description: 'Sends parcels' }),
  registryEntry('com.example/keyed', {
    title: 'Keyed',
    description: `Sends ${'parcels and '.repeat(30)}letters`,
    websiteUrl: 'https://keyed.example.com/',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.example.com/mcp',
        headers: [{ name: 'X-Key', description: 'The key', isRequired: true, isSecret: true }],
        variables: { tenant: { description: 'The tenant', isRequired: true, choices: ['a', 'b'] } },
      },
      { type: 'sse', url: 'https://keyed.example.com/sse' },
    ],
  }),
  registryEntry('com.example/packaged', {
    description: '',
    title: 'x'.repeat(300),
    remotes: [],
    ...packageAt('npm', '@example/x'),
  }),
];

const directory = await openedDirectory({ entries, environment: { PUBLIC_URL: 'https://dossier.example' } });

const read = async (path: string) => (await directory.app.request(path)).json();

/** Faults of a value by a schema of others (test/support/schemas), or by a definition in it. */
function faultsOf(file: string, value: unknown, definition = '') {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const schema = JSON.parse(readFileSync(new URL(`../support/schemas/${file}`, import.meta.url), 'utf8'));
  ajv.addSchema(schema, 'published');
  return ajv.validate({ $ref: `published${definition}` }, value) ? [] : ajv.errors;
}
const ofCard = (card: unknown) => faultsOf('server-card.json', card, '#/$defs/ServerCard');

it('the schemas refuse what is wrong', async () => {
  const card = (await read('/api/mcp/server-card')) as object;
  expect(ofCard({ ...card, description: 'x'.repeat(101) })).toHaveLength(1);
  expect(faultsOf('ai-catalog.json', { specVersion: '2.0', entries: [{}] })).not.toEqual([]);
  expect(faultsOf('openapi-3.1.json', { openapi: '3.1.0', paths: {} })).not.toEqual([]);
});

it('the server card is valid', async () => {
  expect(ofCard(await read('/api/mcp/server-card'))).toEqual([]);
});

it.each(['/.well-known/ard.json', '/.well-known/ai-catalog.json'])('%s is valid', async (path) => {
  expect(faultsOf('ai-catalog.json', await read(path))).toEqual([]);
});

it('of each relation that a rating can have, what answers is said to rest on the word of its source', async () => {
  const schemas = JSON.stringify(await read('/openapi.json'));
  const said = [...schemas.matchAll(/"description":"(As the source declares[^"]*)"/g)].map(
    ([, text]) => text,
  );
  expect(said.length).toBeGreaterThan(1);
  expect(new Set(said)).toEqual(
    new Set([
      'As the source declares it, unchecked. none: no relation; customer: it buys from the rated service; vendor: it sells it; partner: it earns from it; paid_to_rate: it is paid for the rating. The last three set the rating apart',
    ]),
  );
});

it('/openapi.json is valid', async () => {
  expect(faultsOf('openapi-3.1.json', await read('/openapi.json'))).toEqual([]);
});

it('the card in the ARD entry of each listing is valid, whatever its record has', async () => {
  const answer = await directory.post('/ard/search', { query: { text: 'example' }, pageSize: 100 });
  const { results } = (await answer.json()) as { results: { identifier: string }[] };
  expect(results).toHaveLength(3);
  for (const { identifier } of results) {
    const { data } = (await read(`/ard/agents/${encodeURIComponent(identifier)}`)) as { data: unknown };
    expect([identifier, ofCard(data)]).toEqual([identifier, []]);
  }
});
