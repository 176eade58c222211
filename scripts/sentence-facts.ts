import type { RegistryEntry } from '../test/support/entries.ts';
import type { Said } from './check-sentences.ts';
import { foreignIn, ownWordsOf } from './sentence-rules.ts';

// What an answer may say by the records of a saved copy, read here anew and not by the code that is checked.

interface Named {
  readonly name?: string;
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
}
interface Server {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly repository?: { readonly url?: string };
  readonly remotes?: readonly { readonly url?: string; readonly headers?: readonly Named[] }[];
  readonly packages?: readonly { readonly registryType?: string; readonly identifier?: string }[];
}
const official = 'io.modelcontextprotocol.registry/official';
interface Dates {
  readonly status?: string;
  readonly publishedAt?: string;
  readonly updatedAt?: string;
  readonly isLatest?: boolean;
}
const datesOf = ({ _meta }: RegistryEntry) => (_meta[official] ?? {}) as Dates;
const day = (time = '') => time.slice(0, 10);

const namespaceOf = (handle: string) => handle.slice(0, handle.indexOf('/'));
const domainOf = (handle: string) => namespaceOf(handle).toLowerCase().split('.').toReversed().join('.');
const isOfAccount = (handle: string) => /^io\.(?:github|gitlab)\./i.test(handle);

const addressKey = (url = '') =>
  url
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/(?:\.git)?\/*$/, '');
const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};
const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inside]) => [
        Array.isArray(value) ? '' : name,
        ...namesIn(inside),
      ])
    : [];

/** What two listings may have in common, by noun. */
const keysOf: Readonly<Record<string, (server: Server) => readonly string[]>> = {
  endpoint: ({ remotes = [] }) => remotes.map(({ url }) => addressKey(url)),
  package: ({ packages = [] }) =>
    packages.map(({ identifier = '' }) => identifier.toLowerCase().replace(/[@:][\w.-]+$/, '')),
  repository: ({ repository }) => (repository?.url ? [addressKey(repository.url)] : []),
  description: ({ description = '' }) => [
    description.toLowerCase().replaceAll(/\s+/g, ' ').trim().replace(/\.$/, ''),
  ],
};

const oneLine = (text: string) =>
  text
    .normalize('NFC')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/["“”„«»]/g, "'")
    .trim();

export type Records = ReturnType<typeof createRecords>;

/** The listings of a saved copy by what their newest entries record. */
export function createRecords(entries: readonly RegistryEntry[]) {
  const byName = Map.groupBy(entries, ({ server }) => String(server.name));
  const shown = new Map(
    [...byName].map(([name, all]) => [
      name,
      all.find((one) => datesOf(one).isLatest) ?? (all.at(-1) as RegistryEntry),
    ]),
  );
  const server = (handle: string) => shown.get(handle)?.server as unknown as Server;
  const ofPublisher = Map.groupBy(shown.keys(), namespaceOf);
  const hasOlder = entries.some((one) => datesOf(one).isLatest === false);
  const days = entries.map((one) => day(datesOf(one).updatedAt)).sort();
  return {
    handles: [...shown.keys()],
    hasOlder,
    server,
    isListed: (handle: string) => shown.has(handle),
    dates: (handle: string) => (byName.get(handle) ?? []).map(datesOf),
    newest: (handle: string) => datesOf(shown.get(handle) as RegistryEntry),
    /** When the copy changed last. */
    changed: days.at(-1) ?? '',
    listingsOf: (handle: string) => ofPublisher.get(namespaceOf(handle))?.length ?? 0,
    /**
     * Texts of a record that nobody could take for words of Dossier: several words, addresses, names with
     * signs.
     */
    foreignOf: (handle: string) =>
      stringsIn(server(handle)).filter(
        (text) =>
          text.length > 7 &&
          /\s\S+\s|:\/\/|^@|_/.test(text) &&
          text !== handle &&
          !/^https:\/\/static\.modelcontextprotocol\.io/.test(text),
      ),
    /** Of every version: what one moved names what an older one has. */
    strings: (handle: string) =>
      (byName.get(handle) ?? [])
        .flatMap((one) => [...stringsIn(one.server), ...namesIn(one.server)])
        .map(oneLine),
    /** The listings of others with the same, by noun. */
    shares: (one: string, other: string, noun: string) => {
      const keys = new Set(keysOf[noun]?.(server(one)) ?? []);
      return (keysOf[noun]?.(server(other)) ?? []).some((key) => key !== '' && keys.has(key));
    },
  };
}

/**
 * Whether a span of foreign words is of the record, or names a listing; a name may stand with its version.
 */
function isKnown(span: string, handle: string, records: Records): boolean {
  const text = oneLine(span);
  const strings = records.strings(handle);
  // Hosts and repositories are said in small letters, and files of releases without their version.
  const written = (one: string) => [one, one.toLowerCase(), one.replace(/-\d+(?:\.\d+)+/g, '')];
  const has = (part: string) =>
    part === '' || strings.some((one) => written(one).some((text) => text.includes(part)));
  if (records.isListed(span) || has(text) || domainOf(handle).endsWith(span)) return true;
  // A version, a tag, or a file without the release that it is of.
  const isJoined = ['@', ':', '/'].some((sign) => {
    const at = text.lastIndexOf(sign);
    return has(text.slice(0, at).replace(/^mcpb:/, '')) && has(text.slice(at + 1));
  });
  if (isJoined) return true;
  const [, flag = '', value = ''] = /^(-\S+) (.+)$/.exec(text) ?? [];
  // What the caller fills in stands in braces, however the record marks it.
  if ((flag && has(flag) && has(value)) || has(text.replace(/[{}]/g, ''))) return true;
  return text.split(', ').every(has) || has(text.replace(/ …$/, ''));
}

/**
 * Words of Dossier that stand in code spans: members of answers and tools, and the names of tags and files.
 */
const ours = /^(?:[a-z_.]+|[a-z][a-z0-9-]*|[a-z_]+: \w+)$/;

function checkShared(handle: string, { stands_out, similar, compared }: Said, records: Records): string[] {
  const [all = '', first = '', noun = '', same = '', others = ''] =
    /`([^`]+)` \([^)]*\) (?:records|has) the same (\w+)[^.]*\.(?: That listing has the same ([^.]*) too\.)?(?: Other listings share the (.*?) of this listing\.)?/.exec(
      stands_out,
    ) ?? [];
  const isSaid = all !== '';
  const judged = /nothing_shared: (\w+)/.exec(compared)?.[1];
  const wrong: string[] = [];
  if (judged && (judged === 'not_met') !== isSaid && judged !== 'unknown')
    wrong.push(`nothing_shared: ${judged} beside “${all}”`);
  if (!isSaid) return wrong;
  const nouns = [noun, ...same.split(/, | and /)].filter((one) => one in keysOf);
  wrong.push(
    ...nouns
      .filter((one) => !records.shares(handle, first, one))
      .map((one) => `${first} has another ${one}: ${all}`),
  );
  const sharing = (one: string) =>
    records.handles.filter(
      (other) =>
        other !== first && namespaceOf(other) !== namespaceOf(handle) && records.shares(handle, other, one),
    );
  wrong.push(
    ...others
      .split(/, | and /)
      .filter((one) => one in keysOf && sharing(one).length === 0)
      .map((one) => `nobody else has its ${one}: ${all}`),
  );
  if (similar.length < 10 && !similar.includes(first)) wrong.push(`${first} is not similar: ${all}`);
  return wrong;
}

/** What is false by the record in all that is said of a listing. */
export function checkFacts(handle: string, said: Said, records: Records): string[] {
  const server = records.server(handle);
  const { texts, compared, today } = said;
  const wrong: string[] = [];
  const expect = (holds: boolean, what: string) => {
    if (!holds) wrong.push(what);
  };
  const dates = records.dates(handle);
  const known = new Set([
    today,
    records.changed,
    ...dates.flatMap((one) => [day(one.publishedAt), day(one.updatedAt)]),
  ]);
  const first = dates.map(({ publishedAt }) => day(publishedAt)).sort()[0];
  const newest = records.newest(handle);
  for (const [door, text] of Object.entries(texts)) {
    // What is similar is of other listings.
    if (door === 'similar') continue;
    const own = ownWordsOf(text);
    const own_ = door === 'page' ? (own.split(/^Similar listings$/m)[0] ?? '') : own;
    const named = [...text.matchAll(/`([^`\s]+\/[^`\s]+)`/g)]
      .map(([, one = '']) => one)
      .filter(records.isListed);
    // An older listing with the same name and description is named with the day of its first publication.
    const ofNamed = new Set(
      named.map(
        (one) =>
          records
            .dates(one)
            .map((at) => day(at.publishedAt))
            .sort()[0],
      ),
    );
    for (const [date] of own_.matchAll(/\b20\d\d-\d\d-\d\d\b/g))
      expect(known.has(date) || ofNamed.has(date), `${door}: ${date} is not in the record`);
    for (const [all, date] of own_.matchAll(/\bfirst published:? (?:on |in the registry on )?(20[\d-]{8})/gi))
      expect(records.hasOlder && date === first, `${door}: ${all}`);
    for (const [all, year] of own_.matchAll(/\blisted since (\d{4})/g))
      expect(records.hasOlder && first?.startsWith(year ?? '') === true, `${door}: ${all}`);
    for (const [all, date] of own_.matchAll(/\bupdated (20[\d-]{8})/g))
      expect(date === day(newest.updatedAt), `${door}: ${all}`);
    // An event of the history says which versions it counts.
    for (const [all, count] of own_.matchAll(/(?<!the newest \d* of )\b(\d+) versions\b(?!, …? ?to )/g))
      expect(records.hasOlder && (Number(count) === dates.length || Number(count) === 10), `${door}: ${all}`);
    for (const [all, count] of own_.matchAll(/\b(\d+) listings of this publisher\b/g))
      expect(
        Number(count) === records.listingsOf(handle),
        `${door}: ${all} of ${records.listingsOf(handle)}`,
      );
  }
  const json = texts.JSON ?? '';
  for (const span of foreignIn(json))
    expect(isKnown(span, handle, records) || ours.test(span), `“${span}” is not in the record`);
  const remotes = server.remotes ?? [];
  const hosts = remotes.map(({ url = '' }) => URL.parse(url)?.hostname ?? '');
  const isOn = (host: string) => host === domainOf(handle) || host.endsWith(`.${domainOf(handle)}`);
  const areOn = !isOfAccount(handle) && hosts.length > 0 && hosts.every(isOn);
  expect(
    /its endpoint is on it|all its endpoints are on it/.test(json) === areOn,
    `its endpoints at ${hosts.join(', ')}: ${areOn ? 'all' : 'not all'} on it`,
  );
  expect(/its endpoints? on it/.test(texts.hit ?? '') === areOn, `hit: its endpoints at ${hosts.join(', ')}`);
  expect(
    /endpoint_at_domain: met/.test(compared) === areOn,
    `endpoint_at_domain, its endpoints at ${hosts.join(', ')}`,
  );
  expect(
    /has_endpoint: met/.test(compared) === (said.endpoint !== undefined),
    `has_endpoint, ${said.endpoint}`,
  );
  expect(
    /has_repository: met/.test(compared) === (said.repository !== undefined),
    `has_repository, ${said.repository}`,
  );
  expect(/active: met/.test(compared) === !said.stands_out.includes('Deprecated in the registry'), 'active');
  const asked = /The record asks for (\d+) secrets?\b/.exec(said.stands_out)?.[1];
  const isUnmarked = /\bneeds an? (?:(?!, and takes )[^;])*, not marked as secret\b/i.test(ownWordsOf(json));
  expect(
    /needs_no_secret: not_met/.test(compared) === (asked !== undefined || isUnmarked),
    `needs_no_secret beside ${asked}`,
  );
  const required = JSON.stringify(server).match(/"isSecret":true/g)?.length ?? 0;
  expect(asked === undefined || Number(asked) <= required, `${asked} secrets of ${required}`);
  return [...wrong, ...checkShared(handle, said, records)];
}
