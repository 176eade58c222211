import type { Context } from '../context.ts';
import { dayText } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import { toAnswer } from '../document/answers/answers.ts';
import { type CriterionAnswer, whyWords } from '../document/criteria/criteria.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { type ListingFacts, toReading } from '../document/record.ts';
import { recordedFacts } from '../document/recorded-facts.ts';
import { digestOf, readShared, toEntry, toServer } from '../document/registry/entries.ts';
import { noNativeCounts } from '../ratings/counts.ts';
import type { ApprovalAnswer } from './approvals.ts';
import type { PrivateEntry } from './private-entries.ts';

export function toPrivateFacts({ listing, unread }: PrivateEntry): ListingFacts {
  const { published_at: lastPublished } = listing;
  const reading = toReading(listing, { own: undefined, read_at: undefined, full: undefined, recorded: {} });
  return {
    listing,
    reading,
    versions: [],
    claim: undefined,
    claimHistory: [],
    receiptKeys: [],
    capabilities: [],
    imported: recordedFacts(
      listing,
      { shown: { unread }, versions: 1, lastPublished, source: null },
      reading,
    ),
    native: { ...noNativeCounts, recent: [] },
    moderation: [],
    observed: undefined,
    publisherListings: 0,
    shared: [],
  };
}

export interface SelectionMember {
  readonly listing: ListingDocument;
  /** What the operator approved, and how the criteria are answered. */
  readonly answers: readonly ApprovalAnswer[];
  readonly judged: readonly CriterionAnswer[];
  readonly entry?: PrivateEntry | undefined;
}

export const privateNote = ({ listing }: PrivateEntry): string =>
  `This is a private entry from ${listing.origin}, last changed on ${dayText(listing.updated_at)} and read on ${dayText(listing.imported_at)}. No registry that Dossier reads lists it, and Dossier has not checked it.`;

/** Without facts of a registry. */
function toPrivateServer(entry: PrivateEntry, key: string) {
  const { origin, imported_at: read_at, updated_at: changed_at } = entry.listing;
  const server = toServer(entry.version, false, key);
  const about = { origin, changed_at, read_at, subject_digest: digestOf(server), note: privateNote(entry) };
  return { server, _meta: { [key]: about } as Record<string, object> };
}

/** As JSON, if the version is stored. */
export async function toSelectionEntries(members: readonly SelectionMember[], context: Context) {
  const shared = await readShared(context);
  const { key } = shared;
  const entries = await inTurns(members, async ({ listing, answers, judged, entry }) => {
    const version = entry?.version ?? (await context.store.listings.version(listing.handle, listing.version));
    if (!version) return undefined;
    const isHidden = listing.moderation?.some(({ action }) => action === 'hide') === true;
    const { server, _meta } = entry
      ? toPrivateServer(entry, key)
      : toEntry(version, { isLatest: true, document: listing, isHidden, ...shared });
    const answer = toAnswer(listing);
    const criteria = [
      ...answers.map(({ criterion, result, fact, as_of }) => ({ criterion, result, fact, as_of })),
      ...judged.map((one) => ({
        ...one,
        fact: whyWords(answer, one),
        as_of: listing.evidence_snapshot_date,
      })),
    ];
    return JSON.stringify({ server, _meta: { ..._meta, [key]: { ...(_meta[key] as object), criteria } } });
  });
  return entries.filter((entry) => entry !== undefined);
}
