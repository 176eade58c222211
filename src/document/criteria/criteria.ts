import { isEmpty, join, listed, ours, own, say, toText, type Words } from '../../core/words.ts';
import { accessRequired } from '../../observations/known/kinds/access.ts';
import { toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import { packageExists } from '../../observations/known/kinds/packages/packages.ts';
import { repositoryExists } from '../../observations/known/kinds/repository.ts';
import { currentOutcome, type Observation } from '../../observations/known/observation.ts';
import { readPriceLimit } from '../../observations/known/prices/assets.ts';
import { type AnswerWords, type ListingAnswer, lineWords, standOutsOf } from '../answers/answers.ts';
import { type LineName, lineNames } from '../answers/lines.ts';
import {
  findings,
  keysOf,
  type ListedFinding,
  listedFindings,
  unknownName,
  useOf,
} from '../answers/notice-uses.ts';
import type { ListingDocument } from '../listing-document.ts';
import { factTitle, unique } from '../words.ts';
import {
  type Criterion,
  type CriterionValue,
  criteriaOf,
  type JudgedResult,
  noEndpoint,
  noPackage,
  type ReasonedResult,
  type Result,
  type Row,
  resultTexts,
  unknown,
} from './criterion.ts';
import { nativeCriteria } from './native.ts';
import { observedCriteria } from './observed.ts';
import { recordedCriteria } from './recorded.ts';

const plain = { ...recordedCriteria, ...observedCriteria };
const isPlain = (name: string): name is keyof typeof plain => Object.hasOwn(plain, name);

/** The facts that tell of each of these. */
const factsBy = {
  tools: toolsSurface,
  package_there: packageExists,
  repository: repositoryExists,
  credentials: accessRequired,
};

const findingsByListing = new WeakMap<ListingDocument, ReadonlySet<string | undefined>>();

/** Of all findings, one reading of what stands out. */
function findingsOf(listing: ListingDocument) {
  const known =
    findingsByListing.get(listing) ?? new Set(standOutsOf(listing).map((one) => useOf(one).finding));
  findingsByListing.set(listing, known);
  return known;
}

/** Not met by what stands out alone; met only if what tells of it is known. */
function judgeFinding(listing: ListingDocument, finding: ListedFinding, now_ms: number): JudgedResult {
  if (findingsOf(listing).has(finding)) return 'not_met';
  const { by, ...more } = findings[finding];
  if (typeof by === 'string' && isPlain(by)) {
    const judged = plain[by].judge(listing, 'value' in more ? more.value : undefined, now_ms);
    return judged === 'not_met' && 'value' in more ? 'met' : judged;
  }
  const names = [by].flat().map((one) => factsBy[one].kind);
  const facts = listing.observations.filter(({ kind }) => names.some((name) => name === kind));
  const isRead = (one: Observation) =>
    one.missed_since === undefined && /^(?:seen|nothing|absent)$/.test(currentOutcome(one) ?? '');
  if (facts.length === 0) return /^package/.test(names[0] ?? '') ? noPackage : noEndpoint;
  const unread = unique(facts.flatMap((one) => (isRead(one) ? [] : ours(factTitle(one.kind)))));
  return unread.length === 0
    ? 'met'
    : unknown(say`not checked, or not seen by the newest check: ${listed(unread)}`);
}

const all = {
  ...plain,
  no_finding: criteriaOf('observed')(
    'Nothing stands out that --fail-on {} finds',
    { kind: 'choice', of: listedFindings },
    keysOf,
    judgeFinding,
  ),
  ...nativeCriteria,
};

export type CriterionName = keyof typeof all;

export const criteria: Readonly<Record<CriterionName, Criterion>> = all;

export const criterionNames = Object.keys(criteria) as [CriterionName, ...CriterionName[]];

export const isCriterionName = (name: string): name is CriterionName => Object.hasOwn(criteria, name);

export interface RequestedCriterion {
  readonly criterion: CriterionName;
  readonly value?: CriterionValue;
}

export type CriterionAnswer = RequestedCriterion & Pick<ReasonedResult, 'result'> & Partial<ReasonedResult>;

/** Undefined if the criterion accepts the value. */
export function findValueError({ criterion, value }: RequestedCriterion): string | undefined {
  const { takes } = criteria[criterion];
  if (takes.kind === 'nothing') return value === undefined ? undefined : `${criterion} takes no value`;
  if (takes.kind === 'number') {
    const isWhole = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= takes.max;
    return isWhole ? undefined : `${criterion} takes a whole number from 1 to ${takes.max}`;
  }
  if (takes.kind === 'tag')
    return typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{0,39}$/.test(value)
      ? undefined
      : `${criterion} takes a tag; see list_tags`;
  if (takes.kind === 'price')
    return typeof value === 'string' && readPriceLimit(value)
      ? undefined
      : `${criterion} takes a price such as "0.01 USDC", or a whole number and a CAIP-19 asset`;
  const isOne = typeof value === 'string' && takes.of.includes(value);
  return isOne ? undefined : `${criterion} takes one of ${takes.of.join(', ')}`;
}

export const criterionText = ({ criterion, value }: RequestedCriterion): string =>
  criteria[criterion].label.replace('(s)', value === 1 ? '' : 's').replace('{}', () => String(value ?? ''));

/** In the order of the request, without a total. */
export const judge = (
  listing: ListingDocument,
  requested: readonly RequestedCriterion[],
  now_ms: number,
): CriterionAnswer[] =>
  requested.map((one) => {
    const judged = criteria[one.criterion].judge(listing, one.value, now_ms);
    return { ...one, ...(typeof judged === 'string' ? { result: judged } : judged) };
  });

export function rowsOf({ criterion, value }: RequestedCriterion): readonly Row[] {
  const { rows } = criteria[criterion];
  return typeof rows === 'function' ? rows(value) : rows;
}

/** A line without facts is not known; a criterion that does not apply has no rows. */
export function showWhy(
  answer: ListingAnswer,
  judged: readonly CriterionAnswer[],
  always: readonly Row[] = [],
): Pick<AnswerWords, 'stands_out' | 'lines'> {
  const applied = judged.filter(({ result }) => result !== 'not_applicable');
  const reasons = new Set(judged.flatMap(({ because = own('') }) => toText(because) || []));
  // A line decides nothing in which nothing is known, or what the reason of a result says.
  const isShown = (row: Row) =>
    answer.lines[row as LineName]?.some(({ gap, text }) => gap === undefined && !reasons.has(toText(text))) ??
    true;
  const rows: ReadonlySet<Row> = new Set([
    ...always.filter((row) => reasons.size === 0 || isShown(row)),
    ...applied.flatMap((one) => rowsOf(one).filter((row) => isEmpty(one.because ?? own('')) || isShown(row))),
    // No line has what was not seen of late.
    ...(judged.some(({ result }) => result === 'unknown') ? (['stale'] as const) : []),
  ]);
  const lines = lineNames.filter((line) => rows.has(line)).map((line) => [line, answer.lines[line]] as const);
  return {
    stands_out: answer.standsOut.filter(({ key }) => rows.has(key)).map(({ text }) => text),
    lines: Object.fromEntries(
      lines.map(([line, facts]) => [line, facts.length > 0 ? lineWords(facts) : own('Not known.')]),
    ),
  };
}

/** About the versions on record. */
const ofPackages = /^(?:no_malware_report|no_advisory|package_)/;

const plainName = ({ criterion, value }: RequestedCriterion): string =>
  criterion === 'no_finding' ? String([findings[value as ListedFinding].by].flat()[0]) : criterion;

/** `ofVersion`: of another version than the recorded one. */
interface AskedBeside {
  readonly formerly?: unknown;
  readonly ofVersion?: Readonly<Partial<Record<string, Result>>> | undefined;
  readonly beside?: Words | undefined;
}

/** Of what was asked for, where the facts of the listing are about something else. */
export function ofAsked(one: CriterionAnswer, { formerly, ofVersion, beside = say`` }: AskedBeside) {
  const name = plainName(one);
  const unknown = (because: Words) => ({ ...one, result: 'unknown' as const, because });
  if (formerly) return unknown(own('the record that is shown does not name what was asked for'));
  const isAboutIt = ofPackages.test(name) && one.result !== 'not_applicable';
  if (!isAboutIt || !(ofVersion || !isEmpty(beside))) return one;
  const result = ofVersion ? (ofVersion[name] ?? 'unknown') : one.result;
  if (result === 'unknown' || (!isEmpty(beside) && result === 'met'))
    return unknown(own('not known of what was asked for'));
  return { ...one, result, because: say`` };
}

/** What `--fail-on` finds, and is not known of what was asked for; `kind`: that of its reference. */
export const unknownFindings = (
  listing: ListingDocument,
  { kind, ...asked }: AskedBeside & { readonly kind: string | undefined },
): string[] => {
  const isAsked = (value: ListedFinding) => {
    const name = plainName({ criterion: 'no_finding', value });
    if (kind === 'package') return !/^(?:endpoint_|no_payment_)/.test(name);
    return !ofPackages.test(name) || !/^(?:endpoint|host)$/.test(kind ?? '');
  };
  const now_ms = Math.max(Date.parse(listing.evidence_snapshot_date), Date.parse(listing.observed_at));
  return listedFindings.filter(isAsked).flatMap((value) => {
    const { by } = findings[value];
    const isPart = unknownName(value) !== value && typeof by === 'string' && isPlain(by);
    const [one] = judge(listing, [isPart ? { criterion: by } : { criterion: 'no_finding', value }], now_ms);
    const isUnknown =
      one && !(asked.formerly && one.result === 'not_met') && ofAsked(one, asked).result === 'unknown';
    return isUnknown ? unknownName(value) : [];
  });
};

const shownWhy = (answer: ListingAnswer, one: CriterionAnswer): Words[] => {
  const { stands_out, lines } = showWhy(answer, [one]);
  return [...stands_out, ...Object.values(lines)];
};

/** `Claimed: met. <its rows>` */
export function whyWords(answer: ListingAnswer, one: CriterionAnswer): Words {
  const { because = say`` } = one;
  const result = say`${ours(resultTexts[one.result].toLowerCase())}${!isEmpty(because) && say` (${because})`}`;
  return join([say`${ours(criterionText(one))}: ${result}.`, ...shownWhy(answer, one)], ' ');
}

/** What a filter asks for and the listing lacks is said by the fact alone. */
export function lackWords(answer: ListingAnswer, one: CriterionAnswer): Words {
  const why = one.result === 'not_met' ? shownWhy(answer, one) : [];
  return why.length > 0 ? join(why, ' ') : whyWords(answer, one);
}

export const defaultCriteria: readonly RequestedCriterion[] = [
  { criterion: 'active' },
  { criterion: 'endpoint_at_domain' },
  { criterion: 'nothing_shared' },
  { criterion: 'needs_no_secret' },
  { criterion: 'endpoint_observed_alive' },
  { criterion: 'price_known' },
  { criterion: 'tools_unchanged_for', value: 30 },
  { criterion: 'claimed' },
  { criterion: 'native_ratings_at_least', value: 1 },
];
