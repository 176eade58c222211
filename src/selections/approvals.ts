import { hash } from 'node:crypto';
import { type Approval, type PinName, pinNames, type Selection } from '../config/files.ts';
import { commonStart } from '../core/difference/word-difference.ts';
import { day_ms, dayText } from '../core/text.ts';
import { day, dayOf, join, own, quote, say, sentence, toText, type Words } from '../core/words.ts';
import {
  type CriterionAnswer,
  type CriterionName,
  findValueError,
  isCriterionName,
  judge,
  type RequestedCriterion,
} from '../document/criteria/criteria.ts';
import type { Result } from '../document/criteria/criterion.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { isKnown } from '../document/seen.ts';
import type { Listing } from '../listings/listing.ts';
import type { Kind } from '../observations/known/kind.ts';
import { kinds } from '../observations/known/kinds.ts';
import { saidAs } from '../observations/known/malware.ts';
import type { Observation } from '../observations/known/observation.ts';
import { payeesIn } from '../observations/known/prices/offer.ts';
import { priceOffers } from '../observations/known/prices/offers.ts';
import { quotedPayees } from '../observations/known/prices/payees.ts';

/** Undefined for recorded facts. */
const kindOfPin = (pin: PinName): Kind | undefined => kinds.find(({ pinnedAs }) => pinnedAs === pin);

/** States what checks saw at an endpoint. */
export const isSeenPin = (pin: PinName): boolean => kindOfPin(pin) !== undefined;

export type Pinnable = Pick<Listing, 'version' | 'remotes' | 'packages'> &
  Pick<ListingDocument, 'observations'>;

/** Otherwise it could be several parts. */
const asPart = (text: string) => (/\s/.test(text) ? JSON.stringify(text) : text);

/** All that decides what its command starts. */
const textOfPackage = (recorded: Pinnable['packages'][number]) => {
  const { registry_type, registry_base_url, identifier, version, ...rest } = recorded;
  const { runtime, runtime_arguments, arguments: behind, environment } = rest;
  const variables = environment && Object.entries(environment).sort();
  const launch = [runtime, runtime_arguments, behind, variables];
  const isUsual = launch.every((one) => one === undefined);
  return [
    asPart(`${registry_type}:${identifier}`),
    version && asPart(version),
    registry_base_url && `in ${asPart(registry_base_url)}`,
    !isUsual && `started as sha256:${hash('sha256', JSON.stringify(launch))}`,
  ]
    .filter(Boolean)
    .join(' ');
};

const recordedNow = ({ version, remotes, packages }: Pinnable, pin: PinName): string[] => {
  if (pin === 'version') return [version];
  if (pin === 'endpoint') return remotes.map(({ url }) => url);
  return packages.map(textOfPackage);
};

const seenNow = ({ observations }: Pinnable, { kind }: Kind) =>
  observations.filter((one) => one.kind === kind && isKnown(one) && pinnedOf(one).length > 0);

/** A list's digest, or payees of quoted prices. */
const pinnedOf = (one: Observation): string[] =>
  one.kind === priceOffers.kind
    ? quotedPayees([{ observed_at: '', first_seen_at: '', ...one }]).flatMap(({ fact }) =>
        fact.value ? payeesIn(fact.value) : [],
      )
    : [one.value].flat().map(String);

/** After the endpoint. */
const pinText = (one: Observation) => [one.subject ?? '', pinnedOf(one).join(', ')].join(' ').trim();

/** Sorted; none if not recorded or known. */
export function pinnedNow(document: Pinnable, pin: PinName): string[] {
  const kind = kindOfPin(pin);
  return (kind ? seenNow(document, kind).map(pinText) : recordedNow(document, pin)).sort();
}

const recordOf = ({ updated_at, observed_at }: ListingDocument): Words =>
  updated_at === undefined
    ? say`the record as of ${day(observed_at)}`
    : say`the record that was last updated on ${day(updated_at)}`;

const mostNamed = 3;
const longestNamed = 120;

/** Capitals of a 0x address are a checksum. */
const toComparable = (text: string) =>
  text.replace(/\b0x[\da-f]{40}\b/gi, (address) => address.toLowerCase());

/** Without words with which another text begins too. */
function cutToDifference(text: string, others: readonly string[]): string {
  if (text.length <= longestNamed) return text;
  const from = Math.max(
    0,
    ...others.filter((one) => one !== text).map((one) => commonStart(toComparable(text), toComparable(one))),
  );
  const word = from < longestNamed / 2 ? 0 : text.lastIndexOf(' ', from) + 1;
  const end = word + longestNamed;
  return `${word > 0 ? '…' : ''}${text.slice(word, end)}${end < text.length ? '…' : ''}`;
}

/** At most three, each from what differs. */
function listed(texts: readonly string[], others: readonly string[] = []): Words {
  const named = texts.slice(0, mostNamed).map((text) => quote(cutToDifference(text, others)));
  const more = texts.length > mostNamed ? say` and ${texts.length - mostNamed} more` : say``;
  return texts.length === 0 ? own('none') : say`${join(named, ', ')}${more}`;
}

export interface ComparedListing {
  readonly listing: ListingDocument;
  readonly now_ms: number;
}

/** `from` and `to` are of a broken pin. */
export interface ApprovalAnswer {
  readonly criterion: string;
  readonly result: Result;
  readonly fact: Words;
  readonly source: string;
  /** YYYY-MM-DD. */
  readonly as_of: string;
  readonly from?: Words;
  readonly to?: Words;
}

type Pinned = readonly [approval: Approval, pin: PinName, before: readonly string[]];

type PinAnswer = Omit<ApprovalAnswer, 'criterion'>;

const ofRecord = ({ listing }: ComparedListing, result: Result, fact: Words): PinAnswer => ({
  result,
  fact,
  source: listing.origin,
  as_of: dayText(listing.observed_at),
});

const ofCheck = ({ source, observed_at = '' }: Observation, result: Result, fact: Words): PinAnswer => ({
  result,
  fact,
  source,
  as_of: dayText(observed_at),
});

function judgeRecorded(compared: ComparedListing, [{ on }, pin, before]: Pinned): PinAnswer {
  const now = pinnedNow(compared.listing, pin);
  if (before.length === now.length && before.every((text, at) => text === now[at]))
    return ofRecord(compared, 'met', say`The ${own(pin)} is as approved: ${listed(now)}.`);
  const from = listed(before, now);
  const to = listed(now, before);
  const record = say`${recordOf(compared.listing)} has ${to}`;
  const fact = say`Approved on ${dayOf(on)} with ${own(pin)} ${from}; ${record}.`;
  return { ...ofRecord(compared, 'not_met', fact), from, to };
}

const endpointOf = (text: string) => text.split(' ', 1)[0] ?? '';

/** Of several payees, those that are left are approved if one goes. */
const toEach = (text: string): string[] => {
  const endpoint = endpointOf(text);
  const values = text.slice(endpoint.length + 1).split(', ');
  return values.map((value) => toComparable(`${endpoint} ${value}`));
};

/**
 * Broken if one of its endpoints is gone, or a check sees another value. Unknown if its value is not known
 * now.
 */
function judgeSeen(compared: ComparedListing, [{ on }, pin, before]: Pinned, kind: Kind): PinAnswer {
  const recorded = recordedNow(compared.listing, 'endpoint');
  const gone = before.filter((text) => !recorded.includes(endpointOf(text)));
  if (gone.length > 0) {
    const from = listed(gone);
    const to = listed(recorded);
    const record = say`${recordOf(compared.listing)} has endpoint ${to}`;
    const fact = say`Approved on ${dayOf(on)} with ${own(pin)} ${from}; ${record}.`;
    return { ...ofRecord(compared, 'not_met', fact), from, to };
  }
  const found = seenNow(compared.listing, kind);
  const approved = new Set(before.flatMap(toEach));
  const other = found.find((one) => !toEach(pinText(one)).every((each) => approved.has(each)));
  if (other) {
    const seen = pinText(other);
    const from = listed(before, [seen]);
    const to = listed([seen], before);
    const fact = say`Approved on ${dayOf(on)} with ${own(pin)} ${from}; since ${day(other.first_seen_at ?? '')} Dossier sees ${to}.`;
    return { ...ofCheck(other, 'not_met', fact), from, to };
  }
  const missing = before.filter((text) => !found.some(({ subject }) => subject === endpointOf(text)));
  const [one] = found;
  if (missing.length === 0 && one)
    return ofCheck(
      one,
      'met',
      say`The ${own(pin)} is as approved: ${listed(pinnedNow(compared.listing, pin))}.`,
    );
  const fact = say`Approved on ${dayOf(on)} with ${own(pin)} ${listed(missing)}, which Dossier does not know now.`;
  return { ...ofRecord(compared, 'unknown', fact), source: 'Dossier' };
}

const source = 'approvals of the operator of this service';

function judgeEntry({ listing, now_ms }: ComparedListing, approval: Approval | undefined): ApprovalAnswer {
  const about = { criterion: 'approved', source, as_of: listing.evidence_snapshot_date };
  if (!approval)
    return { ...about, result: 'not_met', fact: own('The operator’s file has no approval of this listing.') };
  const { by, on, reason, until } = approval;
  const given = say`Approved on ${dayOf(on)} by ${quote(by)}: ${quote(reason)}`;
  const isOver = until !== undefined && now_ms >= Date.parse(until) + day_ms;
  if (isOver)
    return { ...about, result: 'not_met', fact: say`${given}. The approval ended after ${dayOf(until)}.` };
  return {
    ...about,
    result: 'met',
    fact: say`${given}${until === undefined ? say`` : say`; until ${dayOf(until)}`}.`,
  };
}

/** A report of malicious code ends an approval; without approvals it is only told. */
const judgeReports = ({ listing }: ComparedListing): ApprovalAnswer[] =>
  saidAs(listing.observations, ['malware']).map((report) => ({
    criterion: 'not_reported',
    result: 'not_met',
    fact: sentence(report),
    source: 'Dossier',
    as_of: listing.evidence_snapshot_date,
  }));

function judgeApproval({ approvals }: Selection, compared: ComparedListing): ApprovalAnswer[] {
  if (!approvals) return [];
  const { moderation = [], handle, evidence_snapshot_date } = compared.listing;
  const approval = approvals.find((one) => one.handle === handle);
  const pinned = pinNames.flatMap((pin): Pinned[] => {
    const before = approval?.pins[pin];
    return approval && before ? [[approval, pin, before]] : [];
  });
  const moderated: ApprovalAnswer = {
    criterion: 'not_moderated',
    result: 'not_met',
    fact: own(
      'An action of the operator of this service is in force on the listing, its namespace or its claim.',
    ),
    source: 'actions of the operator of this service',
    as_of: evidence_snapshot_date,
  };
  return [
    judgeEntry(compared, approval),
    ...pinned.map((one) => {
      const [, pin] = one;
      const kind = kindOfPin(pin);
      const judged = kind ? judgeSeen(compared, one, kind) : judgeRecorded(compared, one);
      return { criterion: `pin:${pin}`, ...judged };
    }),
    ...(moderation.length > 0 ? [moderated] : []),
  ];
}

export const isBrokenPin = ({ criterion, result }: Pick<ApprovalAnswer, 'criterion' | 'result'>): boolean =>
  result === 'not_met' && criterion.startsWith('pin:');

/** A broken pin does not, if the selection marks changes. */
export function keepsOut(
  { approvals, unknown, on_change }: Selection,
  answer: Pick<ApprovalAnswer, 'criterion' | 'result'>,
): boolean {
  const { criterion, result } = answer;
  if (criterion === 'not_reported') return approvals !== undefined;
  if (criterion === 'approved' || criterion === 'not_moderated') return result === 'not_met';
  if (criterion.startsWith('pin:')) return isBrokenPin(answer) && on_change !== 'mark';
  return result === 'not_met' || (result !== 'met' && unknown !== 'include');
}

/** An approval admits what its pins name. If `isPinned`, a command starts only the approved version. */
export function letIn({ approvals }: Selection, { handle, remotes, packages }: ListingDocument) {
  if (!approvals) return { remotes, packages, isPinned: false };
  const pins = approvals.find((one) => one.handle === handle)?.pins ?? {};
  const ofEndpoints = pinNames.filter((pin) => pin === 'endpoint' || isSeenPin(pin));
  const endpoints = ofEndpoints.flatMap((pin) => (pins[pin] ?? []).map(endpointOf));
  return {
    isPinned: pins.version !== undefined || pins.package !== undefined,
    remotes: remotes.filter(({ url }) => endpoints.includes(url)),
    packages: packages.filter((one) => pins.package?.includes(textOfPackage(one))),
  };
}

const isKnownCriterion = (sent: Selection['criteria'][number]): sent is RequestedCriterion =>
  isCriterionName(sent.criterion);

/** All, unless `findCriterionFaults` found something. */
export const requestedBy = (selection: Selection): RequestedCriterion[] =>
  selection.criteria.filter(isKnownCriterion);

/** Unknown names and forbidden values. */
export const findCriterionFaults = (selections: readonly Selection[]): string[] =>
  selections.flatMap(({ name, file, criteria: sent }) =>
    sent.flatMap((one) => {
      const fault = isKnownCriterion(one) ? findValueError(one) : `there is no criterion ${one.criterion}`;
      return fault ? [`${file}: ${name}: ${fault}`] : [];
    }),
  );

/** From the file alone, which is all that is known of a private entry. */
const answeredByFile: ReadonlySet<string> = new Set<CriterionName>([
  ...(['has_endpoint', 'has_repository', 'needs_no_secret', 'transport', 'package', 'tag'] as const),
  ...(['namespace_matches_repository_owner', 'endpoint_at_domain'] as const),
]);

const toFileAnswer = (found: CriterionAnswer): CriterionAnswer =>
  answeredByFile.has(found.criterion)
    ? found
    : { ...found, result: 'not_applicable', because: own('the file of the operator cannot state it') };

/** It is in the selection unless something `failed`. */
export function judgeMember(selection: Selection, compared: ComparedListing, isPrivate = false) {
  const found = judge(compared.listing, requestedBy(selection), compared.now_ms);
  const judged = isPrivate ? found.map(toFileAnswer) : found;
  const answers: readonly ApprovalAnswer[] = [
    ...judgeReports(compared),
    ...judgeApproval(selection, compared),
  ];
  return {
    answers,
    judged,
    failed: [
      ...answers
        .filter((answer) => keepsOut(selection, answer))
        .map(({ criterion, result, from, to, fact }) => ({
          criterion,
          result,
          fact: toText(fact),
          ...(from && to && { from: toText(from), to: toText(to) }),
        })),
      ...judged.filter((answer) => keepsOut(selection, answer)),
    ],
  };
}
