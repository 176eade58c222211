import { dayText } from '../../core/text.ts';
import {
  code,
  count,
  day,
  dayOf,
  eachCode,
  ended,
  fromDayToDay,
  isEmpty,
  join,
  listed,
  onDayBefore,
  ours,
  own,
  phrase,
  quote,
  say,
  sentence,
  sinceDayOf,
  source,
  Words,
  within,
} from '../../core/words.ts';
import {
  changesPlaces,
  type DatedMove,
  isWeighty,
  leadsToOthers,
  weightOfMove,
  weightyFirst,
} from '../../listings/version-moves.ts';
import type { Outcome } from '../../observations/asked/outcome.ts';
import { type ChangedFact, changeWords, toldChanges } from '../../observations/known/changes/telling.ts';
import type { Kind } from '../../observations/known/kind.ts';
import { accessOauth, accessRequired } from '../../observations/known/kinds/access.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import { recordMoves, versionMoveWords } from '../../observations/known/kinds/moves.ts';
import {
  noticesOfNewest,
  packageNewestVersion,
} from '../../observations/known/kinds/packages/newest-version.ts';
import { sharedKinds } from '../../observations/known/kinds/publisher.ts';
import { registryFirstPublished } from '../../observations/known/kinds/record.ts';
import { kindOf, kinds } from '../../observations/known/kinds.ts';
import { type DatedObservation, missedReason } from '../../observations/known/observation.ts';
import { type ListingDocument, servedAs } from '../listing-document.ts';
import { ratedWords } from '../rated.ts';
import { awayWords, recordedSecrets } from '../record.ts';
import {
  asksPayment,
  between,
  daysSince,
  isKnown,
  type JudgedListing,
  lastChecked,
  reasonOf,
  type SeenFact,
  shareWords,
  sinceThen,
  turnsWords,
} from '../seen.ts';
import { publisherSays, strangerWords } from '../sentences.ts';
import { stale, unique } from '../words.ts';
import { newerWords } from './kept-up.ts';
import { startedOtherwise } from './lines.ts';
import { type NoticeKey, useOf } from './notice-uses.ts';

/** A fact that a buyer should read first. It is no verdict. */
export type StandOut = ReturnType<typeof toStandsOut>[number];

const byCheck = ({ observed_at }: Pick<DatedObservation, 'observed_at'>): Words =>
  source('Dossier', dayText(observed_at));

const lastThere = ({
  changed_from,
  first_seen_at,
}: Pick<DatedObservation, 'changed_from' | 'first_seen_at'>): Words =>
  changed_from && changed_from.value !== null
    ? say`; it was last there ${onDayBefore(changed_from.seen_until, first_seen_at)}, and not ${sinceDayOf(first_seen_at, changed_from.seen_until)}`
    : say``;

/** Without a fact it is about the record. */
type Noticed =
  | Words
  | { readonly text: Words; readonly fact: Pick<DatedObservation, 'kind' | 'subject' | 'response'> };
const partOf = ({ restsOn, existsAs }: Pick<Kind, 'restsOn' | 'existsAs'>) => restsOn ?? existsAs;

function ofKinds(rule: Parameters<NonNullable<Kind['sayStandsOut']>>[0]['rule'], of?: Kind['restsOn']) {
  const isOf = (kind: Kind) => of === undefined || partOf(kind) === of;
  const ofRule = kinds.filter((kind) => [kind.standsOutAs].flat().includes(rule) && isOf(kind));
  return ({ seen, listing }: JudgedListing): Noticed[] => {
    const isOnly = listing.remotes.length < 2;
    return ofRule.flatMap((kind) =>
      seen(kind).flatMap((one): Noticed | [] => {
        const { value } = one;
        const reason = reasonOf(one);
        const by = byCheck(one);
        const absent = rule === 'not_there' && one.outcome === 'absent' && reason;
        const words =
          isKnown(one) && value !== null
            ? kind.sayStandsOut?.({ ...one, value, rule, reason, by, isOnly })
            : absent && say`${phrase(absent)}${by}${lastThere(one)}`;
        return words ? { text: words, fact: one } : [];
      }),
    );
  };
}

const ofContradicting = ofKinds('contradiction');

function deprecated({ listing }: JudgedListing): Words[] {
  const { origin_status, status_message } = listing;
  const said = status_message ? say`; its publisher says ${quote(status_message)}` : say``;
  return origin_status === 'deprecated' ? [say`Deprecated in the registry${source('record')}${said}`] : [];
}

/** A later version than the shown one need not concern its callers, but those who followed it. */
const concerns = (one: DatedMove): boolean =>
  one.later === undefined ? changesPlaces(one) : one.endpoints !== undefined || isWeighty(one);

const moved_days = 365;
const mostMoves = 2;

/** The weightiest first. */
function recentMoves({ listing, known }: JudgedListing): DatedMove[] {
  const { moves = [] } = known(recordMoves)[0]?.value ?? {};
  const recent = moves.filter(
    (one) =>
      concerns(one) && (one.published_at === undefined || daysSince(one.published_at, listing) <= moved_days),
  );
  return weightyFirst(recent, weightOfMove);
}

function moved(judged: JudgedListing): Words[] {
  const { moves = [], left_out = 0 } = judged.known(recordMoves)[0]?.value ?? {};
  const sorted = recentMoves(judged);
  const more = sorted.length - mostMoves + (sorted.length > mostMoves ? left_out : 0);
  const elsewhere = sorted.slice(mostMoves).filter(leadsToOthers).length;
  // The moves that are left out are no weightier than those that are kept.
  const least = left_out > 0 && moves.every(leadsToOthers) ? say`at least ` : say``;
  const toOthers = say`, ${least}${elsewhere} of them to another owner, runtime or scheme`;
  const shown = sorted
    .slice(0, mostMoves)
    .map((one) => sentence(say`${versionMoveWords(one)}${source('record')}`));
  const others =
    more > 0 && say`${count(more, 'more version')} moved something, too${elsewhere > 0 && toOthers}.`;
  return shown.length === 0 ? [] : [join([...shown, others], ' ')];
}

const returned = ({ listing }: JudgedListing): Words[] =>
  listing.away && daysSince(listing.away.until, listing) <= changed_days
    ? [say`Back in the registry: ${awayWords(listing.away)}${source('record')}`]
    : [];

/** As in “Verified by Dossier” or “Dossier-certified”. */
function namesService({ listing }: JudgedListing): Words[] {
  const { title = '', description, status_message = '', [servedAs]: service } = listing;
  if (!service) return [];
  const name = RegExp.escape(service);
  const praise = '(?:verif|certif|approv|audit|vett|trust|recommend|endors|rated|checked|tested)';
  const names = new RegExp(String.raw`\b(?:by|from) (?:the )?${name}\b|\b${name}[\s:-]+${praise}`, 'i');
  return [title, description, status_message].some((text) => names.test(text))
    ? [say`Its publisher names ${ours(service)} in its text; ${ours(service)} verified nothing of that text`]
    : [];
}

function deadWords(one: SeenFact<typeof endpointAnswers>, listing: ListingDocument): Words | undefined {
  const { observed_at, first_seen_at, changed_from, missed_since, unanswered_since } = one;
  const isOnly = listing.remotes.length < 2 || one.subject === undefined;
  const subject = isOnly ? own('the endpoint') : code(one.subject ?? '');
  const { [missedReason]: why } = one;
  const last = why && !isEmpty(why) ? say` (the last check: ${within(phrase(why))})` : say``;
  if (isKnown(one))
    return unanswered_since === undefined
      ? undefined
      : say`No check since ${dayOf(unanswered_since)} saw ${subject} answer${last}; it last answered ${onDayBefore(observed_at, unanswered_since)}`;
  const isLater = dayText(first_seen_at) !== dayText(observed_at);
  const days = say`${isLater && own('at any check ')}${fromDayToDay(first_seen_at, observed_at)}`;
  const whatElse = phrase(reasonOf(one) ?? own('it returned something other than MCP'));
  const ends: Readonly<Partial<Record<Outcome, Words>>> = {
    absent: say`Nothing was at ${subject} ${days}`,
    silent: say`No usable answer from ${subject} ${days}`,
    otherwise: say`${isOnly ? whatElse : say`At ${subject}: ${within(whatElse)}`} (on ${day(observed_at)})`,
  };
  const what = ends[one.outcome];
  if (what === undefined) return undefined;
  const notSince = one.is_stale && lastChecked(listing) === undefined ? own('; not checked since') : say``;
  const since = missed_since
    ? say`; no check ${sinceDayOf(missed_since, observed_at)} saw it answer`
    : notSince;
  const isAnswer = changed_from && changed_from.value !== null;
  const answered = isAnswer && say`; it last answered ${onDayBefore(changed_from.seen_until, first_seen_at)}`;
  return say`${what}${answered}${since}`;
}

const mostDead = 3;

/** Clients follow a redirect, to which Dossier sends nothing. */
function noAnswer(judged: JudgedListing, isRedirect: boolean): Noticed[] {
  const dead = judged.seen(endpointAnswers).flatMap((one) => {
    const text = deadWords(one, judged.listing);
    const { redirects_to: to } = one.response ?? {};
    if (text === undefined || (to !== undefined) !== isRedirect) return [];
    return { text: ended(say`${text}${shareWords(judged, one)}`), to: code(to ?? '') };
  });
  const [first] = judged.seen(endpointAnswers);
  if (!first || dead.length === 0) return [];
  const more = dead.length - mostDead;
  const gave = isRedirect ? own('returned a redirect to another host') : own('gave no usable answer');
  const others = more > 0 && say`${count(more, 'more endpoint')} ${gave}.`;
  const shown = dead.slice(0, mostDead);
  const beyond = isRedirect
    ? say`Clients that follow redirects may be served by ${join(unique(shown.map(({ to }) => to)), ' or ')}; whether that is so, Dossier does not know.`
    : ended(say`Dossier asks from ${ours(first.vantage)}`);
  return [{ text: join([...shown.map(({ text }) => text), others, beyond], ' '), fact: first }];
}

/** An endpoint that answers while its tools cannot be read may hide a change of the tools. */
function unreadTools({ listing, seen }: JudgedListing): Noticed[] {
  const reached = seen(endpointAnswers).filter((one) => isKnown(one) && one.unanswered_since === undefined);
  const answering = new Set(reached.map(({ subject }) => subject));
  return seen(toolsSurface).flatMap((one) => {
    const { unanswered_since, observed_at, subject } = one;
    if (!answering.has(subject)) return [];
    const at = listing.remotes.length < 2 ? say`` : say` of ${code(subject ?? '')}`;
    if (!isKnown(one) || unanswered_since === undefined) return [];
    const text = say`The list of tools${at} could not be read by checks since ${dayOf(unanswered_since)}, although the endpoint answered; it was last read ${onDayBefore(observed_at, unanswered_since)}`;
    return [{ text, fact: one }];
  });
}

const changed_days = 90;

const mostChanges = 3;

/** Of the changes in the last 90 days, the two weightiest and the last. */
function shownChanges(one: ChangedFact, listing: ListingDocument) {
  const all = toldChanges(one).filter(
    ({ first_seen_at }) => daysSince(first_seen_at, listing) <= changed_days,
  );
  return [...all.slice(0, mostChanges - 1), ...all.slice(mostChanges - 1).slice(-1)].toSorted((a, b) =>
    a.first_seen_at.localeCompare(b.first_seen_at),
  );
}

function changed(judged: JudgedListing): Noticed[] {
  const { listing, seen } = judged;
  return kinds.flatMap((kind) =>
    (kind.sayChange ? seen(kind) : []).flatMap((one) => {
      const { subject } = one;
      const said = shownChanges(one, listing).flatMap((change) => {
        const isLast = change.changed_from === one.changed_from;
        const words = changeWords(kind, change, between(change));
        const alternates = isLast && turnsWords(one.changed_from?.turns);
        const isOlder = isLast && isKnown(one) && !isEmpty(sinceThen(judged, one));
        if (!words) return [];
        return say`${words}${alternates}${isOlder && say`; last seen on ${day(one.observed_at)}`}`;
      });
      if (said.length === 0) return [];
      // Several changes of one fact form one notice, so that they leave room for others.
      const text = said.length > 1 ? join(said.map(ended), ' ') : join(said, '');
      const isOnly = listing.remotes.length < 2 || subject === undefined;
      return { text: isOnly ? text : say`At ${code(subject)}: ${text}`, fact: one };
    }),
  );
}

/** A check from before the shown version, or that later ones do not confirm, contradicts no record. */
const accessNow = ({ listing: { updated_at = '' }, known }: JudgedListing) =>
  known(accessRequired).filter((one) => !one.missed_since && one.observed_at >= updated_at);

/** Endpoints that introduced themselves to Dossier without the secrets that the record requires for them. */
const namedSecrets = (judged: JudgedListing) =>
  accessNow(judged).flatMap((one) => {
    const { listing, seen, known } = judged;
    const remote = listing.remotes.find(({ url }) => url === one.subject);
    const secrets = (remote?.inputs ?? []).filter(({ secret, required }) => secret && required);
    const maySignIn = known(accessOauth).some(({ subject }) => subject === one.subject);
    const isLetIn = !one.value && secrets.length > 0 && !asksPayment(seen, one) && !maySignIn;
    return isLetIn && remote ? [{ one, remote, secrets }] : [];
  });

function contradictions(judged: JudgedListing): Noticed[] {
  const { listing } = judged;
  const whichOf = (url: string) => (listing.remotes.length > 1 ? code(url) : own('the endpoint'));
  const letIn = namedSecrets(judged).map(({ one: fact, remote, secrets }) => {
    const names = eachCode(secrets.map(({ name }) => name));
    const text = say`The record asks for a secret (${join(names, ', ')}); ${whichOf(remote.url)} introduced itself to Dossier without a secret${byCheck(fact)}`;
    return { text, fact };
  });
  const asked = accessNow(judged).flatMap((one) => {
    const remote = listing.remotes.find(({ url }) => url === one.subject);
    if (!one.value || !remote || remote.inputs) return [];
    const text = say`The record names no credentials for ${whichOf(remote.url)}, which asked Dossier for some${byCheck(one)}`;
    return { text, fact: one };
  });
  return [...letIn, ...asked, ...startedOtherwise(listing), ...ofContradicting(judged)];
}

/** One notice names everything that is shared, so that a copied listing does not crowd out other notices. */
function shared({ known }: JudgedListing): Words[] {
  const kinds = sharedKinds.filter(({ basis }) => basis !== 'names');
  const found = kinds.flatMap((of) => known(of).map((one) => ({ ...one, of })));
  const said = [...Map.groupBy(found, ({ shared_with = '' }) => shared_with)].flatMap(([handle, all]) => {
    const brief = all.slice(1).filter(({ value }) => value === 1);
    const full = all.flatMap((one) => {
      if (!one.reason || brief.includes(one)) return [];
      // If the basis is not `checks`, the reason already says that it is about records.
      const by = one.of.basis === 'checks' && source('Dossier', dayText(one.observed_at));
      return [sentence(say`${phrase(one.reason)}${by}`)];
    });
    const nouns = listed(brief.map(({ of }) => ours(of.noun)));
    const same = sentence(say`${strangerWords(handle)} has the same ${nouns} too`);
    return isEmpty(nouns) ? full : [...full, same];
  });
  return said.length > 0 ? [join(said, ' ')] : said;
}

function secrets(judged: JudgedListing): Words[] {
  const { needed, optional, ways } = recordedSecrets(judged.listing);
  const takes = optional.length > 0 && count(optional.length, 'optional secret');
  // Secrets that a contradiction names are not named again.
  const named = new Set(namedSecrets(judged).flatMap((one) => one.secrets.map(({ name }) => name)));
  if (needed.every((name) => named.has(name))) return takes ? [say`The record names ${takes}`] : [];
  const { packages } = judged.listing;
  const remotes = judged.listing.remotes.length;
  const asking = ways.filter(({ length }) => length > 0);
  const counts = [...new Set(asking.map(({ length }) => length))].toSorted((a, b) => a - b);
  const isOf = (some: typeof ways) => asking.every((way) => some.includes(way));
  const ofEndpoint =
    remotes === 1 && packages.length > 0 && isOf(ways.slice(0, 1)) && own(' at its endpoint');
  const ofSome = asking.length < ways.length && own(' for some uses');
  const where =
    remotes > 0 && isOf(ways.slice(remotes))
      ? own(' if the service is run from a package')
      : ofEndpoint || ofSome;
  const isOther = new Set(asking.map((names) => names.toSorted().join('\n'))).size > 1;
  const differs = counts.length > 1 ? own(', depending on the use') : own(', not the same for each use');
  const depends = isOther && !ofSome && differs;
  const [least = 0, ...more] = counts;
  const most = count(more.at(-1) ?? least, 'secret');
  return [
    say`The record asks for ${more.length > 0 && say`${least} or `}${most}${where}${depends}${takes && say`, and names ${takes}`}`,
  ];
}

const new_days = 30;

function isNew({ listing, known }: JudgedListing): Words[] {
  return known(registryFirstPublished)
    .filter(({ value }) => daysSince(value, listing) < new_days)
    .map(({ value }) => say`First published ${day(value)}`);
}

/** The rules in the order of their notices (docs/contract.md). */
const rules = {
  malware: ofKinds('malware'),
  other_malware: ofKinds('other_malware'),
  deprecated,
  package_deprecated: ofKinds('package_deprecated'),
  returned,
  moved,
  superseded: ofKinds('superseded'),
  newer: (judged) => newerWords(judged, recentMoves(judged).slice(0, mostMoves)),
  status_message: ({ listing }) => publisherSays(listing),
  names_service: namesService,
  redirected: (judged) => noAnswer(judged, true),
  no_answer: (judged) => noAnswer(judged, false),
  not_there: ofKinds('not_there', 'package'),
  no_repository: ofKinds('not_there', 'repository'),
  stale,
  hidden_text: ofKinds('hidden_text'),
  credential_files: ofKinds('credential_files'),
  changed,
  unread_tools: unreadTools,
  contradiction: contradictions,
  shared,
  package_version: ofKinds('package_version'),
  other_version: ({ known }) =>
    known(packageNewestVersion).flatMap((fact) =>
      noticesOfNewest(fact, byCheck(fact)).map(({ text }) => ({ text, fact })),
    ),
  advisories: ofKinds('advisories'),
  secrets,
  ratings: ({ listing }) => ratedWords(listing.signals.native),
  new: isNew,
} satisfies Record<NoticeKey, (judged: JudgedListing) => Noticed[]>;
const standOutKeys = Object.keys(rules) as NoticeKey[];

export const toStandsOut = (judged: JudgedListing) =>
  standOutKeys.flatMap((key) =>
    rules[key](judged).map((one) => {
      const { text, fact } = one instanceof Words ? { text: one } : one;
      const kind = fact && kindOf(fact.kind);
      return { key, text: ended(text), anchor: useOf({ key }).anchor, fact, of: kind && partOf(kind) };
    }),
  );
