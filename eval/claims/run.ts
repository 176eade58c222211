import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type ClaimKind, claimKinds } from '../../src/claims/claim.ts';
import { placesOf } from '../../src/claims/methods.ts';
import { readConfig } from '../../src/config/config.ts';
import { createRepositoryReader } from '../../src/net/git.ts';
import { toRepositoryKey } from '../../src/net/repository-place.ts';

/** The part of a registry entry that decides how its listing can be claimed. */
interface Entry {
  readonly server: { readonly name: string; readonly repository?: { readonly url?: string } };
}

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (!values.data) throw new Error('Give a registry copy: npm run lab eval:claims -- --data PATH');
const file = readFileSync(values.data);
const copy: Entry[] = JSON.parse((file[0] === 0x1f ? gunzipSync(file) : file).toString());

const repositories = createRepositoryReader(readConfig({}, '0.0.0').repositoryHosts);
const toKey = (address: string) => repositories.place(address)?.key;
function kindsOf({ name, repository: { url = '' } = {} }: Entry['server']): ClaimKind[] {
  const repository = toRepositoryKey(url.trim()) ? url.trim() : undefined;
  return placesOf({ handle: name, repository }, toKey).map(({ kind }) => kind);
}

const listings = [...new Map(copy.map(({ server }) => [server.name, server])).values()].map(kindsOf);
const line = (name: string, isCounted: (kinds: readonly ClaimKind[]) => boolean) => {
  const count = listings.filter(isCounted).length;
  console.log(`${name}: ${count} of ${listings.length}, ${((100 * count) / listings.length).toFixed(1)} %`);
};

line('before, by the recorded repository alone', (kinds) => kinds.includes('repository'));
line('now, in any way', (kinds) => kinds.length > 0);
for (const kind of claimKinds) line(`by ${kind}`, (kinds) => kinds.includes(kind));
line('by a domain and not by a repository', (kinds) => kinds[0] === 'registry_key');
line('in no way', (kinds) => kinds.length === 0);
