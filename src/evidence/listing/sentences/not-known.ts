import { kindOf } from '../../kinds/recorded/kind-of.ts';
import { isDated, knowingOf, type Observation, stateWords } from '../../observation/observation.ts';
import type { Listing } from '../listing.ts';
import type { CopyField, ImportedSignal, NotKnownItem, NotSeenItem } from '../listing-document.ts';
import { copyLacksSentence } from '../record/reading.ts';

/** What the items follow from. */
export interface NotKnownFacts {
  readonly listing: Listing;
  /** What the copy records of no listing. */
  readonly copyLacks: readonly CopyField[];
  /** Names of fields of the record that Dossier does not read. */
  readonly unread: readonly string[];
  readonly observations: readonly Observation[];
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

/** That the record states none; of a copy that records it of no listing, nothing is known. */
function unlessLacking({ copyLacks }: NotKnownFacts, field: CopyField, item: NotKnownItem): NotKnownItem {
  const reason = copyLacksSentence(copyLacks, field);
  return reason === undefined ? item : { ...item, state: 'not_checked', reason };
}

const ofEndpoint = (facts: NotKnownFacts): NotKnownItem =>
  facts.listing.remotes.length === 0
    ? unlessLacking(facts, 'endpoint', notStated('reach', 'endpoint.answers', 'a remote endpoint'))
    : notChecked('reach', 'endpoint.answers', 'whether the endpoint answers');

function ofAccess(facts: NotKnownFacts): NotKnownItem[] {
  const { remotes, packages } = facts.listing;
  return [...remotes, ...packages].some(({ inputs }) => inputs)
    ? []
    : [unlessUnread(facts, ['access', 'auth'], 'what a caller must send')];
}

function ofCode(facts: NotKnownFacts): NotKnownItem[] {
  if (facts.listing.repository_key === undefined)
    return [unlessLacking(facts, 'repository', notStated('code', 'repository', 'a source repository'))];
  return [
    notChecked(
      'code',
      'repository.contents',
      'whether the recorded repository holds the code of the service',
    ),
    notChecked('upkeep', 'repository.last_commit', 'when the recorded repository last changed'),
  ];
}

/** Registries in which Dossier looks packages up. */
const readTypes: ReadonlySet<string> = new Set(['npm', 'pypi']);

function ofPackages({ listing: { packages } }: NotKnownFacts): NotKnownItem[] {
  if (!packages.some(({ registry_type }) => readTypes.has(registry_type.toLowerCase()))) return [];
  return [
    notChecked('code', 'package.exists', 'whether the recorded package is published'),
    notChecked('code', 'package.provenance', 'which repository the published package was built from'),
    notChecked('code', 'package.advisories', 'whether advisories name the recorded version of the package'),
  ];
}

/** What nothing but an observation could answer, as it stands without one. */
const questionsOf = (facts: NotKnownFacts): NotKnownItem[] => [
  unlessUnread(facts, ['price', 'price'], 'a price'),
  ofEndpoint(facts),
  notChecked('tools', 'tools.surface', 'which tools the service lists'),
  ...ofAccess(facts),
  unlessUnread(facts, ['publisher', 'operator'], 'who operates the service'),
  ...ofCode(facts),
  ...ofPackages(facts),
  unlessUnread(facts, ['terms', 'terms.url'], 'terms of use'),
  unlessUnread(facts, ['terms', 'data_handling'], 'how data is handled'),
  unlessUnread(facts, ['terms', 'region'], 'the region that the service runs in'),
  unlessUnread(facts, ['terms', 'licence'], 'a licence'),
  unlessUnread(facts, ['terms', 'support'], 'support'),
];

/** Kinds below that of an item which do not answer it: payment methods are no price. */
const withoutAnswer: ReadonlySet<string> = new Set(['price.capability']);

/** Whether an observation is about what an item asks: the same kind, or one below it, as `price.tool` for `price`. */
const isAbout = (item: NotKnownItem) => (observation: Observation) =>
  observation.kind === item.kind ||
  (observation.kind.startsWith(`${item.kind}.`) && !withoutAnswer.has(observation.kind));

/** What buyers ask about a listing that was neither looked at nor is stated, with the reason (docs/contract.md). */
export const toNotKnown = (facts: NotKnownFacts): NotKnownItem[] => {
  const lookedFor = facts.observations.filter((one) => knowingOf(one) !== 'not_known');
  const known = lookedFor.filter((one) => knowingOf(one) === 'known');
  // That a price was not seen at the endpoint does not say what an unread field of the record states.
  const inRecord = unlessUnread(facts, ['price', 'price'], 'a price');
  return questionsOf(facts).filter((item) => {
    const mayBeStated = item.kind === inRecord.kind && inRecord.state === 'not_checked';
    return !(mayBeStated ? known : lookedFor).some(isAbout(item));
  });
};

/** Kinds of which something is known of one endpoint or package and was not seen of another, so that a gap has to name its place. */
export const toSplitKinds = (observations: readonly Observation[]): ReadonlySet<string> =>
  new Set(
    [...Map.groupBy(observations, ({ kind }) => kind)]
      .filter(([, ofKind]) => {
        const states = ofKind.map(knowingOf);
        return states.includes('known') && states.includes('not_seen');
      })
      .map(([kind]) => kind),
  );

/** What the items of `not_seen` follow from. */
export interface NotSeenFacts {
  readonly observations: readonly Observation[];
  readonly imported: readonly ImportedSignal[];
  readonly ratings: number;
  /** The day of the answer, YYYY-MM-DD. */
  readonly date: string;
}

type Fact = Pick<NotSeenItem, 'kind' | 'subject' | 'state'> & {
  readonly reason?: string | undefined;
  readonly observed_at: string;
};

function toItem({ kind, subject, state, reason, observed_at }: Fact): NotSeenItem[] {
  const question = kindOf(kind)?.question;
  if (!question) return [];
  const about = subject === undefined ? {} : { subject };
  const words = reason ?? `${stateWords[state].replace(/^./, (first) => first.toUpperCase())}.`;
  return [{ question, kind, ...about, state, reason: words, as_of: observed_at.slice(0, 10) }];
}

/** What was looked for and not seen, each with the reason and the date: by Dossier, by a source of imported facts, among ratings. */
export function toNotSeen({ observations, imported, ratings, date }: NotSeenFacts): NotSeenItem[] {
  const facts = [...observations.filter(isDated), ...imported].filter((one) => knowingOf(one) === 'not_seen');
  const reason = 'No native rating is stored on this service.';
  const ofRatings = { question: 'ratings', kind: 'ratings.native', state: 'not_found', reason, as_of: date };
  return [...facts.flatMap(toItem), ...(ratings === 0 ? [ofRatings as NotSeenItem] : [])];
}
