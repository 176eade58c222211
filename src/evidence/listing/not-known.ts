import type { Listing } from './listing.ts';
import type { NotKnownItem } from './listing-document.ts';

/** What the items follow from. */
export interface NotKnownFacts {
  readonly listing: Listing;
  readonly ratings: number;
  /** Names of fields of the record that Dossier does not read. */
  readonly unread: readonly string[];
  /** Kinds that Dossier itself has looked for. */
  readonly checked: ReadonlySet<string>;
  /** Kinds of the signals that were observed. */
  readonly observed: ReadonlySet<string>;
}

type Question = NotKnownItem['question'];
const notStated = (question: Question, kind: string, what: string): NotKnownItem => ({
  question,
  kind,
  state: 'not_stated',
  reason: `The record that Dossier read has no field that states ${what}.`,
});
const notChecked = (question: Question, kind: string, what: string): NotKnownItem => ({
  question,
  kind,
  state: 'not_checked',
  reason: `Dossier has not checked ${what}.`,
});

/** Words in the names of fields that may state what a buyer asks. */
const fieldWords = {
  price: /pric|cost|fee|billing|payment|plan|tier|subscri|currency|monetiz/i,
  operator: /vendor|operator|maintainer|publisher|author|owner|provider|company|organi[sz]ation|contact/i,
  auth: /auth|key|token|secret|credential|login|oauth/i,
  'terms.url': /terms|tos|legal|policy|agreement|compliance/i,
  data_handling: /privacy|data|gdpr|retention|compliance|security|policy/i,
  region: /region|location|residency|jurisdiction|country|hosting/i,
  licence: /licen[cs]e|spdx/i,
  support: /support|help|contact|email|issue|bug|maintainer/i,
} as const;

/** What the record does not state; where a field that Dossier does not read may state it, that is said instead. */
function unlessUnread(
  { unread }: NotKnownFacts,
  [question, kind]: readonly [Question, keyof typeof fieldWords],
  what: string,
): NotKnownItem {
  return unread.some((name) => fieldWords[kind].test(name))
    ? notChecked(question, kind, `whether fields of the record that it does not read state ${what}`)
    : notStated(question, kind, what);
}

function ofEndpoint({ listing: { remotes }, observed }: NotKnownFacts): NotKnownItem[] {
  if (remotes.length === 0) return [notStated('reach', 'endpoint.answers', 'a remote endpoint')];
  return observed.has('endpoint_answers')
    ? []
    : [notChecked('reach', 'endpoint.answers', 'whether the endpoint answers')];
}

function ofAccess(facts: NotKnownFacts): NotKnownItem[] {
  const { remotes, packages } = facts.listing;
  return [...remotes, ...packages].some(({ inputs }) => inputs)
    ? []
    : [unlessUnread(facts, ['access', 'auth'], 'what a caller must send')];
}

function ofCode({ listing: { repository_key }, observed }: NotKnownFacts): NotKnownItem[] {
  if (repository_key === undefined) return [notStated('code', 'repository', 'a source repository')];
  return [
    notChecked(
      'code',
      'repository.contents',
      'whether the recorded repository holds the code of the service',
    ),
    ...(observed.has('repository_activity')
      ? []
      : [notChecked('upkeep', 'repository.last_commit', 'when the recorded repository last changed')]),
  ];
}

const ofRatings = ({ ratings }: NotKnownFacts): NotKnownItem[] =>
  ratings > 0
    ? []
    : [
        {
          question: 'ratings',
          kind: 'ratings.native',
          state: 'not_found',
          reason: 'No native rating is stored on this service.',
        },
      ];

const allNotKnown = (facts: NotKnownFacts): NotKnownItem[] => [
  unlessUnread(facts, ['price', 'price'], 'a price'),
  ...ofEndpoint(facts),
  notChecked('tools', 'tools.surface', 'which tools the service lists'),
  ...ofAccess(facts),
  unlessUnread(facts, ['publisher', 'operator'], 'who operates the service'),
  ...ofCode(facts),
  ...ofRatings(facts),
  unlessUnread(facts, ['terms', 'terms.url'], 'terms of use'),
  unlessUnread(facts, ['terms', 'data_handling'], 'how data is handled'),
  unlessUnread(facts, ['terms', 'region'], 'the region that the service runs in'),
  unlessUnread(facts, ['terms', 'licence'], 'a licence'),
  unlessUnread(facts, ['terms', 'support'], 'support'),
];

/**
 * What buyers ask about a listing and what is not known, each with the state and the reason (docs/contract.md). What
 * Dossier has looked for is in the observations, whatever it found.
 */
export const toNotKnown = (facts: NotKnownFacts): NotKnownItem[] =>
  allNotKnown(facts).filter(({ kind, state }) => state !== 'not_checked' || !facts.checked.has(kind));
