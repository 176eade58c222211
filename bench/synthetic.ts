import { type RegistryEntry, registryEntry } from '../test/support/entries.ts';
import { readDistributions } from './distributions.ts';
import { createPicker, createRandom, pickQuantile, type Random } from './random.ts';
import { toRecord } from './synthetic-record.ts';
import { createWriter, toRareWord, toSlug } from './synthetic-words.ts';

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
const pickRoot = createPicker(real.roots);
const pickMonth = createPicker(real.months);
const pickVersions = createPicker(real.versions);

/**
 * The publisher of each listing. The biggest have their share of all listings, so that one publisher has
 * 44,000 of a million; the others have as many as real ones.
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

function toEntries(
  handle: string,
  { listings, allVersions }: SyntheticOptions,
  random: Random,
): RegistryEntry[] {
  const record = toRecord(handle, createWriter(listings, random), random);
  const status = random() < real.shares.deprecated ? 'deprecated' : 'active';
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

/**
 * A registry of made-up rows whose lengths, words, publishers, repositories and records are spread as real
 * ones are.
 */
export function createSynthetic(options: SyntheticOptions): Synthetic {
  const { listings, seed = 1 } = options;
  const publishers = toPublishers(listings, createRandom(seed));
  const handle = (at: number) => {
    const random = createRandom(seed ^ Math.imul(at + 1, 0x85ebca6b));
    const write = createWriter(listings, random);
    const name = toSlug(write(Math.max(2, pickQuantile(real.nameLengths, random))));
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
