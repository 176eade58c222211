import { hash } from 'node:crypto';
import { keyOf, type Selection } from '../config/files.ts';
import type { Context } from '../context.ts';
import { createEpoch } from '../core/epoch.ts';
import { every } from '../core/every.ts';
import { Problem } from '../core/problem.ts';
import { dayText, nextDay_ms } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import { toText } from '../core/words.ts';
import { toAnswer } from '../document/answers/answers.ts';
import { whyWords } from '../document/criteria/criteria.ts';
import { toListingDocument } from '../document/document.ts';
import { type ListingFacts, nextChange_ms } from '../document/record.ts';
import { isSample } from '../listings/listing.ts';
import type { Change } from '../log/change.ts';
import type { Store } from '../store/store.ts';
import { judgeMember, keepsOut } from './approvals.ts';
import { type PrivateEntry, readPrivateEntries, type SelectionMember, toPrivateFacts } from './entries.ts';

interface SelectionVerdict {
  readonly handle: string;
  /** Listed by a registry, now or once. */
  readonly hasPage: boolean;
  readonly isIn: boolean;
  /** Why it is not in. */
  readonly failed: readonly string[];
  /** A changed file makes a new one. */
  readonly entry: object | undefined;
  /** In ms since 1970. */
  readonly judgeAgain_ms: number;
}

function createMemory(store: Store) {
  const bySelection = new Map<Selection, Map<string, SelectionVerdict>>();
  const { begin, change } = createEpoch({
    drop(handles) {
      for (const known of bySelection.values()) for (const handle of handles) known.delete(handle);
    },
    clear() {
      for (const known of bySelection.values()) known.clear();
    },
  });
  store.onChange(change);
  return { bySelection, begin };
}

const memories = new WeakMap<Store, ReturnType<typeof createMemory>>();

/** Dropped when their listings change, and those of a view when its file was read again. */
function verdictsOf(selection: Selection, { store, config }: Pick<Context, 'store' | 'config'>) {
  const memory = memories.get(store) ?? createMemory(store);
  memories.set(store, memory);
  const present = [...config.views, ...config.privateViews];
  for (const one of memory.bySelection.keys()) if (!present.includes(one)) memory.bySelection.delete(one);
  const known = memory.bySelection.get(selection) ?? new Map<string, SelectionVerdict>();
  memory.bySelection.set(selection, known);
  return {
    find: (handle: string) => known.get(handle),
    /** Not if a listing changed meanwhile. */
    async keep<T extends { readonly verdict: SelectionVerdict }>(judge: () => Promise<readonly T[]>) {
      const mayStore = memory.begin();
      const judged = await judge();
      if (mayStore()) for (const { verdict } of judged) known.set(verdict.handle, verdict);
      return judged;
    },
    forgetOthers(handles: readonly string[]) {
      if (known.size <= handles.length) return;
      const asked = new Set(handles);
      for (const handle of known.keys()) if (!asked.has(handle)) known.delete(handle);
    },
  };
}

/** Undefined if withdrawn, unknown or of the sample. */
export function judgeFacts(
  facts: ListingFacts | undefined,
  selections: readonly Selection[],
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  isPrivate = false,
) {
  if (!facts || facts.listing.withdrawn || isSample(facts.listing)) return undefined;
  const now = clock();
  const listing = toListingDocument(facts, config, now);
  return {
    listing,
    memberships: selections.map((selection) =>
      judgeMember(selection, { listing, now_ms: now.getTime() }, isPrivate),
    ),
  };
}

/** Stored members are not shown then. */
export const isJudgedWhenRead = ({ approvals, readers }: Selection): boolean =>
  approvals !== undefined || readers !== undefined;

/** Undefined before the first pass. */
export async function findPass(selection: Selection, { store }: Pick<Context, 'store'>) {
  const key = keyOf(selection);
  return (await store.selections.passes()).find((one) => one.view === key);
}

/** Throws unavailable before the first pass. */
export async function requireJudged(selection: Selection, context: Pick<Context, 'store'>) {
  const pass = await findPass(selection, context);
  if (pass) return pass;
  const detail =
    'The listings have not been judged by the criteria of this view yet. Judging begins when an import from a registry has ended.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/** Throws not_found, for a private one too. */
export function requireSelection(name: string, { config }: Pick<Context, 'config'>) {
  const selection = config.views.find((one) => one.name === name);
  if (!selection)
    throw new Problem(
      'not_found',
      'No view of this name can be read here; /views lists those that everybody may read.',
    );
  return selection;
}

/** Undefined unless the caller is a reader. */
export function findPrivateSelection(name: string, { config, caller }: Pick<Context, 'config' | 'caller'>) {
  const digest = caller.capability === undefined ? '' : `sha256:${hash('sha256', caller.capability)}`;
  return config.privateViews.find(
    ({ name: own, readers }) => own === name && (readers === 'everyone' || readers?.includes(digest)),
  );
}

type Entries = ReadonlyMap<string, PrivateEntry>;

/** None without readers. Throws unavailable if the folder was never read. */
async function readEntriesOf({ readers }: Selection, { config }: Pick<Context, 'config'>): Promise<Entries> {
  const { entries } = await readPrivateEntries(readers ? config.privateListings : '');
  if (entries) return entries;
  const detail = 'The folder of private entries cannot be read; the log of the service says why.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/** Held in memory at once. */
const readAtOnce = 20;

type JudgedName = Awaited<ReturnType<typeof judgeSome>>[number];

const inBoth =
  'A registry has or had a listing of this name. Neither the listing nor the private entry is used, because readers would take the publisher of the listing for you. Give the entry another name.';

const noFile = 'The approval is of a private entry, and no readable file has this name now.';
const notPrivate =
  'The approval is of a listing, and this is a private entry. Approve it again with dossier approve, or add "private": true.';

interface JudgedOn {
  readonly on: string;
  readonly judged: ReturnType<typeof judgeFacts>;
}
/** A changed file makes a new entry. */
const judgedEntries = new WeakMap<PrivateEntry, Map<Selection, JudgedOn>>();

function judgeEntry(selection: Selection, entry: PrivateEntry, context: Context) {
  const on = dayText(context.clock().toISOString());
  const bySelection = judgedEntries.get(entry) ?? new Map<Selection, JudgedOn>();
  const last = bySelection.get(selection);
  if (last?.on === on) return last.judged;
  const judged = judgeFacts(toPrivateFacts(entry), [selection], context, true);
  judgedEntries.set(entry, bySelection.set(selection, { on, judged }));
  return judged;
}

/** Or why it is not in. */
function judgeName(
  selection: Selection,
  [handle, known, entry]: [string, ListingFacts | undefined, PrivateEntry | undefined],
  context: Context,
): SelectionMember | readonly string[] {
  if (known && !isSample(known.listing) && entry) return [inBoth];
  const approval = selection.approvals?.find((one) => one.handle === handle);
  if (approval?.private && !entry) return [noFile];
  if (approval && !approval.private && entry) return [notPrivate];
  // With readers and without approvals, private entries alone.
  const mayList = entry || !selection.readers || selection.approvals;
  const judgeKnown = () =>
    entry ? judgeEntry(selection, entry, context) : judgeFacts(known, [selection], context);
  const judged = mayList ? judgeKnown() : undefined;
  const [membership] = judged?.memberships ?? [];
  if (!judged || !membership) return ['It is not listed.'];
  const { failed, ...answered } = membership;
  if (failed.length === 0) return { listing: judged.listing, ...answered, entry };
  const facts = answered.answers.filter((one) => keepsOut(selection, one)).map(({ fact }) => fact);
  const answer = toAnswer(judged.listing);
  const why = answered.judged.filter((one) => keepsOut(selection, one)).map((one) => whyWords(answer, one));
  return [...facts, ...why].map(toText);
}

/** Other listings may change the facts. */
const longestKept_ms = 600_000;

async function judgeSome(
  selection: Selection,
  [handles, entries]: [readonly string[], Entries],
  context: Context,
) {
  const now = context.clock();
  const facts = await context.store.documents.factsOfAll(handles, now.toISOString());
  const found = new Map(facts.map((one) => [one.listing.handle, one]));
  return inTurns(handles, (handle) => {
    const known = found.get(handle);
    const entry = entries.get(handle);
    const judged = judgeName(selection, [handle, known, entry], context);
    const next_ms = known ? nextChange_ms(known, context) : nextDay_ms(now);
    const judgeAgain_ms = Math.min(next_ms, now.getTime() + longestKept_ms);
    const about = { handle, hasPage: known !== undefined, entry, judgeAgain_ms };
    return 'listing' in judged
      ? { verdict: { ...about, isIn: true, failed: [] }, member: judged }
      : { verdict: { ...about, isIn: false, failed: judged } };
  });
}

async function inParts(
  handles: readonly string[],
  judge: (some: readonly string[]) => Promise<readonly JudgedName[]>,
) {
  const starts = handles.keys().filter((at) => at % readAtOnce === 0);
  return (await inTurns(starts, (at) => judge(handles.slice(at, at + readAtOnce)))).flat();
}

const judgeNow = (selection: Selection, [handles, entries]: [readonly string[], Entries], context: Context) =>
  inParts(handles, (some) => judgeSome(selection, [some, entries], context));

/** A result goes after ten minutes, or when its listing, file or a date may change it. */
async function judgeChanged(
  selection: Selection,
  [handles, entries]: [readonly string[], Entries],
  context: Context,
) {
  const { find, keep, forgetOthers } = verdictsOf(selection, context);
  forgetOthers(handles);
  const now_ms = context.clock().getTime();
  const last = (handle: string) => {
    const verdict = find(handle);
    const holds = verdict && verdict.entry === entries.get(handle) && now_ms < verdict.judgeAgain_ms;
    return holds ? verdict : undefined;
  };
  const known = new Map(handles.map((handle) => [handle, last(handle)]));
  const changed = handles.filter((handle) => !known.get(handle));
  const judged = await inParts(changed, (some) => keep(() => judgeSome(selection, [some, entries], context)));
  for (const { verdict } of judged) known.set(verdict.handle, verdict);
  return {
    verdicts: handles.flatMap((handle) => known.get(handle) ?? []),
    judged: new Map(judged.map((one) => [one.verdict.handle, one])),
  };
}

export const handlesOf = ({ approvals = [] }: Selection) => approvals.map(({ handle }) => handle).sort();

/** Throws unavailable before it was judged. */
export async function findMember(selection: Selection, handle: string, context: Context) {
  if (!isJudgedWhenRead(selection)) {
    await requireJudged(selection, context);
    const [span] = await context.store.selections.spans(keyOf(selection), [handle]);
    if (span?.left_seq !== null) return undefined;
  }
  const [judged] = await judgeNow(selection, [[handle], await readEntriesOf(selection, context)], context);
  return judged?.member;
}

/**
 * By handle; the next page begins after `next`. `lapsed`: approved or private, but not in. What no longer
 * meets the criteria is not shown. Throws unavailable before it was judged.
 */
export async function readMembers(
  selection: Selection,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  context: Context,
) {
  const entries = await readEntriesOf(selection, context);
  if (isJudgedWhenRead(selection)) {
    const asked = selection.approvals ? handlesOf(selection) : [...entries.keys()].sort();
    const { verdicts, judged } = await judgeChanged(selection, [asked, entries], context);
    const handles = verdicts.filter(({ isIn }) => isIn).map(({ handle }) => handle);
    const rest = handles.filter((handle) => handle > after);
    const shown = rest.slice(0, limit);
    const again = shown.filter((handle) => !judged.has(handle));
    for (const one of await judgeNow(selection, [again, entries], context))
      judged.set(one.verdict.handle, one);
    return {
      members: shown.flatMap((handle) => judged.get(handle)?.member ?? []),
      count: handles.length,
      next: rest.length > limit ? shown.at(-1) : undefined,
      lapsed: verdicts.filter(({ isIn }) => !isIn),
    };
  }
  await requireJudged(selection, context);
  const handles = await context.store.selections.members(keyOf(selection), after, limit + 1);
  const judged = await judgeNow(selection, [handles.slice(0, limit), entries], context);
  return {
    members: judged.flatMap(({ member }) => member ?? []),
    count: await context.store.selections.count(keyOf(selection)),
    next: handles.length > limit ? handles[limit - 1] : undefined,
    lapsed: [],
  };
}

/** Joining, leaving, and what happened in between. */
export async function changesOf(
  selection: Selection,
  changes: readonly Change[],
  { store }: Pick<Context, 'store'>,
): Promise<Change[]> {
  const spans = await store.selections.spans(keyOf(selection), [
    ...new Set(changes.map(({ handle }) => handle)),
  ]);
  return changes.filter(({ type, handle, seq, data }) => {
    if (type === 'view.joined' || type === 'view.left') return data.view === selection.name;
    const span = spans.find((one) => one.handle === handle);
    return span !== undefined && span.joined_seq <= seq && seq <= (span.left_seq ?? seq);
  });
}

/** Only logs: selections read the folder themselves. */
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
    onError: (err) => log.warn({ err }, 'private entries could not be read; this is tried again'),
  });
}
