import { toLine } from '../../evidence/text/sanitize.ts';
import { publisherMeta } from './server-json.ts';

const deepest = 4;
const mostNames = 50;
const longestName = 60;

/** Fields of a server.json that Dossier reads or knows to state nothing else. */
const readFields: ReadonlySet<string> = new Set([
  '$schema',
  'name',
  'title',
  'description',
  'version',
  'websiteUrl',
  'repository',
  'remotes',
  'packages',
  'icons',
  '_meta',
]);

function* namesIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === deepest) return;
  for (const [name, inside] of Object.entries(value)) {
    if (!Array.isArray(value)) yield toLine(name).slice(0, longestName).toWellFormed();
    yield* namesIn(inside, depth + 1);
  }
}

/**
 * Names of the fields of a server.json that Dossier stores without reading them: those of the publisher's own `_meta`, and
 * top-level ones outside of the schema. At most 50, each once; publisher text.
 */
export function publisherFields(server: object): string[] {
  const { _meta, ...fields } = server as { readonly _meta?: Readonly<Record<string, unknown>> | null };
  const unread = Object.entries(fields).filter(([name]) => !readFields.has(name));
  const names = [...namesIn(Object.fromEntries(unread)), ...namesIn(_meta?.[publisherMeta])];
  return [...new Set(names.filter(Boolean))].slice(0, mostNames);
}
