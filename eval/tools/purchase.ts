import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RegistryEntry } from '../../test/support/entries.ts';
import { connect } from '../../test/support/mcp-clients.ts';
import { openPurchaseWorld } from './purchase-world.ts';

// Usage: npm run lab eval:purchase -- FOLDER It writes what a model gets for each buyer's task: NN.text.md
// (text alone), NN.json.md (structuredContent alone), NN.registry.md (what the API of the registry answers),
// and truth.md for who judges.

/**
 * A buyer's task: the question, the calls that a model makes, what it would ask of the registry, and the
 * decision that the world allows.
 */
interface Task {
  readonly id: string;
  readonly user: string;
  readonly calls: readonly { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }[];
  readonly registry: readonly string[];
  readonly decision: string;
}

const [, , folder] = process.argv;
if (!folder) throw new Error('Name a folder for the answers: npm run lab eval:purchase -- FOLDER');
/** The forty tasks, and twice twenty that were written later, before the answers to them were seen. */
const tasks = ['purchase-tasks.json', 'purchase-held-out.json', 'purchase-more-tasks.json'].flatMap(
  (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as readonly Task[],
);
const out = join(folder, 'out');
mkdirSync(out, { recursive: true });
const world = await openPurchaseWorld();
const client = await connect('v2', { app: world.directory.app });

/** A text with the names of the world filled in. */
const fill = (text: string) =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => world.named[name] ?? whole);
const fillInput = (input: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      return [name, name === 'digests' ? (JSON.parse(fill(value)) as object) : fill(value)];
    }),
  );

/** What `GET /v0.1/servers?search=WORD` and the versions of each server that it names answer. */
function askRegistry(word: string): string {
  const found = world.entries.filter(({ server }) => String(server.name).includes(word));
  const one = ({ server, _meta }: RegistryEntry) => JSON.stringify({ server, _meta });
  return [
    `## GET /v0.1/servers?search=${word} (all versions)`,
    found.length === 0 ? '{"servers":[],"metadata":{"count":0}}' : found.map(one).join('\n'),
  ].join('\n\n');
}

const tokens: Record<string, { text: number[]; json: number[] }> = {};
for (const { id, user, calls, registry } of tasks) {
  const question = `# ${id}\n\nUser: ${fill(user)}\n`;
  const forms = { text: [question], json: [question] };
  for (const { tool, input } of calls) {
    const filled = fillInput(input);
    const { content, structuredContent = {} } = await client.call(tool, filled);
    const text = content.map((part) => part.text ?? '').join('\n');
    const json = JSON.stringify(structuredContent);
    tokens[tool] ??= { text: [], json: [] };
    tokens[tool].text.push(text.length / 4);
    tokens[tool].json.push(json.length / 4);
    forms.text.push(`## ${tool} ${JSON.stringify(filled)}\n\n${text}\n`);
    forms.json.push(`## ${tool} ${JSON.stringify(filled)}\n\n${json}\n`);
  }
  writeFileSync(join(out, `${id}.text.md`), forms.text.join('\n'));
  writeFileSync(join(out, `${id}.json.md`), forms.json.join('\n'));
  writeFileSync(
    join(out, `${id}.registry.md`),
    [question, ...registry.map((word) => askRegistry(fill(word)))].join('\n'),
  );
}
writeFileSync(
  join(folder, 'truth.md'),
  tasks.map(({ id, user, decision }) => `${id}: ${fill(user)}\n-> ${fill(decision)}\n`).join('\n'),
);
const median = (values: readonly number[]) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
for (const [tool, { text, json }] of Object.entries(tokens))
  process.stdout.write(
    `${tool}: ${text.length} answers, median tokens ${median(text)} text, ${median(json)} JSON\n`,
  );
await client.close();
await world.close();
