import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster, ClusterNode } from './cluster.ts';
import {
  type Call,
  createTally,
  NotThereError,
  send,
  sendUntilAcknowledged,
  type Tally,
  toTool,
} from './requests.ts';

const think_ms = 150;
const staleAfter_ms = 100;
const mostAmendments = 4;

/** A rating as its node acknowledged it. */
export interface AcknowledgedRating {
  readonly rating_id: string;
  readonly log_index: number;
  readonly handle: string;
  readonly interaction_id: string;
  readonly interaction_at: string;
  /** How many times it was amended before. */
  readonly amended: number;
  readonly at_ms: number;
}

/** Something else that a node acknowledged, and no later than when, in ms since 1970. */
export interface Acknowledged {
  readonly id: string;
  readonly at_ms: number;
}

/** The time by which a call was acknowledged: Date.now() leaves out what is less than a millisecond. */
export const byNow_ms = () => Date.now() + 1;

/** Everything that nodes acknowledged, and what other nodes showed of it 100 ms later. */
export interface Ledger {
  readonly ratings: AcknowledgedRating[];
  readonly withdrawn: Acknowledged[];
  readonly feedback: Acknowledged[];
  /** Handles of listings that were claimed. */
  readonly claims: Acknowledged[];
  /** Writes that were sent again because no answer came. */
  replayed: number;
  /** Reads at another node, 100 ms after an acknowledgement. */
  rereads: number;
  readonly stale: string[];
  readonly errors: Tally;
}

/** An empty ledger. */
export const createLedger = (): Ledger => ({
  ratings: [],
  withdrawn: [],
  feedback: [],
  claims: [],
  replayed: 0,
  rereads: 0,
  stale: [],
  errors: createTally(),
});

/** Calls that show the number of current ratings of a listing, and where it stands in the answer. */
const faces: readonly { readonly toCall: (handle: string) => Call; readonly count: RegExp }[] = [
  { toCall: (handle) => toTool('get_agent', { handle }), count: /"native":\{[\s\S]*?"ratings":(\d+)/ },
  { toCall: (handle) => ({ path: `/agents/${handle}.json` }), count: /"native":\{[\s\S]*?"ratings":(\d+)/ },
  { toCall: (handle) => ({ path: `/agents/${handle}.md` }), count: /(\d+) native rating/ },
];

/** One claimed listing that rates: its capability, whom it rates, and what it rated so far. */
interface Writer {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
  readonly capability: string;
  readonly subjects: readonly string[];
  /** Current ratings by subject; no other writer rates these. */
  readonly current: Map<string, AcknowledgedRating[]>;
  made: number;
}

const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];

/** Looks at another node, through one adapter, for what was just acknowledged. */
async function reread({ cluster, ledger, current }: Writer, handle: string, by: number): Promise<void> {
  const others: readonly ClusterNode[] = cluster.nodes.filter((node, at) => at !== by && node.isUp);
  const node = pick(others);
  const face = pick(faces);
  if (!node || !face) return;
  const expected = current.get(handle)?.length ?? 0;
  const text = await send(node, face.toCall(handle), ledger.errors);
  if (text === undefined) return;
  ledger.rereads += 1;
  const shown = Number(face.count.exec(text)?.[1] ?? 0);
  if (shown !== expected) ledger.stale.push(`${face.toCall(handle).path}: ${shown} instead of ${expected}`);
}

/** What a rating says about one interaction, first or amended. */
type Interaction = Pick<AcknowledgedRating, 'handle' | 'interaction_id' | 'interaction_at' | 'amended'>;

async function submit(writer: Writer, interaction: Interaction, amendment: object = {}): Promise<number> {
  const { cluster, ledger, capability } = writer;
  const { handle, interaction_id, interaction_at } = interaction;
  const first = Math.floor(Math.random() * cluster.nodes.length);
  const rating = {
    handle,
    interaction_id,
    interaction_at,
    comment: 'as described',
    ...amendment,
    outcome: 'succeeded',
    protocol: 'mcp',
    relationship: 'none',
  };
  const call = toTool('submit_rating', rating, capability);
  const { text, by } = await sendUntilAcknowledged(cluster.nodes, call, { first, errors: ledger.errors });
  const { status, rating_id, log_index } = JSON.parse(text) as AcknowledgedRating & { status: string };
  if (status === 'replayed') ledger.replayed += 1;
  const acknowledged = { ...interaction, rating_id, log_index, at_ms: byNow_ms() };
  ledger.ratings.push(acknowledged);
  const others = (writer.current.get(handle) ?? []).filter((one) => one.interaction_id !== interaction_id);
  writer.current.set(handle, [...others, acknowledged]);
  return by;
}

async function rate(writer: Writer, handle: string): Promise<number> {
  const interaction_id = `${writer.capability.slice(-6)}-${writer.made++}`;
  const interaction_at = new Date(Date.now() - 60_000).toISOString();
  return submit(writer, { handle, interaction_id, interaction_at, amended: 0 });
}

async function amend(writer: Writer, handle: string): Promise<number> {
  const rated = pick(writer.current.get(handle) ?? []);
  if (!rated || rated.amended > mostAmendments) return rate(writer, handle);
  return submit(
    writer,
    { ...rated, amended: rated.amended + 1 },
    { comment: `amended ${writer.made++}`, supersedes: rated.rating_id },
  );
}

async function withdraw(writer: Writer, handle: string): Promise<number> {
  const { cluster, ledger, capability, current } = writer;
  const rated = pick(current.get(handle) ?? []);
  if (!rated) return rate(writer, handle);
  const first = Math.floor(Math.random() * cluster.nodes.length);
  const call = toTool('withdraw_rating', { rating_id: rated.rating_id }, capability);
  const { by } = await sendUntilAcknowledged(cluster.nodes, call, { first, errors: ledger.errors });
  ledger.withdrawn.push({ id: rated.rating_id, at_ms: byNow_ms() });
  current.set(
    handle,
    (current.get(handle) ?? []).filter((one) => one !== rated),
  );
  return by;
}

/** Forgets what a writer rated a subject, where a fault took a rating away that was acknowledged. */
function forgetLost({ current }: Writer, handle: string, error: unknown): undefined {
  if (!(error instanceof NotThereError)) throw error;
  current.delete(handle);
}

/** Feedback is sent once: sent again it would count twice. */
async function sendFeedback({ cluster, ledger }: Writer): Promise<void> {
  const node = pick(cluster.nodes.filter(({ isUp }) => isUp));
  const text =
    node && (await send(node, toTool('submit_feedback', { message: 'from the soak' }), ledger.errors));
  if (text === undefined) return;
  ledger.feedback.push({ id: (JSON.parse(text) as { id: string }).id, at_ms: byNow_ms() });
}

/**
 * Writes until the signal: ratings, amendments, withdrawals, feedback; after each, a read at another node.
 */
export async function write(
  cluster: Cluster,
  { capability, subjects, ledger }: Pick<Writer, 'capability' | 'subjects' | 'ledger'>,
  stopped: AbortSignal,
): Promise<void> {
  const writer: Writer = { cluster, ledger, capability, subjects, current: new Map(), made: 0 };
  while (!stopped.aborted) {
    const [handle = '', dice] = [pick(subjects), Math.random()];
    if (dice < 0.05) await sendFeedback(writer);
    else {
      const act = dice < 0.2 ? amend : dice < 0.3 ? withdraw : rate;
      const by = await act(writer, handle).catch((error: unknown) => forgetLost(writer, handle, error));
      await wait(staleAfter_ms);
      if (by !== undefined) await reread(writer, handle, by);
    }
    await wait(think_ms * 2 * Math.random());
  }
}
