import { z } from 'zod';
import { count, join, own, say, type Words } from '../../../core/words.ts';
import { type NoAnswer, noAnswer, notAsked } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { type BeforeChange, defineKind, type ShownFinding } from '../../kind.ts';
import { ofRareRemotes, type RemoteFinding } from '../../remotes.ts';
import { noPayee, quotedOffers, unreadWords } from './offer.ts';
import { offerInFull, paidOffers, toOffersWithPayees } from './offers.ts';
import { payeesChange, payeesWeight } from './payees-change.ts';

const offersWithPayee = z.array(paidOffers.element.extend({ pay_to: z.string() }));
type PaidFor = z.infer<typeof offersWithPayee>;

function paidIn(payment: EndpointAnswer): PaidFor {
  const { offers = [] } = quotedOffers(payment)?.quoted ?? {};
  return toOffersWithPayees(offers).flatMap(({ pay_to, ...offer }) =>
    pay_to === undefined ? [] : [{ ...offer, pay_to }],
  );
}

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
    return { value, outcome: 'seen', ...(unread && { why: unread, rule: 'some', hasMore: true }) };
  return unread
    ? notAsked(unread)
    : noAnswer(
        'nothing',
        own('The endpoint quoted no two addresses on networks that share their addresses.'),
      );
}

/** price.pay_to tells which payees are new or gone. */
function ofSamePayees(was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>): [PaidFor, PaidFor] {
  const before = was.value ?? [];
  const payeesIn = (all: PaidFor) => new Set(all.map(({ pay_to }) => pay_to));
  const both = payeesIn(before).intersection(payeesIn(now.value));
  const isOfBoth = ({ pay_to }: PaidFor[number]) => both.has(pay_to);
  return [before.filter(isOfBoth), now.value.filter(isOfBoth)];
}

const isShort = (was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>) =>
  was.value_digest !== undefined || now.value_digest !== undefined;

function paidForChange(was: BeforeChange<PaidFor>, now: ShownFinding<PaidFor>): Words | undefined {
  if (was.value === null) return undefined;
  return isShort(was, now)
    ? own('who is paid for which offer, or an amount, changed')
    : payeesChange(...ofSamePayees(was, now));
}

const mostShown = 3;

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
  weighChange: (was, now) => (isShort(was, now) ? 1 : payeesWeight(...ofSamePayees(was, now))),
  method_version: 'price/6',
  ...ofRareRemotes(toFinding),
});
