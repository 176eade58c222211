import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type RegistryEntry, registryEntry } from './entries.ts';

const realCopy = new URL('../../../shared/data/registry-all-versions-2025-12-18.json.gz', import.meta.url);

/** A record's repository on GitHub. */
export const onGitHub = (path: string) => ({
  repository: { url: `https://github.com/${path}`, source: 'github' },
});

/** `count` plain entries of as many servers, each with a repository, changed alike. */
export const manyEntries = (
  count: number,
  change: (at: number) => { server?: object; official?: object } = () => ({}),
): RegistryEntry[] =>
  Array.from({ length: count }, (_, at) => {
    const { server, official } = change(at);
    const name = `com.example.n${String(at).padStart(5, '0')}/server`;
    return registryEntry(name, { ...onGitHub(`example/n${at}`), ...server }, { ...official });
  });

/** The saved copy of 2,794 real rows that stands beside the project on some machines; undefined elsewhere. */
export const readRealEntries = (): RegistryEntry[] | undefined =>
  existsSync(realCopy)
    ? (JSON.parse(gunzipSync(readFileSync(realCopy)).toString('utf8')) as RegistryEntry[])
    : undefined;
