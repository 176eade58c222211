import { z } from 'zod';
import { day_ms, dayText } from '../../../core/text.ts';
import {
  code,
  count,
  dayOf,
  eachCode,
  fromDayToDay,
  listed,
  ours,
  own,
  say,
  toText,
  type Words,
  wordsSchema,
} from '../../../core/words.ts';
import { subjectWords } from '../kinds/packages/packages.ts';
import { symbolOf } from './assets.ts';
import { brokenWords, isAssetName, likeNamed } from './named-asset.ts';
import { isWhole, type Offer } from './offer.ts';
import { amountWords, besideQuoted, quotedWords, type Unit } from './quoted-amount.ts';
import {
  checksIn,
  type Holds,
  isNamedIn,
  type NamedParts,
  namedSince,
  type OfferSighting,
  runOf,
  type SeenOffers,
  type SeenPlace,
  sinceWhen,
  toIsHeld,
} from './seen.ts';
import type { SentOffer } from './sent.ts';
import { isMost, networkInFull } from './words.ts';

export const seenStates = [
  'as_seen',
  'new',
  'again',
  'seen_until',
  'never_seen',
  'higher',
  'lower',
  'not_known',
] as const;

export const changedPart = z.object({
  since: z.string(),
  checks: z.int().describe('At least this many checks saw it since then'),
  before: z.object({ value: wordsSchema, until: z.string() }),
});

type SeenState = (typeof seenStates)[number];

export const isInNewest = (seen: SeenState): seen is 'as_seen' | 'new' | 'again' =>
  /^(?:as_seen|new|again)$/.test(seen);

export interface OfferPart {
  readonly value?: Words;
  readonly seen: SeenState;
  readonly changed?: z.infer<typeof changedPart> | undefined;
  readonly text: Words;
}

type ComparedPart = Omit<OfferPart, 'value'>;

export const partNames = ['payee', 'amount', 'asset', 'network', 'scheme'] as const;
export type PartName = (typeof partNames)[number];
export type ComparedOffer = Readonly<Record<PartName, OfferPart>>;

const mostNamed = 2;

const notKnown = (why: Words): ComparedPart => ({ seen: 'not_known', text: say`not known: ${why}` });

function noQuote({ endpoint, unseen }: SeenOffers): ComparedPart {
  const none = say`Dossier has none from ${own(unseen === 'listing' ? 'what this listing records' : 'this endpoint')}`;
  const text = endpoint === undefined ? none : own('the endpoint quoted Dossier none');
  return { seen: 'not_known', text: say`not known from quotes: ${text}` };
}

/** `holds` tells whether offers have a part of the sent offer. */
interface OfferQuestion extends NamedParts {
  readonly holds: Holds;
  /** What the newest quote has none of, on a day. */
  readonly lacking?: (at: string) => Words;
}

const newFor_ms = 7 * day_ms;

function toHeld(sightings: readonly OfferSighting[], question: OfferQuestion, now: Date): ComparedPart {
  const { holds, name } = question;
  const run = runOf(sightings, holds);
  const since = sinceWhen(run);
  const checks = checksIn(run);
  const others = sightings.slice(run.length);
  const was = others.find(({ value }) => value !== undefined);
  const last = others.findIndex(toIsHeld(holds));
  const earlier = last === -1 ? [] : runOf(others.slice(last), holds);
  const isOther = was?.value !== undefined && !holds(was.value);
  const isChanged = isOther || run.at(-1)?.isBack;
  const isNew = checks < 2 || (isChanged && now.getTime() - Date.parse(since) < newFor_ms);
  const isKept = isNamedIn(question, run.at(-1)?.value);
  const names = isOther && !was.isPart ? name(was.value).filter((one) => !isKept(one)) : [];
  const before = was && names.length > 0 && { value: listed(names, mostNamed), until: dayText(was.until) };
  const replaced = before && say`; until ${dayOf(before.until)} it was ${before.value}`;
  const [{ until } = { until: '' }] = earlier;
  const earlierWords =
    earlier.length > 0 &&
    say`, seen before ${fromDayToDay(sinceWhen(earlier), until)} (${count(checksIn(earlier), 'check')})`;
  const how = isNew ? (earlier.length > 0 ? 'again' : 'new') : 'as_seen';
  const [former] = run.slice(0, 1).filter(({ isNow }) => !isNow);
  const still = say`${own(how === 'as_seen' ? 'as seen' : how)} since ${dayOf(since)}`;
  const when = former ? say`seen ${fromDayToDay(since, former.until)}` : still;
  return {
    seen: former ? 'seen_until' : how,
    text: say`${when} (${count(checks, 'check')})${earlierWords}${replaced}`,
    ...(before && { changed: { since: dayText(since), checks, before } }),
  };
}

const partlyRead = ({ until }: Pick<OfferSighting, 'until'>): ComparedPart =>
  notKnown(say`Dossier read or kept only some of the offers that were quoted on ${dayOf(until)}`);

function comparePlace(seen: SeenOffers, question: OfferQuestion, where?: Words): ComparedPart {
  const { quotes, since } = seen;
  const { holds, lacking = (at: string) => say`no price was seen on ${dayOf(at)}` } = question;
  const isHeld = toIsHeld(holds);
  const [now] = quotes;
  const newest = quotes.find(({ value }) => value !== undefined);
  if (!now || newest?.value === undefined) return noQuote(seen);
  if (isHeld(now)) return toHeld(quotes, question, seen.now);
  if (now.isPart) return partlyRead(now);
  const earlier = quotes.find(isHeld);
  const until = say`seen until ${dayOf((earlier ?? now).until)}`;
  if (earlier && now.value === undefined)
    return { seen: 'seen_until', text: say`${until}; ${lacking(now.until)}` };
  const others = namedSince(quotes, question, newest);
  if (earlier) return { seen: 'seen_until', text: say`other: ${others}; this one was ${until}` };
  const part = quotes.find(({ isPart }) => isPart);
  if (part) return partlyRead(part);
  const never = since === undefined ? own('never seen here') : say`never seen here since ${dayOf(since)}`;
  return { seen: 'never_seen', text: say`${never}${where}; other: ${others}` };
}

/** What is not stated fits every offer. */
const isOf =
  (unit: Unit) =>
  (offer: Offer): boolean =>
    (['asset', 'network', 'scheme'] as const).every(
      (name) => unit[name] === undefined || unit[name] === offer[name],
    );

const unique = (values: readonly string[]): string[] => [...new Set(values)];

const assetWords = (asset = '', network = ''): Words => {
  const symbol = symbolOf(network, asset);
  return symbol === undefined ? code(asset) : say`${ours(symbol)} (${code(asset)})`;
};

const paidBy = ({ pays = [] }: Offer): string =>
  [...new Set(pays.map(({ address }) => address))].sort().join(' ');

const payeesWords = (paid: string): Words => listed(eachCode(paid.split(' ')), 5);

const setsIn = (all: readonly Offer[]) => unique(all.map(paidBy)).filter((one) => one !== '');

/** Where else a listing asked to be paid at the payee of an offer, which is new where it was sent. */
export function paidElsewhere(offer: SentOffer, places: readonly SeenPlace[]): Words | undefined {
  const holds = (all: readonly Offer[]) => setsIn(all).includes(paidBy(offer));
  const found = places.flatMap(({ quotes, fact: { subject = '' } }) => {
    const run = runOf(quotes, holds);
    const earlier = quotes.find(({ value }) => value !== undefined && holds(value));
    if (run.length > 0) return [say`${subjectWords(subject)} since ${dayOf(sinceWhen(run))}`];
    return earlier ? [say`${subjectWords(subject)} until ${dayOf(earlier.until)}`] : [];
  });
  const all = listed(found, mostNamed);
  return found.length === 0 ? undefined : say`Elsewhere, this listing asks for this payee: ${all}.`;
}

/** Of the same asset, network and scheme, and amount if the newest quote has it. */
function comparePayees(sent: string, offer: SentOffer, places: SeenOffers): ComparedPart {
  const quotes = places.quotes.map((one) => ({ ...one, isPart: one.hidesPayees }));
  const seen = { ...places, quotes };
  const [now] = quotes;
  if (now?.isAnother)
    return notKnown(
      say`the endpoint named another address at each request on ${dayOf(now.until)}, so this one can neither be confirmed nor called a change`,
    );
  const comparison: OfferQuestion = {
    holds: (all) => setsIn(all).includes(sent),
    name(all) {
      const near = all.filter(isOf({ network: offer.network }));
      const named = setsIn(near.length > 0 ? near : all).sort();
      return named.map(payeesWords);
    },
  };
  const compared = comparePlace(seen, comparison);
  const ofUnit = (all: readonly Offer[] = []) => all.filter(isOf(offer)).filter((one) => paidBy(one) !== '');
  const hasAmount = ofUnit(now?.value).some(({ amount }) => amount === offer.amount);
  const ofPrice = (all: readonly Offer[] | undefined) =>
    ofUnit(all).filter(({ amount }) => !hasAmount || amount === offer.amount);
  const present = ofPrice(now?.value);
  const since = sinceWhen(runOf(quotes, comparison.holds));
  if (!now || since === '' || now.isPart || present.length === 0) return compared;
  const within = quotes
    .map((one) => ({ ...one, value: ofPrice(one.value) }))
    .filter(({ value }) => value.length > 0);
  const run = runOf(within, comparison.holds);
  if (run.length > 0) {
    const was = within[run.length];
    return was?.ended !== undefined && was.ended > since ? toHeld(within, comparison, seen.now) : compared;
  }
  const earlier = within.find(({ value }) => comparison.holds(value));
  const when = earlier ? say`seen until ${dayOf(earlier.until)}` : own('not in the last quote');
  const price = hasAmount ? own('amount, asset, network and scheme') : own('asset, network and scheme');
  const text = say`${when} for this ${price}; other: ${listed(comparison.name(present), mostNamed)}; for other offers ${compared.text}`;
  return { seen: earlier ? 'seen_until' : 'never_seen', text };
}

const amountsIn = (offers: readonly Offer[], unit: Unit): bigint[] =>
  offers.filter(isOf(unit)).flatMap(({ amount }) => (isWhole(amount) ? [BigInt(amount)] : []));

type SeenAmounts = Pick<OfferSighting, 'until'> & { readonly amounts: readonly bigint[] };

function besideLast(sent: bigint, known: readonly SeenAmounts[], words: (one: bigint) => Words): Words {
  const [last] = known;
  const most = known.flatMap(({ amounts }) => amounts).reduce((a, b) => (a > b ? a : b), 0n);
  const whenSeen = (one: bigint) => known.find(({ amounts }) => amounts.includes(one))?.until;
  const seenUntil = whenSeen(sent);
  const until = say`${seenUntil !== undefined && say`; this one was seen until ${dayOf(seenUntil)}`}`;
  const highest = whenSeen(most);
  if (highest === undefined || last?.amounts.includes(most)) return until;
  if (sent === most) return say`; this one, the highest, was seen until ${dayOf(highest)}`;
  return sent > most
    ? say`, and than the highest seen, ${words(most)} until ${dayOf(highest)}`
    : say`; the highest seen is ${words(most)}, until ${dayOf(highest)}${until}`;
}

/** Within one asset, network and scheme. */
function compareAmount(sent: string, offer: SentOffer, seen: SeenOffers): ComparedPart {
  if (offer.asset === undefined || offer.network === undefined)
    return notKnown(own('it is compared within one asset and network: send both as the 402 states them'));
  const amount = BigInt(sent);
  const inUnit = seen.quotes.map((one) => ({ ...one, amounts: amountsIn(one.value ?? [], offer) }));
  const known = inUnit.filter(({ amounts }) => amounts.length > 0);
  const [last] = known;
  if (!last) {
    const part = inUnit.find(({ isPart }) => isPart);
    if (part) return partlyRead(part);
    const like = likeNamed(offer, seen);
    if (like) {
      const { text } = compareAmount(sent, { ...offer, asset: like.asset }, seen);
      return notKnown(
        say`${code(offer.asset)} is a name; in ${code(like.asset)}, whose symbol is like it: ${text}`,
      );
    }
    return inUnit.some(({ value }) => value !== undefined)
      ? notKnown(own('Dossier knows no quote in this asset, network and scheme'))
      : noQuote(seen);
  }
  const words = (one: bigint) => amountWords(String(one), offer);
  const quotes = inUnit.map(({ value, ...one }) => ({
    ...one,
    value: one.amounts.length > 0 ? value : undefined,
  }));
  const question: OfferQuestion = {
    holds: (all) => amountsIn(all, offer).includes(amount),
    name: (all) => amountsIn(all, offer).map(words),
    lacking: () => {
      const others = quotedWords(seen.quotes[0]?.value ?? [], offer);
      const but = others.length > 0 && say`, but ${listed(others, mostNamed)}`;
      return say`no amount in this unit since${but}`;
    },
  };
  const compared = comparePlace({ ...seen, quotes }, question);
  const how =
    (last.amounts.every((one) => amount > one) && 'higher') ||
    (last.amounts.every((one) => amount < one) && 'lower');
  if (!how || inUnit[0]?.isPart) return compared;
  const others = say`${listed(last.amounts.map(words), mostNamed)}, last seen on ${dayOf(last.until)}`;
  // What the calls cost may still be in another order.
  const what = isMost(offer) ? say`a ${own(how)} maximum` : own(how);
  return { seen: how, text: say`${what} than ${others}${besideLast(amount, known, words)}` };
}

const unstated = notKnown(own('the offer states none that Dossier can read'));

function otherAmount(stated: string, offer: SentOffer, seen: SeenOffers): OfferPart {
  const beside = besideQuoted(stated, offer, seen);
  return { value: code(stated), ...notKnown(say`it is no whole number of the smallest unit${beside}`) };
}

function toPart<T>(
  stated: T | undefined,
  write: (stated: T) => Words,
  compare: (stated: T) => ComparedPart,
): OfferPart {
  return stated === undefined ? unstated : { value: write(stated), ...compare(stated) };
}

function whyNotComparable(
  stated: string | undefined,
  seen: readonly string[],
  isName: (one: string) => boolean,
  what: Words,
): ComparedPart | undefined {
  if (stated === undefined || seen.length === 0 || seen.includes(stated)) return undefined;
  const unknown = isName(stated) ? stated : seen.find(isName);
  if (unknown === undefined || seen.every((one) => isName(one) && isName(stated))) return undefined;
  return notKnown(say`${code(unknown)} is a name, and Dossier does not know which ${what} has it`);
}

/** The asset is compared on this network, and the scheme among a quote's offers of this asset, if any. */
function compareUnit(
  offer: SentOffer,
  seen: SeenOffers,
): Pick<ComparedOffer, 'asset' | 'network' | 'scheme'> {
  const { asset, network, scheme } = offer;
  const { quotes } = seen;
  const compare = (
    unit: Unit,
    within: Unit,
    write: (one: Offer) => Words,
    writeElsewhere = write,
    where?: Words,
  ) => {
    const nameAll = (offers: readonly Offer[]) => [
      ...offers.filter(isOf(within)).map(write),
      ...offers.map(writeElsewhere),
    ];
    const name = (offers: readonly Offer[]) => {
      const near = offers.filter(isOf(within)).length;
      const others = nameAll(offers).slice(0, near || undefined);
      return [...new Map(others.map((one) => [toText(one), one])).values()];
    };
    const holds: Holds = (offers) => offers.some(isOf({ ...within, ...unit }));
    return comparePlace(seen, { holds, name, nameAll }, where);
  };
  const ofNetwork: Unit = network === undefined ? {} : { network };
  const ofAsset: Unit = asset === undefined ? ofNetwork : { ...ofNetwork, asset };
  const ofThisAsset = (offers: readonly Offer[]) => {
    const some = offers.filter(isOf(ofAsset));
    return some.length > 0 ? some : offers;
  };
  const ofOther = (one: Offer) => assetWords(one.asset, one.network);
  const writeElsewhere = (one: Offer) => say`${ofOther(one)} on ${networkInFull(one.network)}`;
  const all = quotes.flatMap(({ value }) => value ?? []);
  const networks = unique(all.flatMap((one) => one.network ?? []));
  const other = whyNotComparable(network, networks, (one) => !one.includes(':'), own('network'));
  const assets = unique(all.filter(isOf(ofNetwork)).flatMap((one) => one.asset ?? []));
  const notNamed = whyNotComparable(asset, assets, (one) => isAssetName(one, network ?? ''), own('asset'));
  const likeIt = notNamed && likeNamed(offer, seen);
  const otherAsset = likeIt
    ? { ...notNamed, text: say`${notNamed.text}; the symbol of ${likeIt.words} is like it` }
    : notNamed;
  const where = own(' on this network');
  const isNowhere = network === undefined && quotes.some(({ value }) => value !== undefined);
  const broken = brokenWords(offer);
  return {
    asset: toPart(
      asset,
      (one) => assetWords(one, network),
      () =>
        broken || isNowhere
          ? notKnown(broken ?? own('it is compared within one network: send it as the 402 states it'))
          : (other ?? otherAsset ?? compare(ofAsset, ofNetwork, ofOther, writeElsewhere, where)),
    ),
    network: toPart(
      network,
      networkInFull,
      () => other ?? compare(ofNetwork, {}, (one) => networkInFull(one.network)),
    ),
    scheme: toPart(scheme, code, (one) =>
      comparePlace(seen, {
        holds: (offers) => ofThisAsset(offers).some(isOf({ scheme: one })),
        name: (offers) =>
          unique(ofThisAsset(offers).map((other) => other.scheme ?? '')).map((name) => code(name)),
      }),
    ),
  };
}

export const compareOffer = (offer: SentOffer, seen: SeenOffers): ComparedOffer => ({
  payee: toPart(offer.pays && paidBy(offer), payeesWords, (sent) => comparePayees(sent, offer, seen)),
  amount:
    offer.other_amount === undefined
      ? toPart(
          offer.amount,
          (one) => amountWords(one, offer),
          (one) => {
            const compared = compareAmount(one, offer, seen);
            if (compared.seen !== 'not_known') return compared;
            return { ...compared, text: say`${compared.text}${besideQuoted(one, offer, seen)}` };
          },
        )
      : otherAmount(offer.other_amount, offer, seen),
  ...compareUnit(offer, seen),
});
