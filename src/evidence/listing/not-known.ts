import type { Listing } from './listing.ts';
import type { NotKnownItem } from './listing-document.ts';

/** What the items follow from. */
export interface NotKnownFacts {
  readonly listing: Listing;
  readonly ratings: number;
  /** Kinds of the signals that were observed. */
  readonly observed: ReadonlySet<string>;
}

type Question = NotKnownItem['question'];
const notStated = (question: Question, kind: string, what: string): NotKnownItem => ({
  question,
  kind,
  state: 'not_stated',
  reason: `The record that Dossier read does not state ${what}.`,
});
const notChecked = (question: Question, kind: string, what: string): NotKnownItem => ({
  question,
  kind,
  state: 'not_checked',
  reason: `Dossier has not checked ${what}.`,
});

function ofEndpoint({ listing: { remotes }, observed }: NotKnownFacts): NotKnownItem[] {
  if (remotes.length === 0) return [notStated('reach', 'endpoint.answers', 'a remote endpoint')];
  return observed.has('endpoint_answers')
    ? []
    : [notChecked('reach', 'endpoint.answers', 'whether the endpoint answers')];
}

function ofAccess({ listing: { remotes, packages } }: NotKnownFacts): NotKnownItem[] {
  return [...remotes, ...packages].some(({ inputs }) => inputs)
    ? []
    : [notStated('access', 'auth', 'what a caller must send')];
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

/** What buyers ask about a listing and what is not known, each with the state and the reason (docs/contract.md). */
export const toNotKnown = (facts: NotKnownFacts): NotKnownItem[] => [
  notStated('price', 'price', 'a price'),
  ...ofEndpoint(facts),
  notChecked('tools', 'tools.surface', 'which tools the service lists'),
  ...ofAccess(facts),
  notStated('publisher', 'operator', 'who operates the service'),
  ...ofCode(facts),
  ...ofRatings(facts),
  notStated('terms', 'terms.url', 'terms of use'),
  notStated('terms', 'data_handling', 'how data is handled'),
  notStated('terms', 'region', 'the region that the service runs in'),
  notStated('terms', 'licence', 'a licence'),
  notStated('terms', 'support', 'support'),
];
