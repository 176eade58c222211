import { asMembers } from '../../core/json.ts';
import { coded, codedList, counted, day, quoted, withoutStop } from '../../core/text.ts';
import { ours, toText } from '../../core/words.ts';
import { versionBefore } from '../../observations/kinds/package-versions.ts';
import { kinds } from '../../observations/kinds.ts';
import type { DatedObservation } from '../../observations/observation.ts';
import type { Outcome } from '../../observations/outcome.ts';
import type { ListingDocument } from '../listing-document.ts';
import { recordedSecrets } from '../record.ts';
import {
  asksPayment,
  daysSince,
  isKnown,
  type Judged,
  lastChecked,
  reasonOf,
  signalValue,
  sinceThen,
  tallyOf,
  tallyText,
} from '../seen.ts';
import { ratingParts, sharedWords } from '../sentences.ts';
import { joinCounts } from '../words.ts';

/** A fact that a buyer should read first: no verdict, only what is not so for most listings. */
export type StandOut = ReturnType<typeof toStandsOut>[number];

const checked = ({ observed_at }: DatedObservation) => `(Dossier, ${day(observed_at)})`;

function deprecated({ listing, known }: Judged): string[] {
  const said = listing.status_message ? `; its publisher says ${quoted(listing.status_message)}` : '';
  const packages = known('package.deprecated').filter(({ value }) => value === true);
  return [
    ...(listing.origin_status === 'deprecated' ? [`Deprecated in the registry (record)${said}.`] : []),
    ...packages.map((one) => {
      const { message } = asMembers(one.details);
      const words = message ? `: ${quoted(String(message))}` : '';
      const registry = one.subject?.startsWith('pypi:') ? 'PyPI' : 'npm';
      return `${registry} marks ${coded(one.subject ?? '')} as deprecated ${checked(one)}${words}.`;
    }),
  ];
}

const superseded = ({ known }: Judged): string[] =>
  known('repository.superseded_by')
    .filter(({ details }) => !details?.isThis)
    .map(
      (one) =>
        `The recorded repository names ${coded(String(one.value))} in place of this listing ${checked(one)}.`,
    );

const statusMessage = ({ listing: { origin_status, status_message } }: Judged): string[] =>
  origin_status === 'active' && status_message
    ? [`Its publisher says in the registry (record): ${quoted(status_message)}.`]
    : [];

const stale = ({ listing }: Judged): string[] => {
  const date = lastChecked(listing);
  return date === undefined ? [] : [`No observation is newer than ${date}.`];
};

const deadWords: Readonly<Partial<Record<Outcome, (subject: string) => string>>> = {
  absent: (subject) => `Nothing was at ${subject}`,
  silent: (subject) => `No answer from ${subject}`,
  otherwise: (subject) => `Something else than MCP was returned by ${subject}`,
};

/** That an endpoint did not answer, with the days of the last check and of the first that met no answer; undefined of one that did. */
function deadText(one: DatedObservation, listing: ListingDocument): string | undefined {
  const { observed_at, first_seen_at, changed_from, missed_since, unanswered_since } = one;
  const subject =
    listing.remotes.length < 2 || one.subject === undefined ? 'the endpoint' : coded(one.subject);
  if (isKnown(one))
    return (
      unanswered_since &&
      `No check since ${day(unanswered_since)} saw ${subject} answer; it last answered on ${day(observed_at)}`
    );
  const what = deadWords[one.outcome]?.(subject);
  if (what === undefined) return undefined;
  const notSince = one.is_stale && lastChecked(listing) === undefined ? '; not checked since' : '';
  const since = missed_since ? `; no check since ${day(missed_since)} saw it answer` : notSince;
  const isAnswer = changed_from && changed_from.value !== null;
  const answered = isAnswer ? `; it last answered on ${day(changed_from.seen_until)}` : '';
  return `${what} on ${[...new Set([day(observed_at), day(first_seen_at)])].join(', nor on ')}${answered}${since}`;
}

function noAnswer(judged: Judged): string[] {
  const dead = judged.seen('endpoint.answers').flatMap((one) => {
    const text = deadText(one, judged.listing);
    if (text === undefined) return [];
    const tally = tallyOf(judged, one);
    return [`${text}${tally ? tallyText(tally, one) : ''}. Dossier asks from ${one.vantage}.`];
  });
  const [first, ...others] = dead;
  if (first === undefined) return [];
  const more = others.length > 0 ? ` The same is so of ${counted(others.length, 'more endpoint')}.` : '';
  return [`${first}${more}`];
}

/** Repositories that are there and hold nothing, or are elsewhere, are said with those that are not there. */
const isElsewhere = ({ kind, value }: DatedObservation) => kind === 'repository.exists' && value !== 'there';

const notThere = ({ seen }: Judged): string[] =>
  ['package.exists', 'repository.exists', 'endpoint.dns'].flatMap((kind) =>
    seen(kind)
      .filter((one) => reasonOf(one) && (isKnown(one) ? isElsewhere(one) : one.outcome === 'absent'))
      .map((one) => `${reasonOf(one)} ${checked(one)}.`),
  );

const changed_days = 90;

const between = ({ changed_from, first_seen_at }: DatedObservation) =>
  `between ${day(changed_from?.seen_until ?? '')} and ${day(first_seen_at)}`;

function changed(judged: Judged): string[] {
  const { listing, known } = judged;
  return kinds.flatMap(({ kind, sayChange }) =>
    (sayChange ? known(kind) : []).flatMap((one) => {
      const { changed_from, first_seen_at, subject } = one;
      if (!changed_from || daysSince(first_seen_at, listing) > changed_days) return [];
      if (changed_from.value === null && changed_from.outcome !== 'nothing') return [];
      const words = sayChange?.(changed_from, one, ours(between(one)));
      if (!words) return [];
      const said = toText(words);
      const text = sinceThen(judged, one) ? `${said}; last seen on ${day(one.observed_at)}` : said;
      return [
        listing.remotes.length < 2 || subject === undefined ? `${text}.` : `At ${coded(subject)}: ${text}.`,
      ];
    }),
  );
}

function contradictions({ listing, seen, known }: Judged): string[] {
  const ofAccess = known('auth.required').flatMap((one) => {
    const remote = listing.remotes.find(({ url }) => url === one.subject);
    if (!remote) return [];
    const secrets = (remote.inputs ?? []).filter(({ secret, required }) => secret && required);
    const which = listing.remotes.length > 1 ? coded(remote.url) : 'the endpoint';
    const maySignIn = known('auth.oauth').some(({ subject }) => subject === one.subject);
    if (one.value === false && secrets.length > 0 && !asksPayment(seen, one) && !maySignIn)
      return [
        `The record asks for a secret (${secrets.map(({ name }) => coded(name)).join(', ')}); ${which} let Dossier in without any when asked what it is ${checked(one)}.`,
      ];
    return one.value === true && !remote.inputs
      ? [`The record names no credentials; ${which} asked Dossier for some ${checked(one)}.`]
      : [];
  });
  const ofSource = known('package.provenance')
    .filter(({ value }) => value === 'other')
    .map((one) => {
      const { repository } = asMembers(one.details);
      const other = typeof repository === 'string' ? coded(repository) : 'another repository';
      return `By its signed provenance ${coded(one.subject ?? 'the package')} was built from ${other}, not from the recorded repository ${checked(one)}.`;
    });
  return [...ofAccess, ...ofSource];
}

/** One sentence for whatever is the same: a publisher that copies everything takes no more room. A word in common shows nothing. */
function shared({ listing }: Judged): string[] {
  const found = Object.entries(sharedWords).flatMap(([name, [, , what]]) => {
    const kind = `shared.${name}`;
    const one = listing.signals.imported.find((signal) => signal.kind === kind && signal.outcome === 'seen');
    return one && what ? [{ ...one, what }] : [];
  });
  const [first, ...others] = found;
  if (!first?.reason) return [];
  const isChecked = /^shared\.(?:tools|pay_to)$/.test(first.kind);
  // That it is the record which says so is in the words of the others.
  const source = isChecked ? ` (Dossier, ${day(first.observed_at)})` : '';
  const names = new Intl.ListFormat('en').format(others.map(({ what }) => what));
  const more = names && ` Others share ${names}.`;
  return [`${withoutStop(first.reason)}${source}.${more}`];
}

/** Builds that publish to npm without an account of their own: to begin with one is no surprise. */
const builds = ['GitHub Actions', 'GitLab CI/CD', 'CircleCI'];

function packageVersion({ known }: Judged): string[] {
  const said = (
    kind: string,
    sentence: (now: string, was: string, of: [string, string]) => string | undefined,
  ) =>
    known(kind).flatMap((one) => {
      const before = versionBefore(one);
      if (!before) return [];
      const versions: [string, string] = [coded(String(one.as_seen?.version)), coded(before.version)];
      const text = sentence(String(one.value), before.value, versions);
      return text === undefined ? [] : [`Of ${coded(one.subject ?? '')}, ${text} ${checked(one)}.`];
    });
  return [
    ...said('package.install_scripts', (now, was, [version, before]) =>
      now === 'none'
        ? undefined
        : now === was
          ? `version ${version} names another ${codedList(now)} than version ${before} before it; npm runs it at installation`
          : `version ${version} names ${codedList(now)}, which npm runs at installation; version ${before} before it names ${was === 'none' ? 'none' : codedList(was)}`,
    ),
    ...said('package.published_by', (now, was, [version, before]) =>
      builds.includes(now)
        ? undefined
        : `version ${version} was published by ${coded(now)}, version ${before} before it by ${coded(was)}`,
    ),
  ];
}

const hiddenText = ({ listing, known }: Judged): string[] =>
  known('tools.hidden_text')
    .filter(({ value }) => Number(value) > 0)
    .map((one) => {
      const at = listing.remotes.length < 2 ? '' : ` at ${coded(one.subject ?? '')}`;
      return `Texts for models${at} have ${counted(Number(one.value), 'character')} that people cannot see ${checked(one)}.`;
    });

const advisories = ({ known }: Judged): string[] =>
  known('package.advisories')
    .filter(({ value }) => Number(value) > 0)
    .map(
      (one) =>
        `${counted(Number(one.value), 'advisory')} about the recorded version of ${coded(one.subject ?? 'the package')} ${checked(one)}.`,
    );

function secrets(judged: Judged): string[] {
  const { all, needed } = recordedSecrets(judged.listing);
  if (needed.length === 0)
    return all.length > 0 ? [`The record names ${counted(all.length, 'optional secret')}.`] : [];
  // A contradiction names them.
  return contradictions(judged).some((text) => text.startsWith('The record asks'))
    ? []
    : [`The record asks for ${counted(needed.length, 'secret')}.`];
}

function rated({ listing }: Judged): string[] {
  const { native } = listing.signals;
  if (native.ratings === 0) return [];
  const outcomes = joinCounts(native.independent.source_outcomes, (outcome, count) => `${count} ${outcome}`);
  const { from, apart } = ratingParts(native);
  const said = outcomes ? `${from} (${outcomes})` : from;
  return [`Rated by ${[said, ...apart].join('; ')}.`];
}

const new_days = 30;

function isNew({ listing }: Judged): string[] {
  const first = signalValue(listing, 'registry.first_published');
  const isRecent = typeof first === 'string' && daysSince(first, listing) < new_days;
  return isRecent ? [`First published ${day(first)}.`] : [];
}

/** In the order in which they are said (docs/contract.md). */
const rules = {
  deprecated,
  superseded,
  status_message: statusMessage,
  no_answer: noAnswer,
  not_there: notThere,
  stale,
  changed,
  contradiction: contradictions,
  shared,
  hidden_text: hiddenText,
  package_version: packageVersion,
  advisories,
  secrets,
  ratings: rated,
  new: isNew,
} as const satisfies Record<string, (judged: Judged) => string[]>;
const standOutKeys = Object.keys(rules) as (keyof typeof rules)[];

/** The page of the listing that has more of it. */
const anchors: Partial<Record<keyof typeof rules, 'history' | 'ratings'>> = {
  no_answer: 'history',
  changed: 'history',
  ratings: 'ratings',
};

/** What stands out of a listing, in the published order. */
export const toStandsOut = (judged: Judged) =>
  standOutKeys.flatMap((key) => rules[key](judged).map((text) => ({ key, text, anchor: anchors[key] })));
