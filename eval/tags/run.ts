import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { toTags } from '../../src/listings/tags.ts';
import judged from './judged.json' with { type: 'json' };

/** The part of a registry entry that the judged tags come from. */
interface Entry {
  readonly server: { readonly name: string; readonly description?: string };
}

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (!values.data) throw new Error('Give a registry copy: npm run lab eval:tags -- --data PATH');
const file = readFileSync(values.data);
const copy: Entry[] = JSON.parse((file[0] === 0x1f ? gunzipSync(file) : file).toString());

const none = { title: undefined, keywords: [], hasRemote: false, packageTypes: [], transports: [] };
const tagsOf = (description: string) => toTags({ ...none, description }).map(({ tag }) => tag);
const descriptions = new Map(copy.map(({ server }) => [server.name, server.description ?? '']));
const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

for (const set of ['tuned', 'fresh', 'blind', 'second blind']) {
  const rows = judged.filter((row) => row.set === set);
  const given = rows.map((row) => ({ row, tags: tagsOf(descriptions.get(row.handle) ?? '') }));
  const tags = given.flatMap(({ row, tags }) =>
    tags.map((tag) => ({ tag, handle: row.handle, right: row.right })),
  );
  const wrong = tags.filter(({ tag, right }) => !right.includes(tag));
  const tagged = given.filter(({ tags }) => tags.length > 0).length;
  console.log(
    `${set}: ${tagged} of ${rows.length} tagged; ${wrong.length} of ${tags.length} tags wrong or not judged, ${share(wrong.length, tags.length)}`,
  );
  for (const { tag, handle } of wrong) console.log(`  ${tag}  ${handle}`);
}
const all = [...descriptions.values()];
const tagged = all.filter((description) => tagsOf(description).length > 0).length;
console.log(`all: ${tagged} of ${all.length} tagged, ${share(tagged, all.length)}`);
