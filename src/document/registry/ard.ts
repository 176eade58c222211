import { handleParts, isHandle } from '../../core/handle.ts';
import { wrongField } from '../../core/problem.ts';
import { placeholdersIn } from '../../core/text.ts';
import { toText } from '../../core/words.ts';
import type { ListingInput, ListingRemote } from '../../listings/listing.ts';
import { saidAs } from '../../observations/known/malware.ts';
import type { ListingDocument } from '../listing-document.ts';

// Agentic Resource Discovery v0.91 of 26 August 2026, github.com/ards-project/ard-spec, spec/ard.md.

export const serverCardType = 'application/mcp-server-card+json';
export const cardSchema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';

/** The page there explains our own terms. */
export const ownNamespace = (publicUrl: string): string => `${publicUrl}/about#`;

export const ownTerms = {
  'evidence-v1':
    'The facts that this service knew about a listing on a day, as a signed statement (in-toto predicate type)',
  origin: 'The registry that the listing was imported from',
  asOf: 'The day of the answer',
  snapshot: 'The native ratings of the listing on that day, in a sentence',
  claimState: 'imported, claimed or suspended: whether a claim showed control of a location of the listing',
  transport: 'The transports of the recorded endpoints and packages',
  packageType: 'The registries of the recorded packages',
  package: 'The recorded packages and their inputs, as in the evidence',
  malware: 'Reports of malicious code in the recorded packages',
  evidence: 'The address of the listing document, as JSON',
  statement: 'The address of the signed statement about the listing; absent for a listing of the sample',
  sample: 'true: a listing of the shipped sample, which was not read from a registry and is mostly made up',
  scoreMeans:
    'The meaning of the score of a search result: how many words of the query matched, not how good the service is',
} as const;

/** SEP-2127, schema v1. */
function toCardRemote({ type, url, inputs = [] }: ListingRemote) {
  const needs = (wanted: ListingInput['kind']) => inputs.filter(({ kind }) => kind === wanted);
  const toInput = ({ required, secret }: ListingInput) => ({ isRequired: required, isSecret: secret });
  const toValue = (one: ListingInput, value: string) => {
    const variables = Object.fromEntries(placeholdersIn(value).map((name) => [name, toInput(one)]));
    return { value, variables };
  };
  const headers = needs('header').map((one) => ({
    name: one.name,
    ...toInput(one),
    ...(one.value && toValue(one, one.value)),
  }));
  const variables = Object.fromEntries(needs('variable').map((one) => [one.name, toInput(one)]));
  return { type, url, headers, variables };
}

/** By the schema of a server card. */
const longestInCard = 100;

const inCard = (text: string): string =>
  text.length > longestInCard ? `${text.slice(0, longestInCard - 1).toWellFormed()}…` : text;

const kindsOf = (recorded: readonly (string | undefined)[]) => [
  ...new Set(recorded.filter((one) => one !== undefined)),
];

const reverse = (labels: string) => labels.split('.').toReversed().join('.');
const urn = /^urn:air:([a-zA-Z0-9.-]+)(?::[a-zA-Z0-9._-]+)*:([a-zA-Z0-9._-]+)$/;

/** Appendix C of ARD. */
function toUrn(handle: string): string {
  const { namespace, name } = handleParts(handle);
  return `urn:air:${reverse(namespace)}:${name}`;
}

/** Undefined if no handle has it. Throws invalid_input if it is not an identifier. */
export function readUrn(identifier: string): string | undefined {
  const [, publisher = '', name = ''] = urn.exec(identifier) ?? [];
  if (!publisher) throw wrongField('identifier', 'must be urn:air:<publisher>:<namespace>:<agent-name>');
  const handle = `${reverse(publisher)}/${name}`;
  return isHandle(handle) && toUrn(handle) === identifier ? handle : undefined;
}

/** ARD 4.2, without trustManifest and representativeQueries, which only the publisher could state. */
export function toArdEntry(listing: ListingDocument, publicUrl: string) {
  const { handle, title, description, version, tags, remotes, packages, website, links } = listing;
  const malware = saidAs(listing.observations, ['malware', 'other_malware']).map(toText);
  return {
    '@context': ['https://agenticresourcediscovery.org/context/v1', { dossier: ownNamespace(publicUrl) }],
    identifier: toUrn(handle),
    displayName: title ?? handle,
    type: serverCardType,
    data: {
      $schema: cardSchema,
      name: handle,
      ...(title && { title: inCard(title) }),
      version,
      // The schema requires a description.
      description: inCard(description || title || handle),
      ...(website && { websiteUrl: website }),
      remotes: remotes.map(toCardRemote),
    },
    description,
    tags: tags.map(({ tag }) => tag),
    version,
    ...(listing.updated_at && { updatedAt: listing.updated_at }),
    'dossier:origin': listing.origin,
    'dossier:asOf': listing.evidence_snapshot_date,
    'dossier:snapshot': listing.evidence_snapshot,
    'dossier:claimState': listing.state,
    'dossier:transport': kindsOf([
      ...remotes.map(({ type }) => type),
      ...packages.map((one) => one.transport),
    ]),
    'dossier:packageType': kindsOf(packages.map(({ registry_type }) => registry_type)),
    'dossier:package': packages,
    ...(malware.length > 0 && { 'dossier:malware': malware }),
    'dossier:evidence': links.json,
    ...(listing.sample ? { 'dossier:sample': true } : { 'dossier:statement': `${links.page}.intoto.json` }),
  };
}
