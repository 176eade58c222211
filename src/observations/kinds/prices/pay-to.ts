import { z } from 'zod';
import { payeeWords, toAddress } from '../../../core/payee.ts';
import { join, listed, own, say, type Words } from '../../../core/words.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import type { NoAnswer } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import {
  type BeforeChange,
  defineKind,
  type JoinedPart,
  type PartComparison,
  type ShownFinding,
} from '../../kind.ts';
import { ofRareRemotes, type RemoteFinding } from '../../remotes.ts';
import { noPayee, quotedOffers, unreadWords } from './offer.ts';
import { type OfferWithPayee, toOffersWithPayees } from './offers.ts';

const anotherEachTime = 'another address each time';

/** If two requests got different payees, the value is this text, so that it does not change every day. */
const payees = z.union([z.array(z.string()), z.literal(anotherEachTime)]);

function payeesOf(payment: EndpointAnswer): string[] {
  const offers = quotedOffers(payment)?.quoted.offers ?? [];
  const addresses = offers.flatMap(({ pay_to }) => (pay_to === undefined ? [] : toAddress(pay_to)));
  return [...new Set(addresses)].sort();
}

const mostPayees = 3;
/** The most payees in the details, and the most payees of several parts that are kept together. */
const mostKept = 40;

/** The value may be shortened, so the details have the payees too. */
const withAddresses = (named: readonly string[]) =>
  named.length > mostPayees && { details: { addresses: named.slice(0, mostKept) } };

function payToFinding(endpoint: EndpointAnswer): RemoteFinding<z.infer<typeof payees>> | NoAnswer {
  const named = payeesOf(endpoint);
  if (named.length === 0) return noPayee(endpoint);
  const again = endpoint.paymentAgain ? payeesOf({ ...endpoint, payment: endpoint.paymentAgain }) : [];
  const isSame = again.length === 0 || again.join() === named.join();
  const unread = unreadWords(endpoint);
  return isSame
    ? {
        value: named,
        outcome: 'seen',
        ...withAddresses(named),
        ...(unread && { why: unread, rule: 'some', hasMore: true }),
      }
    : { value: anotherEachTime, outcome: 'seen', as_seen: { addresses: [...named, ...again] } };
}

export const isAnotherEachTime = (value: unknown): boolean => value === anotherEachTime;

/** Returns none if the payees differ each time. An eip155 address is in lower case. */
export const readPayees = (value: unknown): readonly string[] => {
  const { data = [] } = payees.safeParse(value);
  return data === anotherEachTime ? [] : data;
};

const payeesWords = (value: unknown): Words =>
  isAnotherEachTime(value)
    ? own(anotherEachTime)
    : join(
        readPayees(value).map((address) => payeeWords({ address })),
        ', ',
      );

/**
 * Leaves out payees that price.pay_to no longer has. If checks read only a part of later quotes, the stored
 * price still has former payees.
 */
export function withPresentPayees(
  offers: readonly OfferWithPayee[],
  paid: Pick<ShownFinding, 'value' | 'value_digest'> | undefined,
): readonly OfferWithPayee[] {
  if (!paid || paid.value_digest !== undefined || isAnotherEachTime(paid.value)) return offers;
  const present = new Set(readPayees(paid.value));
  const named = offers.map(({ pay_to, ...offer }) =>
    pay_to !== undefined && present.has(pay_to) ? { ...offer, pay_to } : offer,
  );
  return toOffersWithPayees(named);
}

type Payees = z.infer<typeof payees>;
type StoredPayees = BeforeChange<Payees> | ShownFinding<Payees>;

function payeesIn({ value, value_digest, details }: StoredPayees): readonly string[] {
  const kept = readPayees(value);
  const named = z.array(z.string()).safeParse(details?.addresses).data ?? [];
  return value_digest === undefined || named.length < kept.length ? kept : named;
}

const addedTo = (was: StoredPayees, now: StoredPayees): string[] => {
  const before = new Set(payeesIn(was));
  return payeesIn(now).filter((one) => !before.has(one));
};

/** Tells whether one of the two is not stored in full. */
const isShort = (...both: readonly StoredPayees[]): boolean =>
  both.some(
    (found) =>
      found.value_digest !== undefined && canonicalDigest({ value: payeesIn(found) }) !== found.value_digest,
  );

/**
 * Compares two lists, at least one of which is a part. A payee whom only the second list has is a change,
 * even if the first may lack others. Otherwise payees could change unseen beside an offer that cannot be
 * read.
 */
function comparePayees(was: BeforeChange<Payees>, now: ShownFinding<Payees>): PartComparison {
  if (isShort(was, now) || [was, now].some(({ value }) => isAnotherEachTime(value))) return 'differs';
  const isGone = addedTo(now, was).length > 0;
  if (addedTo(was, now).length > 0 || (isGone && !now.is_part)) return 'differs';
  return isGone || !was.is_part ? 'less' : 'same';
}

function joinPayees(was: BeforeChange<Payees>, now: ShownFinding<Payees>): JoinedPart | undefined {
  const all = [...payeesIn(was), ...addedTo(was, now)].sort();
  const isUnknown = isShort(was, now) || [was, now].some(({ value }) => isAnotherEachTime(value));
  return isUnknown || all.length > mostKept ? undefined : { value: all, ...withAddresses(all) };
}

const partWords = ({ is_part }: StoredPayees): Words =>
  is_part
    ? own('; the endpoint quotes more than Dossier can read')
    : own('; before, the endpoint quoted more than Dossier could read');

/**
 * A few payees are all named; of many, or of a part, only those that are new or gone. If a list was
 * shortened, the words only say that the payees changed. If only a part is known now, it cannot be said who
 * is gone.
 */
function payeesChange(was: BeforeChange<Payees>, now: ShownFinding<Payees>): Words {
  if (was.value === null)
    return say`It asks to be paid at ${payeesWords(now.value)}, and named nobody before`;
  if (isShort(was, now)) return own('The addresses at which it asks to be paid changed');
  const isPart = was.is_part || now.is_part;
  const isFew = !isPart && [was, now].every((one) => payeesIn(one).length <= mostPayees);
  if (isFew || isAnotherEachTime(was.value) || isAnotherEachTime(now.value))
    return say`It asks to be paid at ${payeesWords(now.value)} instead of ${payeesWords(was.value)}`;
  const name = (all: readonly string[]) =>
    listed(
      all.map((address) => payeeWords({ address })),
      mostPayees,
    );
  const gone = now.is_part ? [] : addedTo(now, was);
  const added = addedTo(was, now);
  const came = added.length > 0 ? say`It also asks to be paid at ${name(added)}` : say``;
  const words = join(
    [came, gone.length > 0 ? say`It no longer asks to be paid at ${name(gone)}` : say``],
    '. ',
  );
  return isPart ? say`${words}${partWords(now)}` : words;
}

/** The payees are a fact of their own, so that they have a date and a history apart from the amount. */
export const pricePayTo = defineKind({
  kind: 'price.pay_to',
  pinnedAs: 'pay_to',
  line: 'costs',
  isLocked: true,
  question: 'price',
  title: 'Address that is paid',
  means:
    'The addresses of the recipients in the price that the endpoint quotes. Dossier asks for the price twice; `another address each time` means that the addresses differed.',
  doesNotMean: 'It does not say whose addresses they are.',
  changed: own('The endpoint asks to be paid at a different address'),
  value: payees,
  say: ({ value }) => payeesWords(value),
  sayChange: (was, now, between) => say`${payeesChange(was, now)} (${between})`,
  weighChange: () => 1,
  comparePart: comparePayees,
  joinPart: joinPayees,
  method_version: 'price/5',
  ...ofRareRemotes(payToFinding),
});
