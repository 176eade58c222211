import { setTimeout as wait } from 'node:timers/promises';
import { findLost } from '../../soak/audit.ts';
import { createTally, send } from '../../soak/requests.ts';
import { lacksStrace } from '../attach.ts';
import { type Fault, must, type Session } from '../fault.ts';
import { acknowledgedBefore } from '../session.ts';
import { type Cut, cutPower } from './cuts.ts';
import { record } from './recording.ts';
import { openState } from './state.ts';

const statesPerRecording = 100;
const record_ms = 6000;

/** Texts of the log's checkpoint that callers got, each with when. */
type Published = { readonly at_ms: number; readonly text: string }[];

async function readCheckpoints({ node }: Session, published: Published, stopped: AbortSignal) {
  for (; !stopped.aborted; await wait(100)) {
    const text = await send(node, { path: '/log/checkpoint' }, createTally());
    if (text !== undefined) published.push({ at_ms: Date.now() + 1, text });
  }
}

async function recordUnderReads(session: Session) {
  const published: Published = [];
  const stopping = new AbortController();
  const reading = readCheckpoints(session, published, stopping.signal);
  const recording = await record(session.node.pid ?? 0, session.file, record_ms);
  stopping.abort();
  await reading;
  const isMerge = ({ change }: (typeof recording.calls)[number]) =>
    change.kind === 'sync' && change.path === session.file;
  must(recording.calls.some(isMerge), 'the WAL was not merged into the database meanwhile');
  return { recording, published };
}

/** What is wrong with the state after a power cut, if anything. */
async function judgeState({ file, ledger, ready_ms }: Session, cut: Cut, told: readonly string[]) {
  const state = await openState(file, cut, told);
  ready_ms.push(state.open_ms);
  const lost = await findLost(state, acknowledgedBefore(ledger, cut.at_ms));
  state.close();
  return [...state.trouble, ...lost.map((one) => `lost: ${one}`)];
}

/** Compares so many states with what callers had been told before each power cut. */
async function checkStates(session: Session, count: number): Promise<void> {
  const { recording, published } = await recordUnderReads(session);
  for (const cut of cutPower(recording, count)) {
    const told = published.filter(({ at_ms }) => at_ms < cut.at_ms).map(({ text }) => text);
    const trouble = await judgeState(session, cut, told).catch(({ message }: Error) => [message]);
    must(trouble.length === 0, `${cut.what}: ${trouble.slice(0, 3).join('; ')}`);
  }
}

/** The states are opened one by one as `dossier serve` opens a database, beside the node, which goes on. */
export const powerCuts: Fault = {
  name: 'SQLite, power cut, unsynced writes undone in whole or in part',
  engine: 'sqlite',
  rounds: [45, 600],
  lacks: lacksStrace,
  async inject(session) {
    for (let left = session.rounds; left > 0; left -= statesPerRecording)
      await checkStates(session, Math.min(left, statesPerRecording));
  },
};
