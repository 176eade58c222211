import { z } from 'zod';
import type { Json } from '../../../core/json.ts';
import { code, count, isEmpty, join, listed, own, say, type Words } from '../../../core/words.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import {
  type BeforeChange,
  defineKind,
  type JoinedPart,
  type PartComparison,
  type ShownFinding,
} from '../../kind.ts';
import type { Finding } from '../../observation.ts';
import { isUnanswered } from '../../outcome.ts';
import { ownProbe, type RemoteFinding, withoutAnswer } from '../../remotes.ts';
import type { CheckedListing, CheckRun } from '../../run.ts';
import { comparePriceLists, joinPart, priceListChange, priceListWeight } from './price-list-change.ts';
import {
  type PricedTool,
  statesNone,
  statesPrices,
  toolOffers,
  toolOffersWords,
  unlistedOf,
  unlistedWords,
} from './tool-offers.ts';
import { atEndpoint, findDocument } from './x402-document.ts';

interface NamedDocument {
  readonly at: string;
  readonly total: number;
  /** Entries for the endpoint itself and for its tools, with a price and without. */
  readonly priced: readonly PricedTool[];
  readonly bare: readonly PricedTool[];
  /** There may be more entries for the endpoint. */
  readonly hasMore: boolean;
  readonly list: EndpointAnswer['list'];
  readonly now: Date;
}

/** The most tools that are kept with prices, and the most that are named without a price. */
const mostTools = 50;

const isPriced = ({ offers }: PricedTool) => offers.length > 0;

const isAsked = (url: string) => !/[{}]/.test(url) && /^https?:$/.test(URL.parse(url)?.protocol ?? '');

const recordedOf = ({ remotes }: Pick<CheckedListing, 'remotes'>) => [
  ...new Set(remotes.map(({ url }) => url).filter(isAsked)),
];

/** If a host has no x402 document, the reason is stored only if the fact was known before. */
const ofDocuments = <const Value extends Json>(
  toFinding: (named: NamedDocument) => RemoteFinding<Value>,
) => ({
  about: (listing: Pick<CheckedListing, 'remotes'>) => recordedOf(listing).map((subject) => ({ subject })),
  isOptional: true as const,
  check: (run: CheckRun): Promise<readonly Finding<Value>[]> =>
    Promise.all(
      recordedOf(run.listing).map(async (subject): Promise<Finding<Value>> => {
        const document = await findDocument(run, new URL(subject).origin);
        if (document.result !== 'document') return { ...withoutAnswer(document, subject), rule: 'rare' };
        const endpoint = await run.endpoint({ url: subject });
        const list = endpoint.result === 'answered' ? endpoint.list : endpoint;
        const { tools, hasMore, isOfUnknown } = atEndpoint(document, { url: subject, list });
        if (isOfUnknown && list.result !== 'listed' && (tools.length === 0 || isUnanswered(list.outcome)))
          return { ...withoutAnswer(list, subject), rule: 'rare' };
        const { at, resources } = document;
        const named = {
          at,
          total: resources.length,
          priced: tools.filter(isPriced),
          bare: tools.filter((one) => !isPriced(one)),
          hasMore: hasMore || isOfUnknown,
          list,
          now: run.now,
        };
        return { ...toFinding(named), subject, source: ownProbe, source_url: at };
      }),
    ),
});

function alsoWords(more: Words, { at, now }: NamedDocument, unlisted: readonly string[]) {
  const why = join([more, unlistedWords(code(at), unlisted, now)], ' ');
  return isEmpty(why) ? {} : { why };
}

function pricesOf(named: NamedDocument): RemoteFinding<z.infer<typeof toolOffers>> {
  const { at, total, priced, bare, hasMore, list } = named;
  if (priced.length + bare.length === 0) {
    const read = hasMore ? say`the first ${total} resources` : count(total, 'resource');
    const why = hasMore
      ? say`Dossier read ${read} of ${code(at)}, which has more; this endpoint is not among them.`
      : say`${code(at)} names ${read}, but not this endpoint.`;
    return { ...statesNone(why), ...(hasMore && { rule: 'part' }) };
  }
  const isUnread = hasMore || [...priced, ...bare].some((one) => one.hasMore);
  if (priced.length === 0) {
    const why = say`${code(at)} names this endpoint without a price that Dossier can read.`;
    return { ...statesNone(why), ...(isUnread && { rule: 'part' }) };
  }
  const unlisted = unlistedOf(priced.slice(0, mostTools), list);
  const more =
    priced.length > mostTools
      ? say`${code(at)} states prices of ${count(priced.length, 'tool')} there; Dossier keeps those of ${mostTools}.`
      : own('');
  const unread = isUnread ? say`${code(at)} may state more there than Dossier could read.` : own('');
  return {
    ...statesPrices(priced, { unlisted, hasMore: isUnread }),
    ...alsoWords(join([more, unread], ' '), named, unlisted),
  };
}

export const priceX402 = defineKind({
  kind: 'price.x402',
  answers: 'price',
  line: 'costs',
  isLocked: true,
  priced: own('The x402 document of the endpoint’s host states prices.'),
  question: 'price',
  title: 'Prices in its x402 document',
  topic: own('prices and payees in its x402 document'),
  means:
    'The offers that /.well-known/x402, or else /.well-known/x402.json, at the host of the endpoint states for the endpoint and its tools: a whole number of the asset’s smallest unit, the asset, the network and the recipient.',
  doesNotMean: 'A call may be charged differently from a stated price; the answer to the call decides.',
  value: toolOffers,
  say: toolOffersWords,
  sayChange: priceListChange(own('its x402 document')),
  weighChange: priceListWeight,
  comparePart: comparePriceLists,
  joinPart,
  isToldByChange: true,
  method_version: 'x402/3',
  ...ofDocuments(pricesOf),
});

const namedResources = z.strictObject({
  /** The document names the endpoint itself, without a tool. */
  endpoint: z.boolean(),
  tools: z.array(z.string()),
});

function namedOf(named: NamedDocument): RemoteFinding<z.infer<typeof namedResources>> {
  const { at, bare: all, list, hasMore } = named;
  const why = say`${code(at)} names nothing at this endpoint without a price.`;
  // An entry that was not read may name something, so what was seen before stands.
  if (all.length === 0) return { ...statesNone(why), rule: hasMore ? 'passing' : 'rare' };
  const bare = all.slice(0, mostTools);
  const value = {
    endpoint: bare.some(({ tool }) => tool === undefined),
    tools: bare.flatMap(({ tool }) => tool ?? []),
  };
  const more =
    all.length > mostTools
      ? say`${code(at)} names ${count(all.length, 'tool')} there without a price; Dossier reads ${mostTools} of them.`
      : own('');
  const isPart = hasMore || all.length > mostTools;
  return {
    value,
    outcome: 'seen',
    ...(isPart && { hasMore: true }),
    ...alsoWords(more, named, unlistedOf(bare, list)),
  };
}

type NamedResources = z.infer<typeof namedResources>;

const namesOf = ({
  value,
  value_digest,
  is_part,
}: BeforeChange<NamedResources> | ShownFinding<NamedResources>) => ({
  names: new Set([...(value?.endpoint ? [''] : []), ...(value?.tools ?? [])]),
  isWhole: !is_part && value_digest === undefined,
});

/** A document that was read in part may name more than was read. */
function compareNamed(was: BeforeChange<NamedResources>, now: ShownFinding<NamedResources>): PartComparison {
  const before = namesOf(was);
  const after = namesOf(now);
  const gone = before.names.difference(after.names).size > 0;
  const added = after.names.difference(before.names).size > 0;
  if ((gone && after.isWhole) || (added && before.isWhole)) return 'differs';
  return gone || (before.isWhole && !after.isWhole) ? 'less' : 'same';
}

function joinNamed(
  was: BeforeChange<NamedResources>,
  now: ShownFinding<NamedResources>,
): JoinedPart | undefined {
  if (was.value_digest !== undefined || now.value_digest !== undefined) return undefined;
  const all = namesOf(was).names.union(namesOf(now).names);
  const tools = [...all].filter((name) => name !== '').sort();
  return tools.length > mostTools ? undefined : { value: { endpoint: all.has(''), tools } };
}

export const priceNamed = defineKind({
  kind: 'price.named',
  line: 'costs',
  paid: own(
    'The x402 document of the endpoint’s host names the endpoint among the resources that are paid for.',
  ),
  question: 'price',
  title: 'Named as paid, without a price',
  means:
    'The tools of the endpoint, or the endpoint itself, that /.well-known/x402 or /.well-known/x402.json at its host names among the resources that are paid for, without a price that Dossier can read.',
  doesNotMean: 'The document does not say how much such a call costs, or that every call costs something.',
  value: namedResources,
  say: ({ value: { endpoint, tools } }) =>
    listed([...(endpoint ? [own('the endpoint itself')] : []), ...tools.map((tool) => code(tool))], 3),
  comparePart: compareNamed,
  joinPart: joinNamed,
  method_version: 'x402/3',
  ...ofDocuments(namedOf),
});
