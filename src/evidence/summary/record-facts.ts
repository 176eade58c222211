import type { ListingDocument } from '../listing/listing-document.ts';
import { inputsText } from '../listing/sentences/inputs-text.ts';
import { packageText } from '../listing/sentences/package-text.ts';
import { namespaceText } from '../namespace.ts';
import type { Question } from '../observation/question.ts';
import { firstFew } from '../text/first-few.ts';
import { named } from '../text/markdown-text.ts';
import type { FactGroup } from './agent-summary.ts';

type Facts = Record<string, FactGroup['facts'][string] | undefined>;

const day = (time: string) => time.slice(0, 10);

const orAbsent = (values: readonly string[]) => (values.length > 0 ? firstFew(values) : undefined);

/** The values of the imported signals that were observed, by kind. */
function observedSignals({ signals }: ListingDocument): Facts {
  const observed = signals.imported.filter(({ state, value }) => state === 'observed' && value !== null);
  return Object.fromEntries(observed.map(({ kind, value }) => [kind, value ?? undefined]));
}

const reach = ({ remotes, packages }: ListingDocument): Facts => ({
  transport: remotes.length === 1 ? remotes[0]?.type : undefined,
  remotes:
    remotes.length > 1
      ? orAbsent(remotes.map(({ type, url }) => `${named(url)} (${named(type)})`))
      : undefined,
  packages: orAbsent(packages.map(packageText)),
});

const access = ({ remotes, packages }: ListingDocument): Facts => ({
  asks_for: orAbsent([...remotes, ...packages].flatMap(({ inputs }) => inputsText(inputs) ?? [])),
});

function publisher(listing: ListingDocument): Facts {
  const observed = observedSignals(listing);
  const listings = observed['publisher.listings'];
  return {
    namespace: observed['namespace.proof'] === undefined ? undefined : namespaceText(listing.handle),
    namespace_matches_repository_owner: observed['namespace.matches_repository_owner'],
    publisher_listings: listings === 1 ? undefined : listings,
    website: listing.website,
  };
}

function upkeep(listing: ListingDocument): Facts {
  const observed = observedSignals(listing);
  const first = observed['registry.first_published'];
  return {
    version: listing.version,
    updated: day(listing.updated_at),
    first_published: typeof first === 'string' ? day(first) : undefined,
    versions: observed['registry.versions'],
    status: listing.origin_status === 'deprecated' ? 'deprecated' : undefined,
    status_message: listing.status_message,
    unread_fields: observed['record.unread_fields'],
  };
}

const facts: Readonly<Partial<Record<Question, (listing: ListingDocument) => Facts>>> = {
  reach,
  access,
  publisher,
  upkeep,
};

/** What the record says that helps to answer a question: one group, or none. */
export function recordFacts(listing: ListingDocument, question: Question): FactGroup[] {
  const known = Object.entries(facts[question]?.(listing) ?? {}).filter(([, value]) => value !== undefined);
  return known.length === 0
    ? []
    : [{ question, source: 'record', facts: Object.fromEntries(known) as FactGroup['facts'] }];
}
