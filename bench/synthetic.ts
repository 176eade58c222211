import { type RegistryEntry, registryEntry } from '../test/support/entries.ts';
import { readDistributions } from './distributions.ts';
import { createPicker, createRandom, pickQuantile, type Random } from './random.ts';

/** Made-up rows of a registry: any of them by its place, the same ones for the same seed and size. */
export interface Synthetic {
  readonly listings: number;
  handle(at: number): string;
  /** Its versions as a registry lists them, oldest first; the last one is the latest. */
  entries(at: number): RegistryEntry[];
}

/** What to make. */
export interface SyntheticOptions {
  readonly listings: number;
  /** Whether each listing has as many versions as real ones have; one each otherwise. */
  readonly allVersions?: boolean;
  readonly seed?: number;
}

const real = readDistributions();
const pickWord = createPicker<string | undefined>([...real.words, [undefined, real.rareWords.uses]]);
const pickShape = createPicker(real.shapes);
const pickRoot = createPicker(real.roots);
const pickMonth = createPicker(real.months);
const pickVersions = createPicker(real.versions);

const syllables = 'ba co di fu ge hi jo ku la me ni po qua re si to ul va we xi yo zu'.split(' ');

/** A word nobody uses, the same one for the same number. */
function toRareWord(number: number): string {
  let word = '';
  for (let rest = number + syllables.length ** 2; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

/** Rare words grow with the directory, more slowly than it (Heaps); most uses are of few of them. */
function pickRareWord(listings: number, random: Random): string {
  const distinct = real.rareWords.distinct * (listings / real.listings) ** 0.6;
  return toRareWord(Math.floor(distinct * random() ** 3));
}

function toText(length: number, listings: number, random: Random): string {
  let text = '';
  while (text.length < length) text += `${text && ' '}${pickWord(random) ?? pickRareWord(listings, random)}`;
  return text.slice(0, length).trim() || 'server';
}

const toSlug = (text: string) => text.replaceAll(/[^a-zA-Z0-9]+/g, '-').replaceAll(/^-|-$/g, '');

/**
 * The publisher of each listing. The biggest keep their share of all listings, so that one publisher has 44,000 of a
 * million; the others have as many as real ones.
 */
function toPublishers(listings: number, random: Random): Uint32Array {
  const pickSize = createPicker(real.publisherSizes);
  const publishers = new Uint32Array(listings);
  let filled = 0;
  let publisher = 0;
  const fill = (size: number) => {
    publishers.fill(publisher++, filled, filled + size);
    filled += size;
  };
  for (const size of real.bigPublishers) fill(Math.round((size / real.listings) * listings));
  while (filled < listings) fill(pickSize(random));
  return publishers;
}

function toNamespace(publisher: number, seed: number): string {
  const random = createRandom(seed ^ Math.imul(publisher + 1, 0x9e3779b1));
  return `${pickRoot(random)}.${toRareWord(Math.floor(random() * 4000))}${publisher.toString(36)}`;
}

const toRemote = (type: string, slug: string) => ({ type, url: `https://${slug}.example.com/mcp` });

const toVariable = (at: number, listings: number, random: Random) => ({
  name: `SETTING_${at}`,
  description: toText(40, listings, random),
  isRequired: at === 0,
  isSecret: at === 0,
  format: 'string',
});

function toPackage(shape: string, slug: string, listings: number, random: Random) {
  const [registryType, type, variables] = shape.split(':');
  return {
    registryType,
    identifier: registryType === 'npm' ? `@${slug}/mcp` : slug,
    version: '1.0.0',
    transport: { type, ...(type !== 'stdio' && { url: 'http://localhost:8080/mcp' }) },
    environmentVariables: Array.from({ length: Number(variables) }, (_, at) =>
      toVariable(at, listings, random),
    ),
  };
}

const pick = (share: number, random: Random) => random() < share;
const partsOf = (text: string) => text.split(',').filter(Boolean);

function toRecord(handle: string, listings: number, random: Random): Record<string, unknown> {
  const namespace = handle.slice(0, handle.indexOf('/'));
  const slug = toSlug(handle).toLowerCase();
  const [remotes = '', packages = ''] = pickShape(random).split('|');
  const { title, website, repository, sharedRepository } = real.shares;
  const owner = toSlug(namespace.replace(/^io\.github\./, ''));
  const repositoryName = pick(sharedRepository, random) ? 'all' : slug;
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json',
    description: toText(pickQuantile(real.descriptionLengths, random), listings, random),
    ...(pick(title, random) && { title: toText(20, listings, random) }),
    ...(pick(website, random) && { websiteUrl: `https://${slug}.example.com` }),
    ...(pick(repository, random) && {
      repository: { url: `https://github.com/${owner}/${repositoryName}`, source: 'github' },
    }),
    ...(remotes && { remotes: partsOf(remotes).map((type) => toRemote(type, slug)) }),
    ...(packages && { packages: partsOf(packages).map((shape) => toPackage(shape, slug, listings, random)) }),
  };
}

function toEntries(
  handle: string,
  { listings, allVersions }: SyntheticOptions,
  random: Random,
): RegistryEntry[] {
  const record = toRecord(handle, listings, random);
  const status = pick(real.shares.deprecated, random) ? 'deprecated' : 'active';
  const first_ms = Date.parse(`${pickMonth(random)}-01T00:00:00Z`) + Math.floor(random() * 28 * 86_400_000);
  const versions = allVersions ? pickVersions(random) : 1;
  return Array.from({ length: versions }, (_, at) => {
    const time = new Date(first_ms + at * 3_600_000).toISOString();
    return registryEntry(
      handle,
      { ...record, version: `1.${at}.0` },
      { status, publishedAt: time, updatedAt: time, isLatest: at === versions - 1 },
    );
  });
}

/** A registry of made-up rows whose lengths, words, publishers, repositories and records are spread as real ones are. */
export function createSynthetic(options: SyntheticOptions): Synthetic {
  const { listings, seed = 1 } = options;
  const publishers = toPublishers(listings, createRandom(seed));
  const handle = (at: number) => {
    const random = createRandom(seed ^ Math.imul(at + 1, 0x85ebca6b));
    const name = toSlug(toText(Math.max(2, pickQuantile(real.nameLengths, random)), listings, random));
    return `${toNamespace(publishers[at] ?? 0, seed)}/${name || 'mcp'}-${at.toString(36)}`;
  };
  return {
    listings,
    handle,
    entries: (at) => toEntries(handle(at), options, createRandom(seed ^ Math.imul(at + 1, 0xc2b2ae35))),
  };
}

/** Handles spread over all listings of a size, the same ones each time. */
export function toHandles(listings: number, count: number): string[] {
  const { handle } = createSynthetic({ listings });
  const shown = Math.min(count, listings);
  return Array.from({ length: shown }, (_, at) => handle(Math.floor((at * listings) / shown)));
}
