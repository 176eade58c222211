import { Holder, namespaceIdentity } from '../../core/identity.ts';
import { ioError } from '../../core/process.ts';
import { documentAt } from '../../document/asked-part.ts';
import { type ListingDocument, listingDocument } from '../../document/listing-document.ts';
import { copyLacksSentence } from '../../document/record.ts';
import type { ResolvedNames } from '../../document/resolved.ts';
import type { Listing } from '../../listings/listing.ts';
import { referencesOf } from '../../listings/references/of-record.ts';
import { type Reference, redirectsOf } from '../../listings/references/references.ts';
import { isFitting, storedAs } from '../../listings/references/templates.ts';
import { toRepositoryKey } from '../../net/repository-place.ts';
import { isDated } from '../../observations/known/observation.ts';
import { payeesOf } from '../../observations/known/prices/payees.ts';
import { mostRecording } from '../../tools/find/holders.ts';
import type { KnownListing } from '../../tools/find/several.ts';
import { resolveAll } from '../../tools/resolve-agents.ts';
import { readDocuments } from '../documents.ts';

export const dumpLacks =
  'A dump has no withdrawn listings and no former records of listings, and no similar names are suggested from it.';

/** With placeholders for what only a store uses. */
const toListing = (document: ListingDocument): Listing => ({
  ...document,
  published_at: document.published_at ?? '',
  updated_at: document.updated_at ?? '',
  undated: document.updated_at === undefined,
  id: 0,
  import_run: 0,
  facets: [`state:${document.state}`],
  hidden: document.moderation?.some(({ action }) => action === 'hide'),
  repository_key: toRepositoryKey(document.repository ?? ''),
});

const toKnown = (document: ListingDocument): KnownListing => ({
  listing: toListing(document),
  observations: document.observations.filter(isDated).map(({ missed_since, ...one }) => ({
    ...one,
    ...(missed_since && { missed: missed_since }),
  })),
  native: document.signals.native,
  versions: document.versions,
  copyLacks: document.copy_lacks ?? [],
  document: () => document,
  at: (part) => toKnown(documentAt(document, part)),
});

const paidOf = ({ observations }: ListingDocument): Reference[] =>
  payeesOf(observations.filter(isDated)).map(({ address: key, network }) => ({
    kind: 'pay_to',
    key,
    ...(network !== '' && { network }),
  }));

export async function resolveInDump(names: readonly string[], file: string): Promise<Partial<ResolvedNames>> {
  const documents = readDocuments(file);
  const check = (document: ListingDocument) => {
    const { data } = listingDocument.safeParse(document);
    if (data) return data;
    throw ioError(`${file}: the document of ${document.handle} is not of this version of Dossier`);
  };
  const recorded = [...documents.values()].flatMap((document) =>
    [
      ...Holder.ofNamespace(document.handle).proven.map((one) => ({
        kind: 'owner' as const,
        key: one.replace(/^dns:/, ''),
      })),
      ...referencesOf({ ...toListing(document), description: '' }),
      ...paidOf(document),
      ...document.observations.flatMap((one) => redirectsOf(one.subject ?? '', one.response?.redirects_to)),
    ].map((reference: Reference) => ({ document, reference })),
  );
  const byKey = Map.groupBy(recorded, ({ reference: { kind, key } }) => `${kind} ${key}`);
  const recording = (asked: Reference) => {
    const { registry, network } = asked;
    const stored = storedAs(asked).flatMap(({ kind, key }) => byKey.get(`${kind} ${key}`) ?? []);
    const found = stored.filter(
      ({ document, reference }) =>
        (registry ?? reference.registry) === reference.registry &&
        (network ?? reference.network) === reference.network &&
        (asked.kind !== 'template' || document.remotes.some((one) => isFitting(one, asked))),
    );
    return [...new Set(found.map(({ document }) => document))];
  };
  const [first] = documents.values();
  const results = await resolveAll(names, {
    publicUrl: first ? check(first).links.page.replace(`/agents/${first.handle}`, '') : '',
    known: async (handles) => {
      const found = handles.flatMap((handle) => documents.get(handle) ?? []);
      return new Map(found.map((document) => [document.handle, toKnown(check(document))]));
    },
    recording: async (references) =>
      references.map((one) =>
        recording(one)
          .slice(0, mostRecording)
          .map((document) => toListing(check(document))),
      ),
    holding: async (reference) =>
      recording(reference).map(({ handle }) => ({ publisher: namespaceIdentity(handle) })),
    formerly: async (references) => references.map(() => []),
    async whyNone(field) {
      const isNone = [...documents.values()].every(({ copy_lacks }) => copy_lacks?.includes(field));
      return first && isNone ? copyLacksSentence([field], field) : undefined;
    },
    near: async () => [],
    nearPackages: async () => [],
  });
  return { results, ...(first && { evidence_snapshot_date: first.evidence_snapshot_date }) };
}
