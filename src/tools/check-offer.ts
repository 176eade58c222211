import { z } from 'zod';
import type { Context } from '../context.ts';
import { ifAny } from '../core/json.ts';
import { wrongField } from '../core/problem.ts';
import { dayText, lines, list } from '../core/text.ts';
import {
  code,
  join,
  own,
  say,
  sentence,
  toMarkdown,
  toText,
  type Words,
  wordsSchema,
} from '../core/words.ts';
import { toDecidingLines } from '../document/answers/agent-answer.ts';
import { toAnswerLines } from '../document/answers/answers.ts';
import { closingText, foreignIn } from '../document/answers/closing.ts';
import { toListingDocument } from '../document/document.ts';
import {
  type ComparedOffer,
  changedPart,
  type PartName,
  partNames,
  seenStates,
} from '../observations/known/prices/compare.ts';
import { notesOf } from '../observations/known/prices/notes.ts';
import { type ListComparison, listStates } from '../observations/known/prices/price-lists.ts';
import { readSentOffers, type SentOffer, type SentOffers } from '../observations/known/prices/sent.ts';
import { askedBeside, type CheckedOffer, compareEach } from './find/compared-offers.ts';
import { namedInput } from './input/fields.ts';
import { defineTool, readsOnly } from './tool.ts';

const most_bytes = 16 * 1024;
const mostOffers = 3;

const input = z.strictObject({
  offer: z
    .union([z.string(), z.looseObject({}), z.array(z.unknown())])
    .describe(
      '402 body, PAYMENT-REQUIRED, WWW-Authenticate, tool result, accepts or {payTo, url, network, asset, amount}',
    ),
  handle: namedInput.optional(),
  url: z.string().max(500).optional().describe('The address that you called'),
});

const state = z.enum(seenStates);
const listState = z.enum(listStates);

const ofParts = <T>(toOne: (name: PartName) => T) =>
  Object.fromEntries(partNames.map((name) => [name, toOne(name)])) as Record<PartName, T>;

const output = z.object({
  handle: z.string().optional().describe('Absent if no listing records the address'),
  message: wordsSchema,
  offers: z.array(
    z.object({
      number: ifAny(z.int(), 'The place of this offer among the sent offers, if there are several'),
      resource: ifAny(z.string(), 'What this offer is for, if the offers name several resources'),
      handle: z.string().optional().describe('The compared listing, if the offers name several resources'),
      ...ofParts(() => state),
      changed: ifAny(
        z.partialRecord(z.enum(partNames), changedPart),
        'The parts of the newest quote that replaced another value',
      ),
      price_lists: z
        .array(
          z.object({
            source: z.string(),
            observed_on: z.string(),
            endpoint: ifAny(z.string(), 'The endpoint of the price list, if it is not the compared endpoint'),
            missed_since: ifAny(
              z.string(),
              'The day of the first later check that did not see the price list',
            ),
            tool: z.string().optional(),
            tool_by_similarity: ifAny(
              z.literal(true),
              'The request names no tool; this is the most similar price of all tools',
            ),
            more_there: ifAny(z.int(), 'Number of other prices that the list has for the same resource'),
            ...ofParts(() => listState),
          }),
        )
        .optional()
        .describe(
          'Comparisons with the published price lists that have a price for the resource; a price list is not a quote',
        ),
      facts: z
        .array(wordsSchema)
        .describe('Sentences about the state of each part, with dates, and about other facts'),
    }),
  ),
  more: z.int().optional().describe('Number of offers that are not shown; offers that differ are preferred'),
  not_compared: z.int().optional().describe('How many of the offers that are not shown were not compared'),
  listings: ifAny(
    z.array(
      z.object({ handle: z.string(), whose: wordsSchema, stands_out: z.array(wordsSchema).optional() }),
    ),
    'Whose the compared listings are, and what stands out about them, as get_agent says it',
  ),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});
type OfferAnswer = z.output<typeof output>;

const statement = 'Dossier saw no payment and knows nothing about delivery.';

async function readOthers({ pay_to }: SentOffer, handle: string | undefined, { store }: Context) {
  const all = pay_to === undefined ? [] : await store.listings.paidAt(pay_to);
  const others = all.filter((one) => one.handle !== handle);
  return { others, isAll: all.length <= 200, isCompared: handle !== undefined };
}

/** Parts with the same words are one sentence: `payee …, amount …: as seen since …`. */
function factsOf(compared: ComparedOffer): Words[] {
  const parts = partNames.map((name) => ({ name, ...compared[name] }));
  return [...Map.groupBy(parts, ({ text }) => toText(text)).values()].map((same) => {
    const named = same.map(({ name, value }) => (value ? say`${own(name)} ${value}` : own(name)));
    return sentence(say`${join(named, ', ')}: ${same[0]?.text ?? say``}`);
  });
}

function toListedOffer(compared: ListComparison) {
  const { text: _, observed_at, missed_since, isSimilar, others, ...shown } = compared;
  return {
    ...shown,
    observed_on: dayText(observed_at),
    missed_since: missed_since && dayText(missed_since),
    tool_by_similarity: isSimilar || undefined,
    more_there: others || undefined,
  };
}

function resourceWords({ offer: { resource }, handle, message }: CheckedOffer, first: CheckedOffer): Words {
  const about =
    resource === undefined ? own('This offer names no resource.') : say`This offer is for ${code(resource)}.`;
  if (handle === first.handle && toText(message) === toText(first.message)) return about;
  const listing = handle === undefined ? own('') : say`It is compared with ${code(handle)}.`;
  return join([about, listing, message], ' ');
}

async function toOffer(
  { offer, compared, lists, handle, elsewhere }: CheckedOffer,
  context: Context,
): Promise<OfferAnswer['offers'][number]> {
  const notes = notesOf(offer, await readOthers(offer, handle, context), context.clock());
  const parts = factsOf(compared);
  const changed = partNames.flatMap((name) =>
    compared[name].changed ? [[name, compared[name].changed]] : [],
  );
  const listed = lists.map(({ text }) => text);
  const isQuoted = partNames.some((name) => compared[name].seen !== 'not_known');
  return {
    ...ofParts((name) => compared[name].seen),
    ...(changed.length > 0 && { changed: Object.fromEntries(changed) }),
    ...(lists.length > 0 && { price_lists: lists.map(toListedOffer) }),
    facts: [
      ...(isQuoted ? [...parts, ...listed] : [...listed, ...parts]),
      ...(elsewhere ? [elsewhere] : []),
      ...notes,
    ],
  };
}

const toListings = (checked: readonly Pick<CheckedOffer, 'handle' | 'facts'>[], { config, clock }: Context) =>
  [...new Map(checked.map((one) => [one.handle, one.facts])).entries()].flatMap(([handle, facts]) =>
    handle !== undefined && facts
      ? [{ handle, ...toDecidingLines(toListingDocument(facts, config, clock())) }]
      : [],
  );

const different = new Set<string>(['new', 'again', 'never_seen', 'seen_until', 'other', 'higher', 'lower']);

function rankOf({ compared, lists }: CheckedOffer): number {
  const states = [
    ...partNames.map((name) => compared[name].seen),
    ...lists.flatMap((one) => partNames.map((name) => one[name])),
  ];
  if (states.some((one) => different.has(one))) return 0;
  return states.includes('not_known') ? 1 : 2;
}

const shownOf = (checked: readonly CheckedOffer[]): CheckedOffer[] =>
  checked
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, mostOffers)
    .sort((a, b) => a.offer.number - b.offer.number);

function toOfferText(answer: OfferAnswer): string {
  const { handle, message, offers, more, not_compared: not, listings = [], statement: last } = answer;
  const notCompared = not === undefined ? '' : `; ${not} of them ${not === 1 ? 'was' : 'were'} not compared`;
  return lines(
    toMarkdown(handle === undefined ? message : say`${code(handle)}. ${message}`),
    ...offers.map(({ number, facts }) =>
      lines(number !== undefined && `Offer ${number}:`, list(facts, toMarkdown)),
    ),
    more !== undefined &&
      `${more} more ${more === 1 ? 'offer was sent and is' : 'offers were sent and are'} not shown${notCompared}.`,
    ...listings.map(({ handle: named, whose, stands_out = [] }) =>
      lines(
        listings.length > 1 && toMarkdown(say`About ${code(named)}:`),
        ...toAnswerLines({ stands_out, lines: { whose } }),
      ),
    ),
    last,
    closingText(answer),
  );
}

function readOffer(offer: z.output<typeof input>['offer']): SentOffers | undefined {
  const size = Buffer.byteLength(typeof offer === 'string' ? offer : JSON.stringify(offer));
  if (size > most_bytes) throw wrongField('offer', 'must have at most 16 KiB');
  return readSentOffers(offer);
}

async function answerUnread({ offer, ...named }: z.output<typeof input>, context: Context) {
  const asked = await askedBeside(offer, named, context);
  const message = 'is not a request for a payment that Dossier can read';
  const next = 'Send the body or the header of the 402, or the tool result, unchanged, or name a listing.';
  if (!asked) throw wrongField('offer', message, `offer ${message}. ${next}`);
  const handle = asked.facts?.listing.handle;
  const listings = toListings([{ handle, facts: asked.facts }], context);
  return {
    ...(handle !== undefined && { handle }),
    message: asked.message,
    offers: [],
    ...(listings.length > 0 && { listings }),
    statement,
    untrusted_fields: foreignIn({ message: asked.message, listings }),
  };
}

export const checkOffer = defineTool({
  name: 'check_offer',
  title: 'Compare a payment request with those Dossier saw',
  description:
    'Compares a payment request (HTTP 402, x402, MPP) that you hold with what its service asked Dossier for: payee, price, asset, network, and since when. Use it before you pay. It pays nothing and is no advice to pay.',
  asked:
    'verify a 402 payment required or x402 payment request, challenge, invoice, bill, quote: is the wallet address, payTo, payee, recipient or amount correct, right, expected, usual, higher, different, differs, too much, overcharged, suspicious, a mismatch, fraud; is it ok to pay this; confirm or validate the price; check before you pay, send or transfer money, USDC, crypto, funds, or sign, approve, authorize a transaction for an API call; should the money go there; the server or service wants or asks for USDC: is that legit, the same as last time',
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
  async run(asked, context) {
    const { offer, ...named } = asked;
    const sent = readOffer(offer);
    if (!sent) return answerUnread(asked, context);
    const checked = await compareEach(sent, named, context);
    const shown = shownOf(checked);
    const [first] = shown;
    if (!first) throw new Error('no offer was compared');
    const { handle, message } = first;
    const listings = toListings(shown, context);
    const hasSeveral = new Set(checked.map((one) => one.offer.resource)).size > 1;
    const offers = [];
    for (const one of shown) {
      const { facts, ...states } = await toOffer(one, context);
      offers.push({
        ...(sent.count > 1 && { number: one.offer.number }),
        ...(hasSeveral && { resource: one.offer.resource, handle: one.handle }),
        ...states,
        facts: hasSeveral ? [resourceWords(one, first), ...facts] : facts,
      });
    }
    const numbers = new Set(sent.offers.map((one) => one.number));
    const count = sent.count - numbers.size + sent.offers.length;
    const more = count - shown.length;
    const not_compared = count - checked.length;
    return {
      ...(handle !== undefined && { handle }),
      message,
      offers,
      ...(more > 0 && { more }),
      ...(not_compared > 0 && { not_compared }),
      ...(listings.length > 0 && { listings }),
      statement,
      untrusted_fields: [...foreignIn({ message }), 'offers', ...foreignIn({ listings })],
    };
  },
});
