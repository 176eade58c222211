import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { keyOf, type SavedView } from '../../config/files.ts';
import type { Context } from '../../context.ts';
import { every } from '../../core/every.ts';
import { Problem } from '../../core/problem.ts';
import { day, nextDay_ms } from '../../core/text.ts';
import { toText } from '../../core/words.ts';
import { keepsOut } from '../../document/criteria/approvals.ts';
import { judgeMember } from '../../document/criteria/criteria.ts';
import { toListingDocument } from '../../document/document.ts';
import { toPrivateFacts } from '../../document/facts.ts';
import { type ListingFacts, nextChange_ms } from '../../document/record.ts';
import type { ViewMember } from '../../document/registry/entries.ts';
import { type PrivateEntry, readPrivateEntries } from '../../imports/private-entries.ts';
import { isSample } from '../../listings/listing.ts';
import type { Change } from '../../log/change.ts';
import { type Verdict, verdictsOf } from './verdicts.ts';

/**
 * The views that some facts are judged by, with the listing; undefined for one that is not listed, or of the
 * sample.
 */
export function judgeFacts(
  facts: ListingFacts | undefined,
  views: readonly SavedView[],
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  isPrivate = false,
) {
  if (!facts || facts.listing.withdrawn || isSample(facts.listing)) return undefined;
  const now = clock();
  const listing = toListingDocument(facts, config, now);
  return {
    listing,
    memberships: views.map((view) => judgeMember(view, { listing, now_ms: now.getTime() }, isPrivate)),
  };
}

/** Whether a view is judged for each reader, so that nothing of it is stored. */
export const isJudgedWhenRead = ({ approvals, readers }: SavedView): boolean =>
  approvals !== undefined || readers !== undefined;

/** When all listings were last judged by a view; undefined before they have been. */
export async function findPass(view: SavedView, { store }: Pick<Context, 'store'>) {
  const key = keyOf(view);
  return (await store.views.passes()).find((one) => one.view === key);
}

/** The same; throws unavailable before they have been. */
export async function requireJudged(view: SavedView, context: Pick<Context, 'store'>) {
  const pass = await findPass(view, context);
  if (pass) return pass;
  const detail =
    'The listings have not been judged by the criteria of this view yet; that begins when an import from a registry has ended.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/** The private view of a name, if the caller is one of its readers; for any other caller it is not there. */
export function findPrivateView(name: string, { config, caller }: Pick<Context, 'config' | 'caller'>) {
  const digest = caller.capability === undefined ? '' : `sha256:${hash('sha256', caller.capability)}`;
  return config.privateViews.find(
    ({ name: own, readers }) => own === name && (readers === 'everyone' || readers?.includes(digest)),
  );
}

type Entries = ReadonlyMap<string, PrivateEntry>;

/**
 * The private entries that a view may list: none if it names no readers. Throws unavailable if the folder was
 * never read.
 */
async function readEntriesOf({ readers }: SavedView, { config }: Pick<Context, 'config'>): Promise<Entries> {
  const { entries } = await readPrivateEntries(readers ? config.privateListings : '');
  if (entries) return entries;
  const detail = 'The folder of private entries cannot be read; the log of the service says why.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/** Listings judged in one turn of the event loop; on SQLite reading them is computing. */
const perTurn = 20;

/** A name as a view judges it now, with the listing if it is in it. */
interface Judged {
  readonly verdict: Verdict;
  readonly member?: ViewMember;
}

const inBoth =
  'A registry has, or had, a listing of this name, so neither is used: the publisher of that listing would be taken for you. Give the entry another name.';

const noFile = 'The approval is of a private entry, and no readable file has this name now.';
const notPrivate =
  'The approval is of a listing, and this is a private entry. Approve it again with dossier approve, or add "private": true.';

/** What a view made of a private entry on a day. */
interface JudgedOn {
  readonly on: string;
  readonly judged: ReturnType<typeof judgeFacts>;
}
/** A file that changes makes another entry. */
const judgedEntries = new WeakMap<PrivateEntry, Map<SavedView, JudgedOn>>();

function judgeEntry(view: SavedView, entry: PrivateEntry, context: Context) {
  const on = day(context.clock().toISOString());
  const byView = judgedEntries.get(entry) ?? new Map<SavedView, JudgedOn>();
  const last = byView.get(view);
  if (last?.on === on) return last.judged;
  const judged = judgeFacts(toPrivateFacts(entry), [view], context, true);
  judgedEntries.set(entry, byView.set(view, { on, judged }));
  return judged;
}

/**
 * What a view makes of the facts of a listing, and of a private entry of the same name: a member, or why it
 * is none.
 */
function judgeName(
  view: SavedView,
  [handle, known, entry]: [string, ListingFacts | undefined, PrivateEntry | undefined],
  context: Context,
): ViewMember | readonly string[] {
  if (known && !isSample(known.listing) && entry) return [inBoth];
  const approval = view.approvals?.find((one) => one.handle === handle);
  if (approval?.private && !entry) return [noFile];
  if (approval && !approval.private && entry) return [notPrivate];
  // Without approvals, a view that names its readers lists private entries alone.
  const mayList = entry || !view.readers || view.approvals;
  const judgeKnown = () => (entry ? judgeEntry(view, entry, context) : judgeFacts(known, [view], context));
  const judged = mayList ? judgeKnown() : undefined;
  const [membership] = judged?.memberships ?? [];
  if (!judged || !membership) return ['It is not listed.'];
  const { answers, failed } = membership;
  if (failed.length === 0) return { listing: judged.listing, answers, entry };
  return answers.filter((answer) => keepsOut(view, answer)).map(({ fact }) => toText(fact));
}

/**
 * What other listings are may change what is said of one that is the same: so it is judged again after ten
 * minutes.
 */
const longestKept_ms = 600_000;

/** Some names as a view judges them now, at once. */
async function judgeSome(
  view: SavedView,
  [handles, entries]: [readonly string[], Entries],
  context: Context,
): Promise<Judged[]> {
  const now = context.clock();
  const facts = await context.store.documents.factsOfAll(handles, now.toISOString());
  const found = new Map(facts.map((one) => [one.listing.handle, one]));
  return handles.map((handle) => {
    const known = found.get(handle);
    const entry = entries.get(handle);
    const judged = judgeName(view, [handle, known, entry], context);
    const next_ms = known ? nextChange_ms(known, context) : nextDay_ms(now);
    const judgeAgain_ms = Math.min(next_ms, now.getTime() + longestKept_ms);
    const about = { handle, hasPage: known !== undefined, entry, judgeAgain_ms };
    return 'listing' in judged
      ? { verdict: { ...about, isIn: true, failed: [] }, member: judged }
      : { verdict: { ...about, isIn: false, failed: judged } };
  });
}

/** Names in the order given, a few in each turn of the event loop. */
async function inTurns(
  handles: readonly string[],
  judge: (some: readonly string[]) => Promise<readonly Judged[]>,
) {
  const judged: Judged[] = [];
  for (let at = 0; at < handles.length; at += perTurn) {
    if (at > 0) await setImmediate();
    judged.push(...(await judge(handles.slice(at, at + perTurn))));
  }
  return judged;
}

const judgeNow = (view: SavedView, [handles, entries]: [readonly string[], Entries], context: Context) =>
  inTurns(handles, (some) => judgeSome(view, [some, entries], context));

/**
 * The names of a view that is judged when it is read: each is judged once until its listing changes, whatever
 * page is asked for.
 */
async function judgeChanged(
  view: SavedView,
  [handles, entries]: [readonly string[], Entries],
  context: Context,
) {
  const { find, keep, forgetOthers } = verdictsOf(view, context.store);
  forgetOthers(handles);
  const now_ms = context.clock().getTime();
  const last = (handle: string) => {
    const verdict = find(handle);
    const holds = verdict && verdict.entry === entries.get(handle) && now_ms < verdict.judgeAgain_ms;
    return holds ? verdict : undefined;
  };
  const known = new Map(handles.map((handle) => [handle, last(handle)]));
  const changed = handles.filter((handle) => !known.get(handle));
  const judged = await inTurns(changed, (some) => keep(() => judgeSome(view, [some, entries], context)));
  for (const { verdict } of judged) known.set(verdict.handle, verdict);
  return {
    verdicts: handles.flatMap((handle) => known.get(handle) ?? []),
    judged: new Map(judged.map((one) => [one.verdict.handle, one])),
  };
}

/** The names that a view approves. */
export const handlesOf = ({ approvals = [] }: SavedView) => approvals.map(({ handle }) => handle).sort();

/**
 * A listing's place in a view; undefined if it is not in it. Throws unavailable before the view was judged.
 */
export async function findMember(
  view: SavedView,
  handle: string,
  context: Context,
): Promise<ViewMember | undefined> {
  if (!isJudgedWhenRead(view)) {
    await requireJudged(view, context);
    const [span] = await context.store.views.spans(keyOf(view), [handle]);
    if (span?.left_seq !== null) return undefined;
  }
  const [judged] = await judgeNow(view, [[handle], await readEntriesOf(view, context)], context);
  return judged?.member;
}

/**
 * The listings of a view in the order of their handles, how many there are, the handle after which the next
 * page begins, and the approved listings and private entries that are not in it. One that stopped meeting the
 * view is about to leave it, and is not shown. Throws unavailable before the view was judged; one with
 * approvals or readers is judged when it is read.
 */
export async function readMembers(
  view: SavedView,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  context: Context,
) {
  const entries = await readEntriesOf(view, context);
  if (isJudgedWhenRead(view)) {
    const asked = view.approvals ? handlesOf(view) : [...entries.keys()].sort();
    const { verdicts, judged } = await judgeChanged(view, [asked, entries], context);
    const handles = verdicts.filter(({ isIn }) => isIn).map(({ handle }) => handle);
    const rest = handles.filter((handle) => handle > after);
    const shown = rest.slice(0, limit);
    const again = shown.filter((handle) => !judged.has(handle));
    for (const one of await judgeNow(view, [again, entries], context)) judged.set(one.verdict.handle, one);
    return {
      members: shown.flatMap((handle) => judged.get(handle)?.member ?? []),
      count: handles.length,
      next: rest.length > limit ? shown.at(-1) : undefined,
      lapsed: verdicts.filter(({ isIn }) => !isIn),
    };
  }
  await requireJudged(view, context);
  const handles = await context.store.views.members(keyOf(view), after, limit + 1);
  const judged = await judgeNow(view, [handles.slice(0, limit), entries], context);
  return {
    members: judged.flatMap(({ member }) => member ?? []),
    count: await context.store.views.count(keyOf(view)),
    next: handles.length > limit ? handles[limit - 1] : undefined,
    lapsed: [],
  };
}

/**
 * Those of some changes that are of a view: what its listings changed while they were in it, and with which
 * change each of them joined or left.
 */
export async function changesOf(
  view: SavedView,
  changes: readonly Change[],
  { store }: Pick<Context, 'store'>,
): Promise<Change[]> {
  const spans = await store.views.spans(keyOf(view), [...new Set(changes.map(({ handle }) => handle))]);
  return changes.filter(({ type, handle, seq, data }) => {
    if (type === 'view.joined' || type === 'view.left') return data.view === view.name;
    const span = spans.find((one) => one.handle === handle);
    return span !== undefined && span.joined_seq <= seq && seq <= (span.left_seq ?? seq);
  });
}

/**
 * Names in the log how many private entries there are and what of the folder cannot be read: at the start and
 * with each import.
 */
export async function startReadingPrivate({ config, log }: Context, signal: AbortSignal): Promise<void> {
  const { privateListings, importInterval_s } = config;
  if (!privateListings) return;
  await every({
    signal,
    pause_ms: importInterval_s * 1000,
    async run() {
      const { entries, faults } = await readPrivateEntries(privateListings);
      log.info({ entries: entries?.size ?? 0, faults: faults.length }, 'private entries were read');
      for (const fault of faults) log.warn(`PRIVATE_LISTINGS: ${fault}`);
    },
    onError: (err) => log.warn({ err }, 'private entries could not be read; tried again'),
  });
}
