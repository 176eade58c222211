import { claimMethods } from '../../claim/methods/index.ts';
import { handleParts } from '../../handle.ts';
import { kinds } from '../../kinds/index.ts';
import { namespaceText } from '../../namespace.ts';
import { type DatedObservation, isDated, knowingOf } from '../../observation/observation.ts';
import { firstFew } from '../../text/first-few.ts';
import { named, quoted } from '../../text/markdown-text.ts';
import { counted } from '../../text/plural.ts';
import type { ListingDocument } from '../listing-document.ts';
import { copyLacksSentence } from '../record/reading.ts';
import { inputsText } from './inputs-text.ts';
import { notKnownWords } from './not-known-words.ts';
import { packageText } from './package-text.ts';
import { sourcesFirst } from './snapshot.ts';

type Described = Omit<ListingDocument, 'summary'>;

const day = (time: string) => time.slice(0, 10);

/** Statements about the listing by the operator, in the operator's words. */
const moderated = ({ moderation = [] }: Described) => moderation.map(({ statement }) => statement);

/** That an endpoint did not answer, with the days of the last check and of the first that met no answer; undefined of one that did. */
function deadSentence(one: DatedObservation): string | undefined {
  const { state, observed_at, first_seen_at, changed_from, missed_since } = one;
  const subject = one.subject === undefined ? 'The endpoint' : named(one.subject);
  if (state === 'stale' && knowingOf(one) === 'not_seen') return one.reason;
  if (missed_since !== undefined && knowingOf(one) === 'known')
    return `${subject} last answered on ${day(observed_at)}; no check since ${day(missed_since)} saw it answer.`;
  if (state !== 'unreachable' && state !== 'not_found') return undefined;
  const what = state === 'not_found' ? `${subject} was not there` : `No answer from ${subject}`;
  const since = missed_since ? `; no check since ${day(missed_since)} saw it answer` : '';
  const answered = changed_from ? `; it last answered on ${day(changed_from.seen_until)}` : '';
  return `${what} on ${[...new Set([day(observed_at), day(first_seen_at)])].join(', nor on ')}${answered}${since}.`;
}

const existence: ReadonlySet<string> = new Set(['repository.exists', 'package.exists']);

/** What must be read first: endpoints that gave no answer, and a repository or packages that are not there. */
export const absences = ({ observations }: Pick<ListingDocument, 'observations'>): string[] =>
  observations.filter(isDated).flatMap((one) => {
    if (one.kind === 'endpoint.answers') return deadSentence(one) ?? [];
    const isAbsent = existence.has(one.kind) && knowingOf(one) === 'not_seen' && one.reason;
    return isAbsent ? [`On ${day(one.observed_at)}: ${one.reason}`] : [];
  });

function whatItIs({ handle, title, description, sample, moderation }: Described): string {
  if (moderation?.some(({ action }) => action === 'hide')) return `${handle}.`;
  const named = title && title !== handle ? ` ${quoted(title)}` : '';
  return `${sample ? 'Sample listing. ' : ''}${handle}, in its publisher's words${named}: ${quoted(description)}${/[.!?]$/.test(description) ? '' : '.'}`;
}

function whoPublishes({ handle, state, claim, signals }: Described): string {
  const isProven = signals.imported.some(
    ({ kind, state: found }) => kind === 'namespace.proof' && found === 'observed',
  );
  const { namespace: name } = handleParts(handle);
  const namespace = isProven ? `Published under the ${namespaceText(handle)}` : `Listed under ${name}`;
  if (!claim) return `${namespace}; not claimed on this service.`;
  if (state === 'suspended') return `${namespace}; its claim of ${day(claim.claimed_at)} is suspended.`;
  return `${namespace}; claimed on ${day(claim.claimed_at)}: ${claimMethods[claim.kind].control} was shown, nothing more.`;
}

function howReached({ endpoint, remotes, packages, copy_lacks }: Described): string {
  const more = remotes.length > 1 ? `, ${counted(remotes.length - 1, 'more remote endpoint')}` : '';
  const ways = [
    ...(endpoint ? [`reached at ${named(endpoint)}${more}`] : []),
    ...(!endpoint && remotes[0] ? [`reached at an address of the form ${named(remotes[0].url)}${more}`] : []),
    ...(packages.length > 0 ? [`run from ${firstFew(packages.map(packageText)).join(', ')}`] : []),
  ];
  const unknown = copyLacksSentence(copy_lacks, 'endpoint') ?? copyLacksSentence(copy_lacks, 'package');
  if (ways.length === 0) return unknown?.replace(/\.$/, '') ?? 'No endpoint or package is recorded';
  return `By its record it is ${ways.join(' or ')}`;
}

function asksFor({ remotes, packages }: Described): string {
  const inputs = [...remotes, ...packages].flatMap((one) => inputsText(one.inputs) ?? []);
  return inputs.length > 0 ? ` and ${firstFew(inputs).join(' or ')}` : '';
}

const titleOf = (kind: string) => kinds.find((one) => one.kind === kind)?.title.toLowerCase() ?? kind;
const longestValue = 30;

/** A value that is short enough to be read in a sentence. */
const isTold = ({ value }: DatedObservation) => String(value).length <= longestValue;

/** What Dossier saw last, with the first few short values; that it has never looked only if it has not. */
function checked({ observations }: Described): string {
  const dated = observations.filter(isDated);
  if (dated.length === 0) return 'Dossier has made no observation of what it records.';
  const seen = dated.filter((one) => knowingOf(one) === 'known');
  const last = (of: readonly DatedObservation[]) =>
    day(
      of
        .map(({ observed_at }) => observed_at)
        .sort()
        .at(-1) ?? '',
    );
  if (seen.length === 0) return `Dossier looked on ${last(dated)}, and saw nothing of what it looks for.`;
  const values = seen
    .filter((one) => isTold(one) && day(one.observed_at) === last(seen))
    .map(({ kind, value }) => `${titleOf(kind)} ${value}`);
  return `Last seen by Dossier on ${last(seen)}${values.length > 0 ? `: ${firstFew(values).join(', ')}` : ''}.`;
}

function rated({ signals: { native } }: Described): string {
  if (native.ratings === 0) return 'No native ratings.';
  return `Rated by ${sourcesFirst(native)}.`;
}

/** The ratings have a sentence of their own. */
const notKnown = ({ not_known }: Described) =>
  `Not known: ${not_known
    .filter(({ question }) => question !== 'ratings')
    .map(notKnownWords)
    .join(', ')}.`;

/**
 * One paragraph: what the service is, who publishes it, how it is reached, what it asks for, what is known and what is
 * not. It contains text of the publisher.
 */
export const toSummaryText = (listing: Described): string =>
  [
    ...absences(listing),
    whatItIs(listing),
    ...moderated(listing),
    whoPublishes(listing),
    `${howReached(listing)}${asksFor(listing)}.`,
    checked(listing),
    rated(listing),
    notKnown(listing),
  ].join(' ');
