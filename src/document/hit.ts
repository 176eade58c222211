import { namespaceMatchesRepositoryOwner, namespaceText } from '../core/handle.ts';
import { namespaceHoldsEndpoints } from '../core/identity.ts';
import { coded, counted, day } from '../core/text.ts';
import { hiddenSentence, isSample, type Listing } from '../listings/listing.ts';
import type { DatedObservation } from '../observations/observation.ts';
import type { NativeSignals } from '../ratings/rating.ts';
import { isPlaceholder } from '../search/query.ts';
import { recordedSecrets } from './record.ts';
import type { Hit } from './resolved.ts';
import { packageText, sourcesFirst } from './sentences.ts';

/** What Dossier saw, as it is stored or in a document. */
type Seen = Pick<DatedObservation, 'kind' | 'subject' | 'value' | 'outcome' | 'observed_at'> & {
  readonly missed?: unknown;
};

/** What a hit is made of; `listing` is without texts that are hidden. */
export interface HitFacts {
  readonly listing: Listing;
  readonly observations: readonly Seen[];
  readonly native:
    | Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings' | 'recent'>
    | undefined;
}

/** Whom the registry let publish it, and whether its endpoints are on that domain, and the repository is held by that account. */
export function publisherOf({ handle, repository_key, remotes }: Listing): string {
  const owner = namespaceMatchesRepositoryOwner(handle, repository_key);
  const urls = remotes.map(({ url }) => url);
  const at = namespaceHoldsEndpoints(handle, urls) ? ', its endpoint on it' : '';
  return `${namespaceText(handle)}${at}${owner === 'no' ? ', not the owner of the repository' : ''}`;
}

const more = (values: readonly unknown[], most: number) =>
  values.length > most ? ` and ${values.length - most} more` : '';

/** The endpoint, else the first package; what another copy might record is not said to be missing. */
function reachOf({ endpoint, remotes, packages }: Listing): string | undefined {
  if (endpoint) return `${coded(endpoint)}${more(remotes, 1)}`;
  const [remote] = remotes;
  if (remote) return `template ${coded(remote.url)}`;
  const [first] = packages;
  return first && `${packageText(first, coded)}${more(packages, 1)}`;
}

const namesShown = 2;

function secretsText(listing: Listing): string | undefined {
  const { all, needed } = recordedSecrets(listing);
  if (all.length === 0) return undefined;
  const names = all.slice(0, namesShown).map(coded).join(', ');
  return `${needed.length > 0 ? 'asks for' : 'takes'} secret ${names}${more(all, namesShown)}`;
}

function answerOf({ endpoint }: Listing, observations: readonly Seen[]): string | undefined {
  const of = (kind: string) =>
    observations.find((one) => one.kind === kind && (endpoint === undefined || one.subject === endpoint));
  const one = of('endpoint.answers');
  if (one?.outcome === 'silent') return `no answer ${day(one.observed_at)}`;
  if (one?.outcome === 'otherwise') return `returned something else than MCP ${day(one.observed_at)}`;
  if (one?.outcome === 'absent') return `nothing there ${day(one.observed_at)}`;
  if (one?.outcome !== 'seen') return undefined;
  if (one.missed) return `last answered ${day(one.observed_at)}`;
  const access = of('auth.required');
  const isClosed = access?.value === true && !access.missed;
  return `answered ${day(one.observed_at)}${isClosed ? ', asks for credentials first' : ''}`;
}

const existence: Readonly<Record<string, string>> = {
  'repository.exists': 'repository not there',
  'package.exists': 'package not there',
};

const absencesOf = (observations: readonly Seen[]) =>
  observations
    .filter(({ kind, outcome }) => existence[kind] && outcome === 'absent')
    .map(({ kind, observed_at }) => `${existence[kind]} ${day(observed_at)}`);

const ratingsOf = (native: HitFacts['native']) =>
  native && native.ratings > 0 && `rated by ${sourcesFirst(native)}`;

/**
 * The line of a listing in a list, the same in tools and on pages: what is so of nearly every listing is not said. `match`: how many words
 * of a search it has; `matched` is undefined if the search was for its handle.
 */
export function toHit(
  { listing, observations, native }: HitFacts,
  match?: { readonly words: number; readonly matched: number | undefined },
  alike?: string,
): Hit {
  const { handle, title, description, origin_status, facets, hidden } = listing;
  const { words = 0, matched = words } = match ?? {};
  const facts = [
    alike,
    matched < words && `matched ${matched} of ${counted(words, 'word')}`,
    isSample(listing) && 'shipped sample',
    hidden && hiddenSentence,
    isPlaceholder(description) && 'placeholder description',
    origin_status === 'deprecated' && 'deprecated',
    answerOf(listing, observations),
    ...absencesOf(observations),
    !isSample(listing) && publisherOf(listing),
    reachOf(listing),
    secretsText(listing),
    facets.includes('state:claimed') && 'claimed',
    facets.includes('state:suspended') && 'claim suspended',
    ratingsOf(native),
    `updated ${day(listing.updated_at)}`,
  ];
  return {
    handle,
    ...(title && { title }),
    ...(description && { description }),
    facts: facts.filter((fact) => typeof fact === 'string'),
  };
}
