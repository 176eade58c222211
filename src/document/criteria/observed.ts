import { dayText } from '../../core/text.ts';
import { code, dayOf, fromDayToDay, onDayBefore, ours, own, say, type Words } from '../../core/words.ts';
import type { ListingPackage } from '../../listings/listing.ts';
import { type FactOf, factsOf, type KindValue, type NamedKind } from '../../observations/kind.ts';
import { endpointAnswers, endpointAvailability } from '../../observations/kinds/endpoint.ts';
import { toolsSurface } from '../../observations/kinds/lists/tools.ts';
import { packageAdvisories, reportedMalware } from '../../observations/kinds/packages/advisories.ts';
import { packageDeprecated, packageExists } from '../../observations/kinds/packages/packages.ts';
import { packageProvenance } from '../../observations/kinds/packages/provenance.ts';
import { packageRepository } from '../../observations/kinds/packages/says.ts';
import { costOf, priceOffers, priceSubject, toolsPlace } from '../../observations/kinds/prices/offers.ts';
import { offerWords } from '../../observations/kinds/prices/words.ts';
import {
  currentOutcome,
  type DatedObservation,
  isDated,
  type Observation,
} from '../../observations/observation.ts';
import { isUnanswered } from '../../observations/outcome.ts';
import { heldSince, payeesIn } from '../../observations/payees.ts';
import { isWithinLimit, readPriceLimit } from '../../observations/prices/assets.ts';
import { isAnotherEachTime, isWhole, type Offer } from '../../observations/prices/offer.ts';
import { readablePackages, toPackage } from '../../observations/published/recorded.ts';
import { factWords, tallyWords, toldWords, unaskedReason, whyNotAsked } from '../seen.ts';
import {
  absentFinding,
  bestOf,
  type ComparedListing,
  type Criterion,
  type CriterionFinding,
  criteriaOf,
  daysSince,
  met,
  notApplicable,
  notMet,
  observedFinding,
  unknown,
  unseenFinding,
  worstOf,
} from './criterion.ts';

/**
 * Returns the observation of one recorded endpoint, of a place there, or of a package; undefined if there is
 * none.
 */
type FactAt = <K extends NamedKind>(kind: K, place?: string) => FactOf<K> | undefined;

const endpointsOf = ({ listing }: ComparedListing): FactAt[] =>
  [...new Set(listing.remotes.map(({ url }) => url))].map((url) => (kind, place) => {
    const named = place === undefined ? url : priceSubject(url, place);
    return factsOf(kind, listing.observations).find(({ subject }) => subject === named);
  });

/** A service that runs from a package has no endpoint to judge. */
const notForPackages = (compared: ComparedListing): CriterionFinding =>
  absentFinding(compared, 'endpoint', notApplicable(own('No remote endpoint is recorded.')));

/**
 * Returns undefined if checks saw no request for a payment by the endpoint or one of its tools. Otherwise
 * returns the observation that shows a price or leaves this open, or `not checked` if there is no
 * observation.
 */
function unseenPriceOf(factOf: FactAt): Observation | 'not checked' | undefined {
  const challenge = factOf(priceOffers);
  const tools = factOf(priceOffers, toolsPlace);
  if (currentOutcome(challenge) !== 'nothing') return challenge ?? 'not checked';
  return tools && !['nothing', 'absent'].includes(currentOutcome(tools) ?? '') ? tools : undefined;
}

function judgeEndpoint(compared: ComparedListing, factOf: FactAt): CriterionFinding {
  const check = factOf(endpointAnswers);
  const tally = factOf(endpointAvailability);
  const [checked_at = '', counted_at] = [check?.observed_at, tally?.observed_at].map(
    (at) => at && dayText(at),
  );
  const isNew = checked_at <= (counted_at ?? '') && (daysSince(checked_at, compared.now_ms) ?? 0) <= 30;
  const often = isNew && check && tally?.value ? tallyWords(tally.value, check) : say``;
  const { unanswered_since: silent } = check ?? {};
  const missed = silent ? say`; no check since ${dayOf(silent)} saw it answer` : say``;
  const alive = say`A recorded endpoint introduced itself to Dossier, or asked it to sign in or to pay${often}${missed}.`;
  const outcome = currentOutcome(check);
  if (check && outcome === 'seen') return observedFinding(check, met(alive));
  if (!(check && outcome && (isUnanswered(outcome) || outcome === 'absent'))) {
    const unseen = unseenFinding(compared, own('Dossier has not seen whether the endpoint answers'), check);
    const why = check && (whyNotAsked(check) ?? unaskedReason(compared.listing, check.subject ?? ''));
    return why ? { ...unseen, fact: say`${unseen.fact} ${why}` } : unseen;
  }
  const fact = say`The endpoint neither introduced itself to Dossier nor asked it to sign in or to pay${often}.`;
  return observedFinding(check, notMet(fact));
}

const observed = criteriaOf('observed');
export const endpointCriteria = {
  endpoint_observed_alive: observed.plain('Endpoint was observed to answer', (compared) => {
    const found = endpointsOf(compared).map((factOf) => judgeEndpoint(compared, factOf));
    return bestOf(found) ?? notForPackages(compared);
  }),
} as const satisfies Record<string, Criterion>;

interface AskedFact<K extends NamedKind> {
  readonly kind: K;
  /** Returns undefined if the value does not answer the question. */
  holds(value: KindValue<K>): boolean | undefined;
  readonly met: Words;
  /** The words in place of `met` if the registry does not have the package. */
  readonly absent?: Words;
  notMet(value: KindValue<K>, factOf: FactAt): Words;
  readonly unseen: Words;
}

function judgePackage<K extends NamedKind>(
  compared: ComparedListing,
  recorded: ListingPackage,
  asked: AskedFact<K>,
): CriterionFinding {
  const { observations, packages } = compared.listing;
  const checked = readablePackages({ packages }).find(
    (one) => one.recorded === toPackage(recorded)?.recorded,
  );
  const factOf: FactAt = (kind) =>
    factsOf(kind, observations).find(({ subject }) => checked && subject === checked.subject);
  const seen = factOf(asked.kind);
  const isSeen = seen && seen.value !== null && currentOutcome(seen) === 'seen';
  const holds = isSeen ? asked.holds(seen.value) : undefined;
  if (!isSeen || holds === undefined) return unseenFinding(compared, asked.unseen, seen);
  if (holds && asked.absent && currentOutcome(factOf(packageExists)) === 'absent')
    return observedFinding(seen, unknown(asked.absent));
  return observedFinding(seen, holds ? met(asked.met) : notMet(asked.notMet(seen.value, factOf)));
}

function ofEachPackage<K extends NamedKind>(
  compared: ComparedListing,
  asked: AskedFact<K>,
): CriterionFinding {
  const { packages } = compared.listing;
  return (
    worstOf(packages.map((one) => judgePackage(compared, one, asked))) ??
    absentFinding(compared, 'package', notApplicable(own('No package is recorded.')))
  );
}

/** The statement of a package about itself proves nothing. */
function statedWords(one: FactOf<typeof packageRepository> | undefined): Words {
  const { result, repository = '' } = (currentOutcome(one) === 'seen' && one?.value) || {};
  if (result === 'match') return own('; the package states the recorded repository as its own');
  return result === 'other'
    ? say`; the package states another repository as its own, ${code(repository)}`
    : say``;
}

/**
 * A report counts even if the newest check did not see it again. Only the newest check can show that there is
 * no report.
 */
function judgeMalware(compared: ComparedListing): CriterionFinding {
  const fact = own('Dossier has not seen whether each recorded package is reported as malicious code');
  const reports = factsOf(packageAdvisories, compared.listing.observations).filter(
    (one) => one.value !== null && reportedMalware(one.value) === 'yes',
  );
  const [first] = reports;
  if (first)
    return observedFinding(
      first,
      notMet(own('OSV lists the recorded version of a package as malicious code.')),
    );
  return ofEachPackage(compared, {
    kind: packageAdvisories,
    holds: (value) => (reportedMalware(value) === 'unknown' ? undefined : true),
    met: own('OSV lists the recorded version of no package as malicious code.'),
    absent: own(
      'OSV lists no report about a recorded package. Its registry does not have the package, so this means nothing.',
    ),
    notMet: () => fact,
    unseen: fact,
  });
}

export const packageCriteria = {
  no_malware_report: observed.plain('No recorded package is reported as malicious code', judgeMalware),
  package_not_deprecated: observed.plain('No recorded package is deprecated', (compared) =>
    ofEachPackage(compared, {
      kind: packageDeprecated,
      holds: ({ deprecated }) => !deprecated,
      met: own('The registries of the recorded packages mark none of them as deprecated or yanked.'),
      notMet: () => own('The registry of a recorded package marks it as deprecated or yanked.'),
      unseen: own('Dossier has not seen whether each recorded package is deprecated'),
    }),
  ),
  package_built_from_repository: observed.plain(
    'Packages have provenance from the recorded repository',
    (compared) =>
      ofEachPackage(compared, {
        kind: packageProvenance,
        holds: ({ result }) => (result === 'not_comparable' ? undefined : result === 'match'),
        met: own('The signed provenance of each recorded package names the recorded repository.'),
        notMet: ({ result, repository }, factOf) =>
          result === 'none'
            ? say`The registry of a recorded package serves no provenance of it${statedWords(factOf(packageRepository))}.`
            : say`The signed provenance of a recorded package names another repository${repository === undefined ? say`` : say`, ${code(repository)}`}.`,
        unseen: own(
          'Dossier has not seen whether the provenance of each recorded package names the recorded repository',
        ),
      }),
  ),
} as const satisfies Record<string, Criterion>;

/** The first places that state a price, and that state a payment without an amount. */
function statedIn({ listing: { observations } }: ComparedListing) {
  const stated = factsOf(priceOffers, observations).flatMap((one) => {
    const cost = one.value && currentOutcome(one) === 'seen' ? costOf(one.value) : undefined;
    // The words say the place.
    const [subject = ''] = one.subject?.split(' in ') ?? [];
    return cost ? [{ one: { ...one, subject }, ...cost }] : [];
  });
  return {
    priced: stated.find(({ isPriced }) => isPriced),
    paid: stated.find(({ isPriced }) => !isPriced),
  };
}

const noneToCompare = own(
  'This endpoint quoted Dossier no price to compare; a call of a tool may still cost.',
);
const noPrice = own('Dossier saw no price; a call of a tool may still cost.');
const unreadable = own(
  'The endpoint asked Dossier for a payment, in a form in which Dossier could read no price.',
);
const unseen = own('Dossier has not seen whether the endpoint quotes a price');

/** Tells whether an endpoint asked for a payment whose price could not be read. */
const isUnreadPrice = (challenge?: FactOf<typeof priceOffers>): challenge is FactOf<typeof priceOffers> =>
  (currentOutcome(challenge) === 'asks' && challenge?.asks_for === 'payment') ||
  (currentOutcome(challenge) === 'seen' && challenge?.value?.priced === 0);

function withoutPrice(
  compared: ComparedListing,
  factOf: FactAt,
  seenNone: CriterionFinding['result'],
): CriterionFinding {
  const stopped = unseenPriceOf(factOf);
  const challenge = factOf(priceOffers);
  if (isUnreadPrice(challenge)) return observedFinding(challenge, unknown(unreadable));
  if (stopped || !challenge)
    return unseenFinding(compared, unseen, typeof stopped === 'string' ? undefined : stopped);
  return observedFinding(challenge, { ...met(noPrice), result: seenNone });
}

const ofEachEndpoint = (
  compared: ComparedListing,
  judge: (factOf: FactAt) => CriterionFinding,
): CriterionFinding => worstOf(endpointsOf(compared).map(judge)) ?? notForPackages(compared);

export const priceCriteria = {
  price_known: observed.plain('A price was seen', (compared) => {
    const { priced } = statedIn(compared);
    if (!priced) {
      // The result is `not_met` only if every endpoint was seen to ask for no payment.
      const found = endpointsOf(compared).map((factOf) => withoutPrice(compared, factOf, 'not_met'));
      return found.find(({ result }) => result === 'unknown') ?? found[0] ?? notForPackages(compared);
    }
    return observedFinding(priced.one, { ...met(priced.words), quoted: factWords(priced.one) });
  }),
  price_at_most: observed.price('Quotes at most {}', (compared, most) => {
    const limit = readPriceLimit(most);
    return ofEachEndpoint(compared, (factOf) => {
      const challenge = factOf(priceOffers);
      if (challenge && currentOutcome(challenge) === 'nothing')
        return observedFinding(challenge, unknown(noneToCompare));
      if (!challenge || currentOutcome(challenge) !== 'seen' || !limit)
        return withoutPrice(compared, factOf, 'unknown');
      const { offers: first = [], cheapest = first } = challenge.value ?? {};
      const withinLimit = ({ amount, network = '', asset = '' }: Offer) =>
        isWhole(amount) ? isWithinLimit({ amount, network, asset }, limit) : undefined;
      const offers = cheapest.map((offer) => ({ offer, within: withinLimit(offer) }));
      const comparable = offers.filter(({ within }) => within !== undefined);
      const decisive = comparable.find(({ within }) => within) ?? comparable[0];
      const none = own('The endpoint quotes no price in this asset that Dossier has read.');
      if (!decisive) return observedFinding(challenge, unknown(none));
      const found = decisive.within
        ? met(say`The endpoint quotes an offer of at most ${ours(most)}.`)
        : notMet(say`Every offer in this asset that Dossier has read asks for more than ${ours(most)}.`);
      return observedFinding(challenge, { ...found, quoted: offerWords(decisive.offer) });
    });
  }),
  no_payment_seen: observed.plain('No request for a payment was seen', (compared) => {
    const { priced, paid } = statedIn(compared);
    const first = priced ?? paid;
    if (first) {
      const quoted = first.isPriced && { quoted: factWords(first.one) };
      return observedFinding(first.one, { ...notMet(first.words), ...quoted });
    }
    return ofEachEndpoint(compared, (factOf) => {
      const challenge = factOf(priceOffers);
      return isUnreadPrice(challenge)
        ? observedFinding(challenge, notMet(own('The endpoint asked Dossier for a payment.')))
        : withoutPrice(compared, factOf, 'met');
    });
  }),
} as const satisfies Record<string, Criterion>;

const maxDays = 3650;

/** `subject` begins a sentence: "The tools that the endpoint lists". */
function judgeUnchanged(one: DatedObservation, days: number, subject: Words): CriterionFinding {
  const when = fromDayToDay(one.first_seen_at, one.observed_at);
  const same = say`${subject} were the same each time that Dossier saw them ${when}`;
  const seen_days = daysSince(one.first_seen_at, Date.parse(one.observed_at)) ?? 0;
  if (seen_days >= days) return observedFinding(one, met(say`${same}.`));
  const before = one.changed_from;
  if (before && before.value !== null) {
    const how = one.kind === toolsSurface.kind ? toldWords(one) : own('');
    const fact = say`${subject} changed: Dossier has seen the present ones since ${dayOf(one.first_seen_at)}, and others last ${onDayBefore(before.seen_until, one.first_seen_at)}.${how}`;
    return observedFinding(one, notMet(fact));
  }
  return observedFinding(one, unknown(say`${same}; this is a shorter time than was asked for.`));
}

/** The fact of offers, with the dates of its payees. */
function asPayees(one: DatedObservation): DatedObservation {
  const { since: first_seen_at, until: seen_until } = heldSince(one, payeesIn);
  const { changed_from, ...fact } = one;
  const before = changed_from && seen_until && { changed_from: { ...changed_from, seen_until } };
  return { ...fact, first_seen_at, ...before };
}

const anotherPayee = (one: DatedObservation): CriterionFinding =>
  observedFinding(
    one,
    unknown(
      own('The endpoint asks to be paid at a different address each time, so no address can stay the same.'),
    ),
  );

/** The endpoint answers, but no longer shows the fact, which may have changed. */
const isHidden = ({ unanswered_since }: Observation, answers: Observation | undefined): boolean =>
  unanswered_since !== undefined && answers?.outcome === 'seen' && answers.missed_since === undefined;

const judgeHidden = (one: DatedObservation, subject: Words): CriterionFinding =>
  observedFinding(
    one,
    unknown(
      say`${subject} were last seen by Dossier on ${dayOf(one.observed_at)}; since then the endpoint has answered without showing them.`,
    ),
  );

/**
 * If an endpoint has no observation of the fact, its finding is unknown if `needs` returns true, and the
 * endpoint is ignored otherwise.
 */
function unchangedFor(
  compared: ComparedListing,
  days: number,
  { kind, subject }: { readonly kind: typeof priceOffers | typeof toolsSurface; readonly subject: Words },
  needs: (factOf: FactAt) => boolean = () => true,
): CriterionFinding {
  const endpoints = endpointsOf(compared);
  if (endpoints.length === 0) return notForPackages(compared);
  const unseen = (one?: Observation) =>
    unseenFinding(compared, say`${subject} are not known to Dossier`, one);
  const findings = endpoints.flatMap((factOf): CriterionFinding[] => {
    const one = factOf(kind);
    if (one && currentOutcome(one) === 'seen' && isDated(one)) {
      const { value } = one;
      const paid = typeof value === 'object' ? value : undefined;
      if (isAnotherEachTime(paid)) return [anotherPayee(one)];
      if (paid?.payees.length === 0) return needs(factOf) ? [unseen(one)] : [];
      if (isHidden(one, factOf(endpointAnswers))) return [judgeHidden(one, subject)];
      return [judgeUnchanged(paid ? asPayees(one) : one, days, subject)];
    }
    const isFree = kind === priceOffers && one?.outcome === 'nothing';
    return (one && !isFree) || needs(factOf) ? [unseen(one)] : [];
  });
  return worstOf(findings) ?? unseen();
}

export const unchangedCriteria = {
  pay_to_unchanged_for: observed.unchangedFor(
    'Addresses to pay unchanged for at least {} day(s)',
    maxDays,
    (compared, days) =>
      unchangedFor(
        compared,
        days,
        { kind: priceOffers, subject: own('The addresses that the endpoint asks to be paid at') },
        (factOf) => unseenPriceOf(factOf) !== undefined,
      ),
  ),
  tools_unchanged_for: observed.unchangedFor(
    'Tools unchanged for at least {} day(s)',
    maxDays,
    (compared, days) =>
      unchangedFor(compared, days, { kind: toolsSurface, subject: own('The tools that the endpoint lists') }),
  ),
} as const satisfies Record<string, Criterion>;
