import { z } from 'zod';
import { toLine } from '../../../core/text.ts';
import { code, codes, day, number, own, quote } from '../../../core/words.ts';
import { publisherMeta } from '../../../listings/listing.ts';
import { isUnreadPart, readRecord, recordFields } from '../../../listings/record-form.ts';
import { defineRecord } from '../kind.ts';

const eachOnce = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.flatMap((value) => value || [])),
];

const listOrNone = (values: readonly string[]) => (values.length > 0 ? [...values] : null);

export const recordTransports = defineRecord({
  kind: 'record.transports',
  question: 'reach',
  title: 'How it is reached',
  means:
    'The transports that the publisher recorded for endpoints and packages. streamable-http and sse use HTTP. With stdio, the caller runs a package.',
  doesNotMean: 'It does not say that anything answers there.',
  value: z.array(z.string()),
  say: ({ value }) => codes(value),
  readFrom: ['endpoint', 'package'],
  stated: ({ listing: { remotes, packages } }) =>
    listOrNone(eachOnce([...remotes.map(({ type }) => type), ...packages.map(({ transport }) => transport)])),
});

export const recordPackageTypes = defineRecord({
  kind: 'record.package_types',
  question: 'code',
  title: 'Packages',
  means: 'The types of packages that the publisher recorded, such as npm or oci.',
  doesNotMean: 'The type does not say what is in a package.',
  value: z.array(z.string()),
  say: ({ value }) => codes(value),
  readFrom: ['package'],
  stated: ({ listing: { packages } }) =>
    listOrNone(eachOnce(packages.map(({ registry_type }) => registry_type))),
});

export const recordRepository = defineRecord({
  kind: 'record.repository',
  question: 'code',
  title: 'Repository',
  means: 'The source repository that the publisher recorded.',
  doesNotMean: 'It does not say that the service runs this code.',
  value: z.string(),
  say: ({ value }) => code(value),
  readFrom: ['repository'],
  stated: ({ listing: { repository_key } }) => repository_key ?? null,
});

const deepest = 4;
const mostNames = 50;
const longestFieldName = 60;

function* namesIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === deepest) return;
  for (const [name, inside] of Object.entries(value)) {
    if (!Array.isArray(value)) yield toLine(name).slice(0, longestFieldName).toWellFormed();
    yield* namesIn(inside, depth + 1);
  }
}

/** At most 50 names of `_meta`, of unknown fields and of known ones in an unexpected form. */
export function publisherFields(server: object): string[] {
  const below = readRecord(server).unread.map((path) =>
    toLine(path.replaceAll(/\.\d+(?=\.|$)/g, ''))
      .slice(0, longestFieldName)
      .toWellFormed(),
  );
  const { _meta, ...fields } = server as { readonly _meta?: Readonly<Record<string, unknown>> | null };
  const unread = Object.entries(fields).filter(([name]) => !recordFields.has(name));
  const others = [...namesIn(Object.fromEntries(unread)), ...below, ...namesIn(_meta?.[publisherMeta])];
  const names = others.map((name) => (isUnreadPart(name) && !below.includes(name) ? `*.${name}` : name));
  return eachOnce([...below.filter(isUnreadPart), ...names]).slice(0, mostNames);
}

export const recordUnreadFields = defineRecord({
  kind: 'record.unread_fields',
  question: 'terms',
  title: 'Fields of the record that Dossier does not read',
  means:
    'Names of fields whose values Dossier stores and does not read. The values may state more than is shown here.',
  doesNotMean:
    'Answers and pages about the listing do not show these values; the record at the registry does.',
  value: z.array(z.string()),
  say: ({ value }) => codes(value),
  isDerived: true,
  stated: ({ unread }) => listOrNone(unread) ?? undefined,
});

export const registryStatus = defineRecord({
  kind: 'registry.status',
  question: 'upkeep',
  title: 'Status in the registry',
  means: 'Whether the registry marks the shown version as active or as deprecated.',
  doesNotMean: '“Active” does not say that the service works.',
  value: z.enum(['active', 'deprecated']),
  say: ({ value }) => own(value),
  stated: ({ listing }) => listing.origin_status,
});

export const registryStatusMessage = defineRecord({
  kind: 'registry.status_message',
  question: 'upkeep',
  title: 'What the publisher says about the status',
  means: 'The publisher’s own words about the status in the registry.',
  doesNotMean: 'Dossier has not checked these words.',
  value: z.string(),
  say: ({ value }) => quote(value),
  stated: ({ listing: { status_message } }) => status_message || undefined,
});

export const registryLastPublished = defineRecord({
  kind: 'registry.last_published',
  question: 'upkeep',
  title: 'Newest version published',
  means: 'When the newest version was published in the registry.',
  doesNotMean: 'The service may change without a new version.',
  value: z.string(),
  say: ({ value }) => day(value),
  follows: 'newest version',
  isDate: true,
  stated: ({ lastPublished }) => lastPublished,
});

export const registryFirstPublished = defineRecord({
  kind: 'registry.first_published',
  question: 'upkeep',
  title: 'First published',
  means: 'When the oldest version that Dossier has read was published.',
  doesNotMean: 'The service may be older than its entry.',
  value: z.string(),
  say: ({ value }) => day(value),
  follows: 'all versions',
  isDate: true,
  stated: ({ listing }) => listing.published_at,
});

export const registryVersions = defineRecord({
  kind: 'registry.versions',
  question: 'upkeep',
  title: 'Versions published',
  means: 'How many versions the registry has sent to Dossier, deleted ones included.',
  doesNotMean: 'More versions are not better.',
  unit: 'versions',
  value: z.number(),
  say: ({ value }) => number(value),
  follows: 'all versions',
  stated: ({ versions }) => versions,
});

export const registryLastUpdate = defineRecord({
  kind: 'registry.last_update',
  question: 'upkeep',
  title: 'Entry last changed',
  means: 'When the entry in the registry last changed.',
  doesNotMean: 'The service may change without a change of its entry.',
  value: z.string(),
  say: ({ value }) => day(value),
  isDate: true,
  stated: ({ listing: { entry_changed_at, updated_at } }) => entry_changed_at ?? updated_at,
});
