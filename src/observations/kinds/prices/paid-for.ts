import { z } from 'zod';
import { count, join, own, say, type Words } from '../../../core/words.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import { type NoAnswer, noAnswer, notAsked } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import {
  type BeforeChange,
  defineKind,
  type JoinedPart,
  type PartComparison,
  type ShownFinding,
} from '../../kind.ts';
import { ofRareRemotes, type RemoteFinding } from '../../remotes.ts';
import { hasLess, joinOffers, payeesOnBoth } from './known-on-both.ts';
import { noPayee, quotedOffers, unreadWords } from './offer.ts';
import { type OfferWithPayee, offerInFull, paidOffers, toOffersWithPayees } from './offers.ts';
import { payeesChange, payeesWeight } from './payees-change.ts';

const offersWithPayee = z.array(paidOffers.element.extend({ pay_to: z.string() }));
type PaidFor = z.infer<typeof offersWithPayee>;

const mostShown = 3;
/** The most offers in the details, and the most offers of several parts that are kept together. */
const mostKept = 40;

const withPayee = (offers: Parameters<typeof toOffersWithPayees>[0]): PaidFor =>
  toOffersWithPayees(offers).flatMap(({ pay_to, ...offer }) =>
    pay_to === undefined ? [] : [{ ...offer, pay_to }],
  );

const paidIn = (payment: EndpointAnswer): PaidFor => withPayee(quotedOffers(payment)?.quoted.offers ?? []);

/** The value may be shortened, so the details have the offers too. */
const withOffers = (paid: PaidFor) =>
  paid.length > mostShown && { details: { offers: paid.slice(0, mostKept) } };

/** Networks of one CAIP-2 namespace are taken to share their addresses, as all of eip155 do. */
const namespaceOf = ({ network }: PaidFor[number]) => (network.includes(':') ? network.split(':', 1)[0] : '');

/** Keeps the offers on networks that share their addresses, if these offers pay several addresses. */
const withSeveralPayees = (paid: PaidFor): PaidFor =>
  [...Map.groupBy(paid, namespaceOf).values()]
    .filter((some) => new Set(some.map(({ pay_to }) => pay_to)).size > 1)
    .flat();

function toFinding(endpoint: EndpointAnswer): RemoteFinding<PaidFor> | NoAnswer {
  const paid = paidIn(endpoint);
  if (paid.length === 0) return noPayee(endpoint);
  const again = endpoint.paymentAgain ? paidIn({ ...endpoint, payment: endpoint.paymentAgain }) : [];
  const isOther = payeesChange(paid, again) ?? payeesChange(again, paid);
  if (again.length > 0 && isOther)
    return noAnswer('nothing', own('The endpoint quoted its offers with other payees each time.'));
  const unread = unreadWords(endpoint);
  const value = withSeveralPayees(paid);
  if (value.length > 0)
    return {
      value,
      outcome: 'seen',
      ...withOffers(value),
      ...(unread && { why: unread, rule: 'some', hasMore: true }),
    };
  return unread
    ? notAsked(unread)
    : noAnswer(
        'nothing',
        own('The endpoint quoted no two addresses on networks that share their addresses.'),
      );
}

type StoredPaidFor = BeforeChange<PaidFor> | ShownFinding<PaidFor>;

function statedIn({ value, value_digest, details, is_part }: StoredPaidFor) {
  const kept = value ?? [];
  const shown = offersWithPayee.safeParse(details?.offers).data ?? [];
  const offers = value_digest === undefined || shown.length < kept.length ? kept : shown;
  const isStored = value_digest === undefined || canonicalDigest({ value: offers }) === value_digest;
  return { offers, isStored, isWhole: isStored && !is_part };
}

/** Leaves out payees that are new or gone, because price.pay_to tells these. */
function ofSamePayees(was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>) {
  const { before, after } = payeesOnBoth(statedIn(was), statedIn(now));
  const payeesIn = (all: readonly OfferWithPayee[]) => new Set(all.map(({ pay_to }) => pay_to));
  const both = payeesIn(before).intersection(payeesIn(after));
  const isOfBoth = ({ pay_to }: OfferWithPayee) => both.has(pay_to);
  return [before.filter(isOfBoth), after.filter(isOfBoth)] as const;
}

const areStored = (was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>) =>
  statedIn(was).isStored && statedIn(now).isStored;

function paidForChange(was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>): Words | undefined {
  if (was.value === null) return undefined;
  return areStored(was, now)
    ? payeesChange(...ofSamePayees(was, now))
    : own('who is paid for which offer, or an amount, changed');
}

function comparePaidFor(was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>): PartComparison {
  if (payeesChange(...ofSamePayees(was, now))) return 'differs';
  return hasLess(statedIn(was), statedIn(now)) ? 'less' : 'same';
}

function joinPaidFor(was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>): JoinedPart | undefined {
  const value = withSeveralPayees(withPayee(joinOffers(statedIn(was), statedIn(now))));
  return areStored(was, now) && value.length <= mostKept ? { value, ...withOffers(value) } : undefined;
}

function paidForWords(paid: PaidFor): Words {
  const left = paid.length - mostShown;
  const more = left > 0 ? say`; ${count(left, 'more offer')}` : say``;
  return say`${join(paid.slice(0, mostShown).map(offerInFull), '; ')}${more}`;
}

/** If addresses only change places in a quote, neither price.pay_to nor the price changes. */
export const pricePaidFor = defineKind({
  kind: 'price.paid_for',
  isLocked: true,
  isToldByChange: true,
  isPublishedIfSaid: true,
  question: 'price',
  title: 'Payee of each offer',
  means:
    'The quoted offers, each with the address that it pays, if they name several addresses on networks that share their addresses, as all of eip155 do.',
  doesNotMean: 'It does not say whose addresses they are.',
  value: offersWithPayee,
  say: ({ value }) => paidForWords(value),
  sayChange: (was, now, between) => {
    const change = paidForChange(was, now);
    return change && say`In the quoted price: ${change} (${between})`;
  },
  weighChange: (was, now) => (areStored(was, now) ? payeesWeight(...ofSamePayees(was, now)) : 1),
  comparePart: comparePaidFor,
  joinPart: joinPaidFor,
  method_version: 'price/7',
  ...ofRareRemotes(toFinding),
});
