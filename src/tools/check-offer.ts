import { z } from 'zod';
import type { Context } from '../context.ts';
import { wrongField } from '../core/problem.ts';
import { dayText, lines, list } from '../core/text.ts';
import {
  code,
  codes,
  dayOf,
  hasForeign,
  join,
  own,
  phrase,
  say,
  sentence,
  toMarkdown,
  toText,
  Words,
  within,
  wordsSchema,
} from '../core/words.ts';
import { closingText } from '../document/answers/closing.ts';
import {
  type ComparedOffer,
  compareWithClosest,
  partNames,
  seenStates,
  unseenOffer,
} from '../observations/offers/compare.ts';
import { notesOf } from '../observations/offers/notes.ts';
import {
  compareWithLists,
  type ListComparison,
  listStates,
  type PriceList,
  toPriceLists,
} from '../observations/offers/price-lists.ts';
import { type OfferChanges, type SeenQuotes, toSeenQuotes } from '../observations/offers/seen.ts';
import { readSentOffers, type SentOffer, type SentOffers } from '../observations/offers/sent.ts';
import { findPlace, type PaidPlace } from './find/paid-place.ts';
import { whyNone } from './find/why-none.ts';
import { namedInput } from './input/fields.ts';
import { defineTool, readsOnly } from './tool.ts';

const most_bytes = 16 * 1024;
const mostOffers = 3;
const mostChanges = 100;

const input = z.strictObject({
  offer: z
    .union([z.string(), z.looseObject({}), z.array(z.unknown())])
    .describe(
      '402 body, PAYMENT-REQUIRED, WWW-Authenticate, tool result, accepts or {payTo, url, network, asset, amount}',
    ),
  handle: namedInput.optional(),
  url: z.string().max(500).optional().describe('What you pay for, if the offer does not say'),
});

const state = z.enum(seenStates);
const listState = z.enum(listStates);

const output = z.object({
  handle: z.string().optional().describe('Absent if no listing records the address'),
  message: wordsSchema,
  offers: z.array(
    z.object({
      payee: state,
      amount: state,
      asset: state,
      network: state,
      scheme: state,
      price_lists: z
        .array(
          z.object({
            source: z.string(),
            observed_on: z.string(),
            tool: z.string().optional(),
            payee: listState,
            amount: listState,
            asset: listState,
            network: listState,
            scheme: listState,
          }),
        )
        .optional()
        .describe(
          'Comparisons with the published price lists that have a price for it; a price list is not a quote',
        ),
      facts: z
        .array(wordsSchema)
        .describe('Sentences about each part: its state, since when, and other facts'),
    }),
  ),
  more: z.int().optional().describe('Offers that were not compared'),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});
type OfferAnswer = z.output<typeof output>;

const statement = 'Dossier saw no payment and knows nothing about delivery.';

async function readSeen({ facts, endpoints }: PaidPlace, { store }: Context) {
  if (!facts) return { seen: [], lists: [] };
  const rows = await store.observations.history(facts.listing.handle, { limit: mostChanges });
  const changes: OfferChanges = { rows, isAll: rows.length < mostChanges };
  const observed = facts.observed?.observations ?? [];
  const isThere = ({ endpoint = '' }: Pick<PriceList, 'endpoint'>) => endpoints.includes(endpoint);
  return {
    seen: toSeenQuotes(observed, changes).filter(isThere),
    lists: toPriceLists(observed).filter(isThere),
  };
}

/** Says which endpoint was compared and when it quoted a price, or why there is nothing to compare. */
function messageOf({ facts, endpoints, found }: PaidPlace, quotes: SeenQuotes | undefined): Words {
  if (!facts) return found;
  const noneSeen = say`Dossier was quoted no price at ${codes(endpoints)}.`;
  if (!quotes) return join([found, whyNone(facts) ?? noneSeen], ' ');
  const { endpoint = '', unquoted, since } = quotes;
  const last = quotes.quotes.find(({ value }) => value !== undefined);
  const until = last ? say`Last quoted to Dossier at ${code(endpoint)} on ${dayOf(last.until)}.` : say``;
  const read = since === undefined ? say`` : say`Dossier read its changes since ${dayOf(since)}.`;
  const why = unquoted?.why ? within(phrase(new Words(unquoted.why))) : own('no price was quoted');
  const where = last ? own('On') : say`At ${code(endpoint)} on`;
  const not = unquoted ? say`${where} ${dayOf(unquoted.observed_at)}: ${why}.` : say``;
  return join([found, until, not, read], ' ');
}

/** Reads which other listings ask to be paid at the address of an offer. */
async function readOthers({ pay_to }: SentOffer, handle: string | undefined, { store }: Context) {
  const all = pay_to === undefined ? [] : await store.listings.paidAt(pay_to);
  const others = all.filter((one) => one.handle !== handle);
  return { others, isAll: all.length <= 200, isCompared: handle !== undefined };
}

/** Joins parts with the same words: `payee …, amount …: as seen since …`. */
function factsOf(compared: ComparedOffer): Words[] {
  const parts = partNames.map((name) => ({ name, ...compared[name] }));
  return [...Map.groupBy(parts, ({ text }) => toText(text)).values()].map((same) => {
    const named = same.map(({ name, value }) => (value ? say`${own(name)} ${value}` : own(name)));
    return sentence(say`${join(named, ', ')}: ${same[0]?.text ?? say``}`);
  });
}

interface CheckedOffer {
  readonly offer: SentOffer;
  readonly compared: ComparedOffer;
  readonly lists: readonly ListComparison[];
}

/** The comparison of an offer with one price list, for JSON. */
const toListedOffer = ({ text: _, observed_at, tool, source, ...states }: ListComparison) => ({
  source,
  observed_on: dayText(observed_at),
  ...(tool !== undefined && { tool }),
  ...states,
});

async function toOffer(
  { offer, compared, lists }: CheckedOffer,
  handle: string | undefined,
  context: Context,
): Promise<OfferAnswer['offers'][number]> {
  const { payee, amount, asset, network, scheme } = compared;
  const notes = notesOf(offer, await readOthers(offer, handle, context));
  return {
    payee: payee.seen,
    amount: amount.seen,
    asset: asset.seen,
    network: network.seen,
    scheme: scheme.seen,
    ...(lists.length > 0 && { price_lists: lists.map(toListedOffer) }),
    facts: [...factsOf(compared), ...lists.map(({ text }) => text), ...notes],
  };
}

function toOfferText(answer: OfferAnswer): string {
  const { handle, message, offers, more, statement: last } = answer;
  return lines(
    toMarkdown(handle === undefined ? message : say`${code(handle)}. ${message}`),
    ...offers.map(({ facts }, at) => lines(offers.length > 1 && `Offer ${at + 1}:`, list(facts, toMarkdown))),
    more !== undefined && `${more} more were sent and not compared.`,
    last,
    closingText(answer),
  );
}

/**
 * Reads the payments that are asked for. Throws invalid_input if the offer is too large or is no request for
 * a payment.
 */
function readOffer(offer: z.output<typeof input>['offer']): SentOffers {
  const size = Buffer.byteLength(typeof offer === 'string' ? offer : JSON.stringify(offer));
  if (size > most_bytes) throw wrongField('offer', 'must have at most 16 KiB');
  const sent = readSentOffers(offer);
  if (sent) return sent;
  const message = 'is not a request for a payment that Dossier can read';
  throw wrongField(
    'offer',
    message,
    `offer ${message}. Send the body or the header of the 402, or the tool result, unchanged.`,
  );
}

export const checkOffer = defineTool({
  name: 'check_offer',
  title: 'Compare a payment request with those Dossier saw',
  description:
    'Compares a request for a payment (x402, MPP) that you hold with what its service asked Dossier for: payee, amount, asset, network, and since when. Use it before you pay. It pays nothing and is no advice to pay.',
  effects: readsOnly,
  input,
  output,
  example: {
    handle: 'co.webhook/webhook',
    offer: {
      payTo: '0x1111111111111111111111111111111111111111',
      network: 'eip155:8453',
      amount: '10000',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    },
  },
  toText: toOfferText,
  async run({ offer, ...named }, context) {
    const sent = readOffer(offer);
    const place = await findPlace(named, sent, context);
    const { facts } = place;
    const { seen, lists } = await readSeen(place, context);
    const shown = sent.offers.slice(0, mostOffers);
    const closest = compareWithClosest(shown, seen);
    const handle = facts?.listing.handle;
    const endpoint = closest?.quotes.endpoint;
    const there = lists.filter((one) => endpoint === undefined || one.endpoint === endpoint);
    const [, paidTool] = /^mcp:\/\/tool\/(.+)$/.exec(sent.resource ?? '') ?? [];
    const offers = [];
    for (const [at, one] of shown.entries()) {
      const compared = closest?.compared[at] ?? unseenOffer(one, place.unseen);
      const listed = compareWithLists(there, one, paidTool);
      offers.push(await toOffer({ offer: one, compared, lists: listed }, handle, context));
    }
    const more = sent.count - shown.length;
    const message = messageOf(place, closest?.quotes);
    return {
      ...(handle !== undefined && { handle }),
      message,
      offers,
      ...(more > 0 && { more }),
      statement,
      untrusted_fields: [...(hasForeign(message) ? ['message'] : []), 'offers'],
    };
  },
});
