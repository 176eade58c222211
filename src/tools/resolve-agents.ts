import { z } from 'zod';
import type { Context } from '../context.ts';
import { wrongField } from '../core/problem.ts';
import { code, dayText, lines, list, paragraphs } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import { isEmpty, join, own, toMarkdown, toText, type Words } from '../core/words.ts';
import { toAnswer } from '../document/answers/answers.ts';
import { closingText, untrustedIn } from '../document/answers/closing.ts';
import { askedPart, malwareBeside } from '../document/asked-part.ts';
import { atRecord } from '../document/asked-place.ts';
import { judge, unknownFindings } from '../document/criteria/criteria.ts';
import { besideStandsOut } from '../document/hit.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { whatAListingIsNot } from '../document/rated.ts';
import {
  mostSearched,
  type Resolved,
  reasonWords,
  resolvedNames,
  toResolvedLines,
} from '../document/resolved.ts';
import type { CopyField } from '../imports/import-run.ts';
import { namedLimit, searchLimit } from '../limits/searches.ts';
import type { Listing } from '../listings/listing.ts';
import { longestPasted, meantOf, type Name, nothingSaid, readNames } from '../listings/references/name.ts';
import { type Reference, toHost } from '../listings/references/references.ts';
import {
  besideWords,
  formerWords,
  givenEndpoints,
  givenToEach,
  givenWords,
  pickHolders,
  startedOf,
  withBeside,
  withoutLinks,
} from './find/asked-command.ts';
import { askedVersion, noticesOfOther, readOfRecord } from './find/asked-version.ts';
import {
  type FoundListing,
  type Holders,
  mostRecording,
  type Several,
  severalWords,
} from './find/holders.ts';
import { orEmpty, toReadDocument } from './find/listing.ts';
import { endOfCopy, findLacking } from './find/near-misses.ts';
import {
  askedPackages,
  atAsked,
  candidatesOf,
  type KnownListing,
  noticesOf,
  noticesOfAsked,
  noticesOfDeleted,
  toKnownListing,
} from './find/several.ts';
import {
  fieldOf,
  isNaming,
  isPageElsewhere,
  lookAlikeOf,
  maxNear,
  namedBeside,
  noneOfOwner,
  readTool,
  recordsPackage,
  referencesAt,
  toNearText,
  unrecordedWords,
  whatWasChecked,
  whereToAsk,
  whyUnreadable,
  withdrawal,
} from './find/why-unknown.ts';
import { namedInput } from './input/fields.ts';
import { defineTool, readsOnly } from './tool.ts';

/** In a call, and in one read of the store. */
const mostNames = 100;

/** The store, or a dump, which has neither withdrawn listings nor all versions, nor names of tools. */
type StoreDirectory = ReturnType<typeof createDirectory>;
type OnlyStored = 'whyWithdrawn' | 'readOfRecord' | 'noticesOfDeleted' | 'ofTool' | 'whatWasChecked';
export type Directory = Omit<StoreDirectory, OnlyStored> & Partial<Pick<StoreDirectory, OnlyStored>>;

const createDirectory = (context: Context) => ({
  publicUrl: context.config.publicUrl,
  /** `document` and `at` are for shown ones. */
  async known(handles: readonly string[]): Promise<ReadonlyMap<string, KnownListing>> {
    const { store, clock } = context;
    const known = new Map<string, KnownListing>();
    for (let at = 0; at < handles.length; at += mostNames) {
      const some = handles.slice(at, at + mostNames);
      for (const facts of await store.documents.factsOfAll(some, clock().toISOString()))
        known.set(
          facts.listing.handle,
          toKnownListing(facts, context, (shown) => toReadDocument(facts, context, shown)),
        );
    }
    return known;
  },
  whyWithdrawn: (listing: Listing) => withdrawal(listing, context),
  readOfRecord: (asked: string, listing: Parameters<typeof readOfRecord>[1]) =>
    readOfRecord(asked, listing, context),
  noticesOfDeleted: (listing: Listing, asked: Name) => noticesOfDeleted(listing, asked, context),
  recording: (references: readonly Reference[]) =>
    context.store.listings.recording(references, mostRecording),
  holding: context.store.listings.holding satisfies Holders['holding'] as Holders['holding'],
  formerly: (references: readonly Reference[]) => context.store.listings.formerly(references, mostRecording),
  whyNone: (field: CopyField) => findLacking(context.store, [field]),
  ofTool: (name: string) => readTool(name, context),
  whatWasChecked: (meant: Reference) => whatWasChecked(meant, context),
  nearPackages: (name: string) => orEmpty(context.store.listings.nearPackages(name, maxNear), context),
  near: (text: string) =>
    orEmpty(
      context.store.listings.near(text, maxNear).then(({ near }) => near),
      context,
    ),
});

function toAsked(one: Name, at: number, isBesideNames: boolean) {
  const meant = isPageElsewhere(one.text) ? undefined : meantOf(one.references);
  const isAt = meant?.kind === 'endpoint' || meant?.kind === 'host';
  const named = meant ? namedBeside(meant) : [];
  const atHost = isAt && named.length === 0 ? referencesAt(toHost(meant.key)) : [];
  const alike = isAt ? lookAlikeOf(meant) : undefined;
  const { said, configured_as } = one;
  const isRest = isBesideNames && one.isUnread === true && configured_as === undefined;
  const item = isRest ? `the rest of item ${at + 1}` : `item ${at + 1}`;
  const asked = said === nothingSaid ? item : said;
  return {
    ...one,
    at,
    isRest,
    meant,
    started: startedOf(one.references),
    alike,
    besides: [...givenEndpoints(one.beside), ...atHost, ...named],
    as: { asked, ...(configured_as !== undefined && { configured_as }) },
  };
}
type AskedItem = ReturnType<typeof toAsked>;

function besideInDirectory(one: AskedItem, directory: Directory) {
  const { recording, known, formerly, readOfRecord: read } = directory;
  return besideWords(
    one,
    async (references) => {
      const found = (await recording(references)).flat();
      return [...(await known(found.map(({ handle }) => handle))).values()];
    },
    read && (async (text, references) => formerWords(text, await formerly(references), read)),
  );
}

function asksPayment(document: ListingDocument): boolean {
  const [payment] = judge(document, [{ criterion: 'no_payment_seen' }], Date.parse(document.observed_at));
  return payment?.result === 'not_met';
}

async function toListedAgent(
  one: AskedItem & { readonly by: FoundListing },
  whole: KnownListing,
  inCommand: Words,
  directory: Directory,
): Promise<Resolved> {
  const { handle, version, withdrawn } = whole.listing;
  if (withdrawn) {
    const notices = (await directory.noticesOfDeleted?.(whole.listing, one)) ?? [];
    return {
      ...one.as,
      outcome: 'withdrawn',
      handle,
      found_by: one.by.found_by,
      reason: reasonWords((await directory.whyWithdrawn?.(whole.listing)) ?? ''),
      ...(!isEmpty(inCommand) && { version_asked: inCommand }),
      ...(notices.length > 0 && { stands_out: notices }),
    };
  }
  const part = askedPart(whole.listing, one);
  const known = part ? whole.at(part) : whole;
  const document = known.document();
  const answer = toAnswer(document, 'short');
  const { notes: ofAnswer, ofNoCheck } = answer;
  const { beside, formerly } = atRecord(withBeside(one.by, inCommand));
  const ofRecord = await directory.readOfRecord?.(one.text, document);
  const { isRecorded, ofVersion } = noticesOfOther(one.text, { ...known, ofRecord });
  const asked = askedVersion(one.text, { ...known, ofRecord }, beside);
  // A range that means the recorded version limits nothing.
  const isNote = isRecorded && !beside && asked !== undefined;
  const ofAsked = [isNote ? asked : undefined, givenWords(one, document)].filter(
    (words) => words !== undefined,
  );
  const notes = [...ofAsked, ...ofAnswer, ...ofNoCheck.map(({ text }) => text)];
  return {
    ...one.as,
    outcome: 'listed',
    version,
    ...besideStandsOut(known),
    version_asked: isNote ? undefined : asked,
    part_asked: part?.about,
    found_by: one.by.found_by,
    package_version: askedPackages(known.listing, one)[0]?.version,
    ...(asksPayment(document) && { asks_payment: true as const }),
    ...(notes.length > 0 && { notes }),
    unknown: unknownFindings(document, {
      kind: one.meant?.kind,
      formerly,
      ofVersion,
      beside,
    }),
    stands_out: [
      ...(part ? malwareBeside(whole.observations, known.observations) : []),
      ...noticesOf(known, one, answer).map(({ fact: _, ...notice }) => notice),
    ],
  };
}

async function toMissing(
  one: AskedItem,
  listingsOf: (kind: Reference['kind']) => readonly Listing[],
  nearText: string,
  directory: Directory,
): Promise<Resolved> {
  const { as, handles, references, meant, tool } = one;
  const why = one.isRest ? own('Dossier cannot tell what else this text runs.') : whyUnreadable(one);
  const isTool = tool?.isSure === true;
  const isNoHandle = handles.length === 0 && references.length > 0 && !isTool;
  const field = !why && isNoHandle ? fieldOf(meant?.kind) : undefined;
  const whyNone = field && (await directory.whyNone(field));
  const reason = why ?? (whyNone === undefined ? undefined : reasonWords(whyNone));
  const alike = nearText ? await directory.near(nearText) : [];
  const packages = nearText && meant?.kind === 'package' ? await directory.nearPackages(meant.key) : [];
  const atHost = listingsOf('host');
  const redirected = listingsOf('moved');
  const ofDomain = listingsOf('owner');
  const naming = meant ? [...listingsOf('account'), ...listingsOf('website')].filter(isNaming(meant)) : [];
  const isAt = meant?.kind === 'endpoint' || meant?.kind === 'host';
  const ofTool = nearText && tool ? await directory.ofTool?.(tool.name) : undefined;
  const checked = meant && !isTool ? await directory.whatWasChecked?.(meant) : undefined;
  const unasked = isAt
    ? await unrecordedWords(meant, { atHost, redirected, ofDomain, naming }, directory.holding)
    : meant?.kind === 'owner' && ofDomain.length === 0
      ? reasonWords(noneOfOwner(await directory.whyNone('endpoint')))
      : (checked ?? whereToAsk(isTool ? undefined : meant));
  const said = join([ofTool?.words, reason ?? unasked], ' ');
  const besides = [atHost, redirected].find(({ length }) => length > 0) ?? [
    ...ofDomain,
    ...(meant?.kind === 'owner' ? naming : []),
  ];
  const beside = [
    ...(ofTool?.handles ?? []),
    ...[...listingsOf('endpoint'), ...besides, ...packages].map(({ handle }) => handle),
  ];
  const similar = [...new Set([...beside, ...alike])];
  const near = (similar.length > 0 ? similar : naming.map(({ handle }) => handle)).slice(0, maxNear);
  return {
    ...as,
    outcome: reason || isTool ? 'not_known' : 'not_listed',
    ...(!isEmpty(said) && { reason: said }),
    ...(packages.length > 0 && { notes: packages.map(recordsPackage) }),
    ...(near.length > 0 && { near }),
  };
}

export async function resolveAll(handles: readonly string[], directory: Directory): Promise<Resolved[]> {
  const names = handles.flatMap((one, at) => {
    const all = readNames(one, directory.publicUrl);
    const isSome = all.some(({ isUnread }) => !isUnread);
    return all.map((name) => toAsked(name, at, isSome));
  });
  const named = await directory.known([...new Set(names.flatMap((one) => one.handles))]);
  const handleOf = ({ handles }: AskedItem) => handles.find((handle) => named.has(handle));
  const references = names.flatMap((one) =>
    handleOf(one) ? [] : [...one.references, ...one.started, ...one.besides, ...(one.alike?.at ?? [])],
  );
  const [read, had] = await Promise.all([directory.recording(references), directory.formerly(references)]);
  const recorders = new Map(references.map((one, at) => [one, read[at] ?? []]));
  const formerHolders = new Map(references.map((one, at) => [one, had[at] ?? []]));
  const recording = (all: readonly Reference[]) => all.map((one) => recorders.get(one) ?? []);
  const held = await inTurns(names, async (one) => {
    const handle = handleOf(one);
    const known: FoundListing | Several | undefined = handle ? { handle } : undefined;
    if (known) return { one, by: known, isLink: false };
    const { now, before } = await pickHolders(one, one.started, async (all) => {
      const formerly = all.map((reference) => formerHolders.get(reference) ?? []);
      return { recording: recording(all), formerly, holding: directory.holding };
    });
    const by = now ?? before;
    return { one, by, isLink: one.isLinked === true && by === undefined };
  });
  const picked = [...Map.groupBy(held, ({ one }) => one.at).values()].flatMap(withoutLinks);
  const found = picked
    .flatMap(({ by }) =>
      by && 'candidates' in by ? by.candidates.map(({ handle }) => handle) : (by?.handle ?? []),
    )
    .filter((handle) => !named.has(handle));
  const facts = new Map([...named, ...(await directory.known([...new Set(found)]))]);
  let searched = 0;
  return inTurns(picked, async ({ one, by }) => {
    const beside = await besideInDirectory(one, directory);
    const version_asked = isEmpty(beside) ? undefined : beside;
    if (by && 'candidates' in by) {
      const meant = by.candidates.flatMap(({ handle }) => facts.get(handle) ?? []);
      const at = atAsked(meant, one);
      const stands_out = noticesOfAsked(at, one);
      const unknown = at.map((known) => unknownFindings(known.document(), { kind: one.meant?.kind, beside }));
      const isPaid = at.some((known) => asksPayment(known.document()));
      return {
        ...one.as,
        outcome: 'several_listings' as const,
        version_asked,
        candidates: [...candidatesOf(by, meant)],
        ...(isPaid && { asks_payment: true as const }),
        notes: [severalWords(by), ...givenToEach(one, meant)],
        unknown: [...new Set(unknown.flat())].filter((name) => unknown.every((some) => some.includes(name))),
        ...(stands_out.length > 0 && { stands_out }),
      };
    }
    const known = by && facts.get(by.handle);
    if (known) return toListedAgent({ ...one, by }, known, beside, directory);
    const lookAlikes = recording(one.alike?.at ?? []).find(({ length }) => length > 0);
    if (one.alike && lookAlikes) {
      const near = lookAlikes.slice(0, maxNear).map(({ handle }) => handle);
      return { ...one.as, outcome: 'not_listed' as const, version_asked, reason: one.alike.words, near };
    }
    const listingsOf = (kind: Reference['kind']) =>
      recording(one.besides.filter((other) => other.kind === kind)).flat();
    const others = one.besides.filter(({ kind }) => kind !== 'account');
    const nearText = recording(others).flat().length === 0 ? toNearText(one) : '';
    const isSearched = nearText !== '' && searched++ < mostSearched;
    const missing = await toMissing(one, listingsOf, isSearched ? nearText : '', directory);
    return { ...missing, version_asked };
  });
}

const askedText = ({ asked, configured_as: name }: Resolved): string =>
  [name, asked].flatMap((one) => (one ? code(one) : [])).join(': ');

const untrusted = [
  ...(['version_asked', 'part_asked', 'title', 'description', 'version', 'package_version'] as const),
  ...(['facts', 'reason', 'stands_out', 'candidates'] as const),
] as const;

export const resolveAgents = defineTool({
  name: 'resolve_agents',
  title: 'Find the listings of a list of names',
  description:
    'Finds the listings of up to 100 packages, endpoints, repositories or handles at once: how each was found, and what stands out. That a name is not listed is no verdict.',
  asked:
    'check many or all MCP servers or packages at once, each, every server in my config, configuration file; inventory, audit of all my servers and of all that is installed; map, match, bulk, batch lookup, look up several at once; which of these URLs, addresses, dependencies are known; many names, list of packages to listings',
  effects: readsOnly,
  input: z.strictObject({ handles: z.array(namedInput.max(longestPasted)).min(1).max(mostNames) }),
  output: resolvedNames,
  ownLimits: [searchLimit, namedLimit],
  example: { handles: ['https://mcp.webhook.co/mcp', 'npm:@political-comms/mcp', 'npm:left-pad'] },
  toText: ({ results, ...answer }) =>
    paragraphs(
      ...results.map((one) => lines(askedText(one), list(toResolvedLines(one), toMarkdown))),
      `${answer.statement} As of ${answer.evidence_snapshot_date}.`,
      closingText(answer),
    ),
  async run({ handles }, context) {
    const { caller, clock, searches } = context;
    const now = clock();
    const { length: listings } = handles.flatMap((one) => readNames(one, context.config.publicUrl));
    if (listings > mostNames)
      throw wrongField('handles', `must have at most ${mostNames} names, with those of configurations`);
    const asked = { network: caller.network, now_ms: now.getTime(), listings };
    const results = await searches.run(asked, () => resolveAll(handles, createDirectory(context)));
    return {
      results,
      evidence_snapshot_date: dayText(now.toISOString()),
      statement: [toText(whatAListingIsNot), await endOfCopy(context.store)].filter(Boolean).join(' '),
      untrusted_fields: untrustedIn(results, untrusted).map((name) => `results.${name}`),
    };
  },
});
