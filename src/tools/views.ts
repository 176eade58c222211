import { hash } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { keyOf, type SavedView } from '../config/files.ts';
import type { Context } from '../context.ts';
import { every } from '../core/every.ts';
import { readPages } from '../core/pages.ts';
import { Problem } from '../core/problem.ts';
import { day } from '../core/text.ts';
import { keepsOut } from '../document/criteria/approvals.ts';
import { judgeMember } from '../document/criteria/criteria.ts';
import { toListingDocument } from '../document/document.ts';
import { toPrivateFacts } from '../document/facts.ts';
import type { ListingFacts } from '../document/record.ts';
import type { ViewMember } from '../document/registry/entries.ts';
import { type PrivateEntry, readPrivateEntries } from '../imports/private-entries.ts';
import { isSample, sampleSource } from '../listings/listing.ts';
import type { Change, FailedCriterion } from '../log/change.ts';
import type { Reads, Transaction } from '../store/store.ts';

/** The views that some facts are judged by, with the listing; undefined for one that is not listed, or of the sample. */
function judgeFacts(
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

/** The private entries that a view may list: none if it names no readers. Throws unavailable if the folder was never read. */
async function readEntriesOf({ readers }: SavedView, { config }: Pick<Context, 'config'>): Promise<Entries> {
  const { entries } = await readPrivateEntries(readers ? config.privateListings : '');
  if (entries) return entries;
  const detail = 'The folder of private entries cannot be read; the log of the service says why.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/** Listings judged in one turn of the event loop; on SQLite reading them is computing. */
const perTurn = 20;

/** A name as a view judges it now: in it as `member`, or why it is not; `hasPage` if a registry listed it. */
interface Judged {
  readonly handle: string;
  readonly hasPage: boolean;
  readonly member?: ViewMember;
  readonly failed: readonly string[];
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

/** What a view makes of the facts of a listing, and of a private entry of the same name. */
function judgeName(
  view: SavedView,
  [handle, known, entry]: [string, ListingFacts | undefined, PrivateEntry | undefined],
  context: Context,
): Judged {
  const about = { handle, hasPage: known !== undefined };
  if (known && !isSample(known.listing) && entry) return { ...about, failed: [inBoth] };
  const approval = view.approvals?.find((one) => one.handle === handle);
  if (approval?.private && !entry) return { ...about, failed: [noFile] };
  if (approval && !approval.private && entry) return { ...about, failed: [notPrivate] };
  // Without approvals, a view that names its readers lists private entries alone.
  const mayList = entry || !view.readers || view.approvals;
  const judgeKnown = () => (entry ? judgeEntry(view, entry, context) : judgeFacts(known, [view], context));
  const judged = mayList ? judgeKnown() : undefined;
  const [membership] = judged?.memberships ?? [];
  if (!judged || !membership) return { ...about, failed: ['It is not listed.'] };
  const { answers, failed } = membership;
  if (failed.length === 0)
    return { ...about, member: { listing: judged.listing, answers, entry }, failed: [] };
  return { ...about, failed: answers.filter((answer) => keepsOut(view, answer)).map(({ fact }) => fact) };
}

/** Some names as a view judges them now, in the order given. */
async function judgeNow(view: SavedView, [handles, entries]: [readonly string[], Entries], context: Context) {
  const judged: Judged[] = [];
  for (let at = 0; at < handles.length; at += perTurn) {
    if (at > 0) await setImmediate();
    const some = handles.slice(at, at + perTurn);
    const facts = await context.store.documents.factsOfAll(some, context.clock().toISOString());
    const found = new Map(facts.map((one) => [one.listing.handle, one]));
    judged.push(
      ...some.map((handle) => judgeName(view, [handle, found.get(handle), entries.get(handle)], context)),
    );
  }
  return judged;
}

const handlesOf = ({ approvals = [] }: SavedView) => approvals.map(({ handle }) => handle).sort();

/** A listing's place in a view; undefined if it is not in it. Throws unavailable before the view was judged. */
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
 * The listings of a view in the order of their handles, how many there are, the handle after which the next page begins, and
 * the approved listings and private entries that are not in it. One that stopped meeting the view is about to leave it, and is
 * not shown. Throws unavailable before the view was judged; one with approvals or readers is judged when it is read.
 */
export async function readMembers(
  view: SavedView,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  context: Context,
) {
  const entries = await readEntriesOf(view, context);
  if (isJudgedWhenRead(view)) {
    const handles = view.approvals ? handlesOf(view) : [...entries.keys()].sort();
    const judged = await judgeNow(view, [handles, entries], context);
    const all = judged.flatMap(({ member }) => member ?? []);
    const rest = all.filter(({ listing }) => listing.handle > after);
    const next = rest.length > limit ? rest[limit - 1]?.listing.handle : undefined;
    const lapsed = judged.filter(({ member }) => !member);
    return { members: rest.slice(0, limit), count: all.length, next, lapsed };
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
 * Those of some changes that are of a view: what its listings changed while they were in it, and with which change each of
 * them joined or left.
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

/** How often the changes since the last time are read. */
const pause_ms = 1000;
/** How often all listings are judged: some criteria depend on the time alone. */
const betweenPasses_ms = 600_000;
/** A view that no node has judged for so long is forgotten. */
const longestUnused_ms = 86_400_000;
/** Listings judged at a stretch, some ms of computing. */
const batch = 20;
/** After each batch the judge rests this many times as long as it took, so that requests go first. */
const restPerWork = 3;
const changesAtOnce = 500;
/** Members of a view with approvals: as many as a file may approve. */
const mostApproved = 1000;

type JudgeContext = Pick<Context, 'config' | 'store' | 'clock'>;

/** A listing that is not where its facts want it. */
interface Move {
  readonly view: SavedView;
  readonly handle: string;
  readonly joined_seq: number | undefined;
  /** Undefined if it joins. */
  readonly failed: readonly FailedCriterion[] | undefined;
}

/** Which of some listings join or leave which view. */
async function findMoves(reads: Reads, handles: readonly string[], context: JudgeContext): Promise<Move[]> {
  const { views } = context.config;
  const now = context.clock().toISOString();
  const spans = await Promise.all(views.map((view) => reads.views.spans(keyOf(view), handles)));
  const facts = await reads.documents.factsOfAll(handles, now);
  const found = new Map(facts.map((one) => [one.listing.handle, one]));
  const moves: Move[] = [];
  for (const handle of handles) {
    const judged = judgeFacts(found.get(handle), views, context);
    for (const [at, view] of views.entries()) {
      const span = spans[at]?.find((one) => one.handle === handle && one.left_seq === null);
      const failed = judged ? (judged.memberships[at]?.failed ?? []) : [];
      const isIn = judged !== undefined && failed.length === 0;
      if (isIn === (span === undefined))
        moves.push({ view, handle, joined_seq: span?.joined_seq, failed: isIn ? undefined : failed });
    }
  }
  return moves;
}

async function apply(tx: Transaction, { view, handle, joined_seq = 0, failed }: Move, at: string) {
  const key = keyOf(view);
  const type = failed ? 'view.left' : 'view.joined';
  await tx.changes.add([{ type, handle, at, data: { view: view.name, ...(failed && { failed }) } }]);
  const seq = (await tx.changes.newest(1))[0]?.seq ?? 0;
  const span = failed ? { joined_seq, left_seq: seq } : { joined_seq: seq, left_seq: null };
  await tx.views.putSpan({ view: key, handle, ...span });
}

/** Judges a few listings, and writes what moved. What is in a view when it is first judged has not joined it. */
async function judgeBatch(handles: readonly string[], context: JudgeContext): Promise<void> {
  if ((await findMoves(context.store, handles, context)).length === 0) return;
  await context.store.write(async (tx) => {
    const judged = new Set((await tx.views.passes()).map(({ view }) => view));
    // Judged again under the write lock: another node may have seen a later state of the listing.
    for (const move of await findMoves(tx, handles, context)) {
      const key = keyOf(move.view);
      if (judged.has(key)) await apply(tx, move, context.clock().toISOString());
      else if (!move.failed)
        await tx.views.putSpan({ view: key, handle: move.handle, joined_seq: 0, left_seq: null });
    }
  });
}

/** Keeps the members of the views of one node's configuration as the listings' facts want them: a judge that rests after each batch, until the signal: then its calls throw the signal's reason. */
export function createViewJudge(context: JudgeContext, signal?: AbortSignal) {
  const { store, config, clock } = context;
  let position: number | undefined;
  const newest = async () => (await store.changes.newest(1))[0]?.seq ?? 0;
  const judge = async (handles: readonly string[]) => {
    for (let at = 0; at < handles.length; at += batch) {
      const began_ms = performance.now();
      await judgeBatch(handles.slice(at, at + batch), context);
      await wait((performance.now() - began_ms) * restPerWork, undefined, { signal, ref: false });
    }
  };
  /** Judges the listings that changed since it was last called, by this process or another. */
  const follow = async () => {
    // Where the last pass of any node began; before the first one, that pass comes first.
    position ??= Math.min(await newest(), ...(await store.views.passes()).map(({ seq }) => seq));
    for (;;) {
      const changes = await store.changes.after(position, changesAtOnce);
      const others = changes.filter(({ type }) => !type.startsWith('view.'));
      await judge([...new Set(others.map(({ handle }) => handle))]);
      position = changes.at(-1)?.seq ?? position;
      if (changes.length < changesAtOnce) return;
    }
  };
  /** Judges what the files of this node approve, or did: the files may have changed while no node ran. */
  const approved = async () => {
    const withApprovals = config.views.filter(({ approvals }) => approvals);
    const stored = withApprovals.map((view) => store.views.members(keyOf(view), '', mostApproved));
    await judge([...new Set([...withApprovals.flatMap(handlesOf), ...(await Promise.all(stored)).flat()])]);
  };
  const pass = async () => {
    if (config.views.length === 0) return;
    const seq = await newest();
    await judge(await store.views.unlisted());
    const read = (last?: { readonly handle: string }) => store.listings.page(last?.handle ?? '', batch);
    for await (const page of readPages(batch, read)) {
      await judge(page.map(({ handle }) => handle));
      await follow();
    }
    const now = clock();
    const before = new Date(now.getTime() - longestUnused_ms).toISOString();
    await store.write(async (tx) => {
      for (const view of config.views)
        await tx.views.putPass({ view: keyOf(view), seq, passed_at: now.toISOString() }, before);
    });
  };
  return { approved, follow, pass };
}

/**
 * Whether a view was never judged, or not for ten minutes, by any node. Not before an import from a registry has ended: the
 * first one makes no changes, so its listings would wait for the next pass, and would then join.
 */
async function isPassDue({ config, store, clock }: JudgeContext): Promise<boolean> {
  const { done } = await store.imports.last();
  if (!done || done.source === sampleSource) return false;
  const passes = new Map((await store.views.passes()).map(({ view, passed_at }) => [view, passed_at]));
  const oldest = new Date(clock().getTime() - betweenPasses_ms).toISOString();
  return config.views.some((view) => (passes.get(keyOf(view)) ?? '') <= oldest);
}

/** Judges listings when they change, and all of them every ten minutes, until the signal. Never throws. */
export async function startJudgingViews(context: Context, signal: AbortSignal): Promise<void> {
  if (context.config.views.length === 0) return;
  const judge = createViewJudge(context, signal);
  let isFirst = true;
  await every({
    signal,
    pause_ms,
    async run() {
      if (isFirst) await judge.approved();
      isFirst = false;
      await judge.follow();
      if (await isPassDue(context)) await judge.pass();
    },
    onError: (err) => context.log.warn({ err }, 'the listings of views could not be judged; tried again'),
  });
}

/** Names in the log how many private entries there are and what of the folder cannot be read: at the start and with each import. */
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
