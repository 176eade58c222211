import { claimMethods } from '../../claim/methods/index.ts';
import { handleParts } from '../../handle.ts';
import { kinds } from '../../kinds/index.ts';
import { namespaceText } from '../../namespace.ts';
import { type Observation, valueStates } from '../../observation/observation.ts';
import { firstFew } from '../../text/first-few.ts';
import { counted } from '../../text/plural.ts';
import type { ListingDocument } from '../listing-document.ts';
import { inputsText } from './inputs-text.ts';
import { notKnownWords } from './not-known-words.ts';
import { packageText } from './package-text.ts';
import { sourcesFirst } from './snapshot.ts';

type Described = Omit<ListingDocument, 'summary'>;

const day = (time: string) => time.slice(0, 10);

/** Statements about the listing by the operator, in the operator's words. */
const moderated = ({ moderation = [] }: Described) => moderation.map(({ statement }) => statement);

function whatItIs({ handle, title, description, sample, moderation }: Described): string {
  if (moderation?.some(({ action }) => action === 'hide')) return `${handle}.`;
  const named = title && title !== handle ? `${title} (${handle})` : handle;
  return `${sample ? 'Sample listing. ' : ''}${named}, in its publisher's words: “${description}”${/[.!?]$/.test(description) ? '' : '.'}`;
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

function howReached({ endpoint, remotes, packages }: Described): string {
  const more = remotes.length > 1 ? `, ${counted(remotes.length - 1, 'more remote endpoint')}` : '';
  const ways = [
    ...(endpoint ? [`reached at ${endpoint}${more}`] : []),
    ...(packages.length > 0 ? [`run from ${firstFew(packages.map(packageText)).join(', ')}`] : []),
  ];
  return ways.length > 0 ? `By its record it is ${ways.join(' or ')}` : 'No endpoint or package is recorded';
}

function asksFor({ remotes, packages }: Described): string {
  const inputs = [...remotes, ...packages].flatMap((one) => inputsText(one.inputs) ?? []);
  return inputs.length > 0 ? ` and ${firstFew(inputs).join(' or ')}` : '';
}

const titleOf = (kind: string) => kinds.find((one) => one.kind === kind)?.title.toLowerCase() ?? kind;
const longestValue = 30;

/** A value that is short enough to be read in a sentence. */
const isTold = ({ value, state }: Observation) =>
  valueStates.includes(state) && value !== null && String(value).length <= longestValue;

/** The last check, with the first few short values that it found. */
function checked({ observations }: Described): string {
  const seen = observations.filter(({ state }) => valueStates.includes(state));
  const last = seen
    .map(({ observed_at }) => observed_at)
    .sort()
    .at(-1);
  if (!last) return 'Dossier has made no observation of what it records.';
  const values = seen.filter(isTold).map(({ kind, value }) => `${titleOf(kind)} ${value}`);
  return `Last checked by Dossier on ${day(last)}: ${firstFew(values).join(', ') || 'it answered'}.`;
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
    whatItIs(listing),
    ...moderated(listing),
    whoPublishes(listing),
    `${howReached(listing)}${asksFor(listing)}.`,
    checked(listing),
    rated(listing),
    notKnown(listing),
  ].join(' ');
