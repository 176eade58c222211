import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { handleParts } from '../core/handle.ts';
import type { EndpointPlace } from '../core/identity.ts';
import { ifAny, type Json } from '../core/json.ts';
import { wordsSchema } from '../core/words.ts';
import type { Facet } from '../search/query.ts';
import {
  flag,
  integer,
  json,
  oneOf,
  optional,
  rowCodec,
  type TableValue,
  table,
  text,
  words,
} from '../store/table.ts';

const inputKinds = ['header', 'variable', 'environment', 'argument'] as const;

/** A `variable` is a part of an address or of an argument. */
const listingInput = z.object({
  name: z.string(),
  kind: z.enum(inputKinds),
  required: z.boolean(),
  secret: z.boolean(),
  unmarked: ifAny(
    z.literal(true),
    'Not marked as secret by the record, but by its name or value a credential, or a part of an address that the record does not describe',
  ),
  path: z.literal(true).optional().describe('The path of a file or folder, by the record'),
  choices: z.array(z.string()).optional().describe('All values of a part of an address, by the record'),
  value: z.string().optional().describe('Its form in the record; the caller fills in {name}'),
  description: z.string().optional().describe('The description by its publisher'),
});
export type ListingInput = z.infer<typeof listingInput>;

export const listingTag = z.object({ tag: z.string(), reason: z.string() });

export type ListingTag = z.infer<typeof listingTag>;

/** Never a rating (docs/ratings.md). */
export const importedSignal = z.object({
  kind: z.string(),
  value: z.unknown() as z.ZodType<Json>,
  unit: z.string().optional(),
  source: z.string(),
  source_url: z.string().optional(),
  observed_at: z.string(),
  method_version: z.string(),
  outcome: z
    .enum(['seen', 'nothing', 'not_asked'])
    .describe('Whether the source states the fact, states none, or was not asked'),
  reason: wordsSchema.optional(),
  shared_with: z.string().optional().describe('The listing that is named, for a fact that listings share'),
});

export type ImportedSignal = z.infer<typeof importedSignal>;

const unreadInputs = ifAny(
  z.array(z.string()),
  'Members that may ask for inputs, in a form that is not read',
);

export const listingRemote = z.object({
  type: z.string(),
  url: z.string(),
  inputs: z.array(listingInput).optional(),
  unread: unreadInputs,
});

export type ListingRemote = z.infer<typeof listingRemote>;

export const listingPackage = z.object({
  registry_type: z.string(),
  registry_base_url: z.string().optional().describe('The registry, if it is not the usual one of its type'),
  identifier: z
    .string()
    .describe('As recorded; for an image including the registry, even if that is a field of its own'),
  version: z.string().optional().describe('As recorded; for an image also the tag or digest of its name'),
  file_sha256: ifAny(
    z.string(),
    'Only for an MCPB file, as recorded; Dossier has not compared it with the file',
  ),
  transport: z.string().optional(),
  transport_url: z.string().optional().describe('Where it answers once it is started, as recorded'),
  runtime: z.string().optional().describe('The command that starts it, as recorded'),
  runtime_arguments: ifAny(
    z.array(z.string()),
    'Arguments before the package; {name} is filled in by the caller',
  ),
  arguments: ifAny(z.array(z.string()), 'Arguments after the package; {name} is filled in by the caller'),
  environment: z.record(z.string(), z.string()).optional().describe('Variables that the record sets'),
  unwritten: z.string().optional().describe('The first argument that cannot be written down'),
  reaches: ifAny(
    z.array(z.string()),
    'Arguments that open files, devices or a network of the caller to its container',
  ),
  inputs: z.array(listingInput).optional(),
  unread: unreadInputs,
});

export type ListingPackage = z.infer<typeof listingPackage>;

/** In the order of the record's remotes and packages. */
export interface RecordedOwners {
  readonly remotes: readonly {
    readonly owner: string;
    readonly place: string;
    /** Absent if the namespace is an account, or if the host is a template or cannot be read. */
    readonly at?: EndpointPlace;
    /** The hosting service above the host. */
    readonly hosting?: string;
  }[];
  readonly packages: readonly {
    readonly name: string;
    /** The name if it does not tell the owner. */
    readonly owner: string;
    readonly runtime_hosts?: readonly string[];
    /** Other packages and repositories that its start arguments name. */
    readonly starts?: readonly string[];
  }[];
}

/** A symbol, so that the owners are in no answer. */
export const recordedOwners = Symbol('owners');

const summaryColumns = {
  /** toStaticRank */
  id: integer,
  handle: text,
  title: optional(text),
  description: text,
  version: text,
  origin: text,
  origin_status: oneOf<'active' | 'deprecated'>(),
  status_message: optional(text),
  published_at: text,
  /** Of a deprecated version, when it was published: a deprecation is no upkeep. */
  updated_at: text,
  /** Of a deprecated version, whose deprecation changed its entry. */
  entry_changed_at: optional(text),
  /** By the run `import_run`. */
  imported_at: text,
  import_run: integer,
  endpoint: optional(text),
  repository: optional(text),
  /** Lower-cased host/path without .git; equal for listings of one repository. */
  repository_key: optional(text),
  /** The path in the repository that the record names. */
  repository_folder: optional(text),
  website: optional(text),
  tags: json<readonly ListingTag[]>(),
  facets: words<Facet>(),
  /** If `deleted` or `optout`, the handle and the version are the publisher's only texts left. */
  withdrawn: optional(oneOf<'deleted' | 'optout' | 'operator'>()),
  /** The operator hides title, description and status message. */
  hidden: optional(flag),
  /**
   * A version has no publication date in the registry. Dates here may then be of Dossier's first reading,
   * and serve only to order listings.
   */
  undated: optional(flag),
};

export const summaryTable = rowCodec(summaryColumns);
/** Times are RFC 3339 UTC with milliseconds, so text order is time order. */
export type ListingSummary = TableValue<typeof summaryTable>;

export const listingTable = table(
  'listing',
  ['id'],
  {
    ...summaryColumns,
    remotes: json<readonly ListingRemote[]>(),
    packages: json<readonly ListingPackage[]>(),
    /** Null if the database is older, until they are derived. */
    owners: optional(json<RecordedOwners>()),
  },
  {
    derived: {
      handle_folded: ({ handle }: { readonly handle: string }) => handle.toLowerCase(),
      namespace: ({ handle }: { readonly handle: string }) => handleParts(handle).namespace,
    },
  },
);
export type Listing = TableValue<typeof listingTable>;

/** What was compared before 30 November 2026 has only `added`, required or not, and `gone`. */
export type InputChange = 'needed' | 'added' | 'now_needed' | 'now_optional' | 'gone';

export const newPlace = z.object({
  kind: z.enum(['endpoint', 'package', 'repository']),
  key: z.string().describe('Without scheme; of a package its name'),
});
export type NewPlace = z.infer<typeof newPlace>;

/** Empty if the record of the version was never compared. */
export interface DerivedVersion {
  /** 0 if it moved nothing, otherwise weightOfMove. */
  readonly weight?: number;
  /** Absent for the first. */
  readonly with?: string;
  /** Of the first that is listed: the deleted one before it, and what it names that no deleted one did. */
  readonly after?: { readonly version: string; readonly others: readonly NewPlace[] };
  /** Other than the version; what was compared before 30 November 2026 lacks them. */
  readonly fields?: readonly string[];
  /** Present if inputs differ: the names of those that neither record calls secrets, by what changed. */
  readonly inputs?: Readonly<Partial<Record<InputChange, readonly string[]>>> & {
    readonly left_out?: Readonly<Record<string, number>>;
    /** One of the two records was. */
    readonly partly_read?: true;
  };
  /** Both values of short fields that differ, null if there is none. Behind a field, its part may stand. */
  readonly values?: Readonly<Record<string, readonly [was: string | null, is: string | null]>>;
  readonly partly_read?: true;
}

const versionColumns = {
  handle: text,
  version: text,
  status: oneOf<'active' | 'deprecated' | 'deleted'>(),
  published_at: text,
  updated_at: text,
  is_latest: flag,
  /** The registry has no date; `published_at` is then that of Dossier's first reading. */
  undated: optional(flag),
  /** SHA-256 of the entry as received, hex. */
  digest: text,
  /** Of a deleted version none if its listing was withdrawn here. */
  status_message: optional(text),
  derived: optional(json<DerivedVersion>()),
};

const listedVersionColumns = {
  ...versionColumns,
  /** server.json, cleaned, as JSON text. */
  record: text,
  /**
   * When the entry got its present state here, or its listing was last withdrawn, hidden or shown again.
   */
  listed_at: text,
};

export const versionTable = table('listing_version', ['handle', 'version'], {
  ...listedVersionColumns,
  /** The JSON of ComparedVersion. */
  compared: optional(text),
  /** The JSON of ShownRecord; of the shown version only. */
  shown: optional(text),
});
/** As the registry API lists it: deleted, without the record, if its listing was withdrawn here. */
export type ListedVersion = TableValue<typeof versionTable>;
export type ListingVersion = Omit<ListedVersion, 'listed_at' | 'derived' | 'compared' | 'shown'>;
export const versionSummaryColumns = Object.keys(versionColumns) as (keyof typeof versionColumns)[];
export const listedColumns = Object.keys(listedVersionColumns) as (keyof typeof listedVersionColumns)[];
export type VersionSummary = Pick<ListedVersion, keyof typeof versionColumns>;
export type ComparedRow = VersionSummary & Pick<ListedVersion, 'compared'>;

export const deletedVersion = z.object({
  at: z.string(),
  says: z.string().optional().describe('By its publisher'),
});
type DeletedVersion = z.infer<typeof deletedVersion>;

/** As documents have them. */
export interface StoredVersion extends Pick<VersionSummary, 'version' | 'status' | 'published_at'> {
  readonly deleted?: DeletedVersion | undefined;
}

type DeletedRow = Pick<VersionSummary, 'status' | 'updated_at'> & {
  readonly status_message?: string | null | undefined;
};

export const deletedOf = ({
  status,
  updated_at: at,
  status_message: says,
}: DeletedRow): { deleted?: DeletedVersion } =>
  status === 'deleted' ? { deleted: { at, ...(says && { says }) } } : {};

export const toStoredVersion = (row: StoredVersion & DeletedRow): StoredVersion => {
  const { version, status, published_at } = row;
  return { version, status, published_at, ...deletedOf(row) };
};

export const statedDates = ({
  undated,
  published_at,
  updated_at,
}: Pick<ListingSummary, 'undated' | 'published_at' | 'updated_at'>) =>
  undated ? { published_at: undefined, updated_at: undefined } : { published_at, updated_at };

export const withoutHidden = <T extends ListingSummary>(listing: T): T =>
  listing.hidden ? { ...listing, title: undefined, description: '', status_message: undefined } : listing;

export const hiddenSentence =
  'The operator has hidden the title, description and status message of this listing.';

/** Facts of the registry in an entry's `_meta`. */
export const registryMeta = 'io.modelcontextprotocol.registry/official';
/** Facts of the publisher in a record's `_meta`. */
export const publisherMeta = 'io.modelcontextprotocol.registry/publisher-provided';

export const withoutHiddenText = <T extends object>(record: T) => ({
  ...record,
  title: undefined,
  description: hiddenSentence,
});

/** As the source of an import. */
export const sampleSource = 'sample';

export const sampleOrigin = 'sample shipped with Dossier, not a registry';
const specificationOrigin = 'registry, as given in the specification, not read there';
export const sampleOrigins = [sampleOrigin, specificationOrigin] as const;
const specified: ReadonlySet<string> = new Set(['co.webhook/webhook', 'com.politicalcomms/api']);

export const sampleOriginOf = (handle: string): string =>
  specified.has(handle) ? specificationOrigin : sampleOrigin;

/** Other origins contain a kind, such as `(MCP)`, so no registry can have one of these. */
export const isSample = ({ origin }: Pick<Listing, 'origin'>): boolean =>
  origin === sampleOrigin || origin === specificationOrigin;

const officialRegistry = 'registry.modelcontextprotocol.io';

/** A copy of the official registry counts, too. */
export const isOfficial = ({ origin }: Pick<Listing, 'origin'>): boolean =>
  origin.startsWith(`${officialRegistry} (MCP)`);

export const isSpecified = ({ origin }: Pick<Listing, 'origin'>): boolean => origin === specificationOrigin;

export function sampleSentence(listing: Pick<Listing, 'origin'>): string | undefined {
  if (isSpecified(listing))
    return 'Sample: the description, the repository and the endpoint, if any, are as given in the specification of Dossier and were not read from a registry. The version and the dates were chosen for the sample.';
  return isSample(listing)
    ? 'Sample: this listing is made up and shipped with Dossier. It was not read from a registry.'
    : undefined;
}

/** Not if the operator withdrew it. */
export const isGone = ({ withdrawn }: Pick<Listing, 'withdrawn'>): boolean =>
  withdrawn === 'deleted' || withdrawn === 'optout';

export const toWithdrawn = (listing: Listing, withdrawn: 'deleted' | 'optout'): Listing => ({
  ...listing,
  title: undefined,
  description: '',
  status_message: undefined,
  endpoint: undefined,
  repository: undefined,
  repository_folder: undefined,
  website: undefined,
  remotes: [],
  packages: [],
  owners: undefined,
  tags: [],
  facets: [],
  withdrawn,
});

const slotsPerMillisecond = 1024;
/** In the year 2248, so that ranks stay safe integers when the next free one is taken. */
const latest_ms = 8_790_000_000_000;

/**
 * Of the oldest known publication and a checksum of the handle, so that ratings and newer versions never
 * change it.
 */
export function toStaticRank(handle: string, firstPublishedAt: string): number {
  const published_ms = Math.min(Math.max(Date.parse(firstPublishedAt), 0), latest_ms);
  return published_ms * slotsPerMillisecond + (crc32(handle) & (slotsPerMillisecond - 1));
}
