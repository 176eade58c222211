import type { Config } from '../config/config.ts';
import { every, unlessAborted } from '../core/every.ts';
import { createOutboundClient, type OutboundClient } from '../net/client.ts';
import { measure } from '../telemetry/metrics.ts';
import { currentCheckpoint, type IssuedCheckpoint, type IssuingContext } from './checkpoints.ts';
import { type Cosigner, isOf, readCosignature, readCosigner } from './cosignature.ts';
import { consistencyProof } from './merkle.ts';
import { type NoteVerifier, readSignatures, readVerifier, splitNote } from './notes.ts';
import type { Check } from './verify.ts';

interface PolicyWitness {
  readonly name: string;
  readonly cosigner: Cosigner;
  readonly url?: string;
}

/** C2SP tlog-policy. */
export interface Policy {
  readonly logs: readonly { readonly key: string; readonly verifier: NoteVerifier }[];
  readonly witnesses: readonly PolicyWitness[];
  readonly groups: ReadonlyMap<string, { readonly needed: number; readonly members: readonly string[] }>;
  readonly quorum: string;
}

export class PolicyFault extends Error {}

/** The last that `Date` can show. */
const lastSecond = 8_640_000_000_000n;

const toTime = (timestamp: bigint) => {
  if (timestamp === 0n) return 'at no stated time';
  return timestamp > lastSecond
    ? `at ${timestamp} s`
    : `on ${new Date(Number(timestamp) * 1000).toISOString().replace('.000', '')}`;
};

function toNeed({ groups, quorum }: Policy): string {
  const group = groups.get(quorum);
  return group ? `${group.needed} of ${group.members.join(', ')}` : quorum;
}

function hasCosigned(policy: Policy, name: string, cosigned: ReadonlySet<string>): boolean {
  const group = policy.groups.get(name);
  if (!group) return name === 'none' || cosigned.has(name);
  return group.members.filter((member) => hasCosigned(policy, member, cosigned)).length >= group.needed;
}

function checkQuorum(policy: Policy, cosigned: ReadonlySet<string>): Check {
  if (policy.quorum === 'none') return { holds: true, message: 'the policy wants no cosignature' };
  const holds = hasCosigned(policy, policy.quorum, cosigned);
  const by =
    cosigned.size === 0 ? 'no witness of the policy cosigned' : `cosigned by ${[...cosigned].join(', ')}`;
  return { holds, message: `the policy wants ${toNeed(policy)}: ${holds ? '' : 'too few, '}${by}` };
}

function checkWitness(note: NonNullable<ReturnType<typeof splitNote>>, { name, cosigner }: PolicyWitness) {
  const own = note.signatures.filter((line) => isOf(line, cosigner));
  const times = own.map((line) => readCosignature(note.text, cosigner, line));
  const [time] = times;
  const notes = [
    ...(own.length === 0 ? [`witness ${name} has not cosigned`] : []),
    ...(own.length > 1 ? [`witness ${name} is in ${own.length} lines and counts once`] : []),
  ];
  if (times.includes(undefined))
    return { notes, check: { holds: false, message: `the cosignature of witness ${name} is wrong` } };
  if (time === undefined) return { notes };
  return { notes, check: { holds: true, message: `witness ${name} cosigned ${toTime(time)}` } };
}

/** A wrong cosignature fails even if the others are enough (C2SP signed-note, "Signatures"). */
export function checkWitnesses(checkpoint: string, policy: Policy) {
  const note = splitNote(checkpoint) ?? { text: '', signatures: [] };
  const found = policy.witnesses.map((witness) => ({ witness, ...checkWitness(note, witness) }));
  const cosigned = found.flatMap(({ witness, check }) => (check?.holds ? [witness.name] : []));
  const [origin] = note.text.split('\n', 1);
  const foreign = note.signatures.filter(
    (line) => line.name !== origin && !policy.witnesses.some(({ cosigner }) => isOf(line, cosigner)),
  );
  return {
    checks: found.flatMap(({ check }): Check[] => (check ? [check] : [])),
    /** A wrong cosignature does not make this one fail. */
    quorum: checkQuorum(policy, new Set(cosigned)),
    /** They do not decide whether the checkpoint counts. */
    notes: [
      ...found.flatMap(({ notes }) => notes),
      ...(foreign.length > 0
        ? [`cosignatures of keys that the policy does not name: ${foreign.length}; they do not count`]
        : []),
    ],
  };
}

interface Draft {
  readonly logs: Policy['logs'][number][];
  readonly witnesses: PolicyWitness[];
  readonly groups: Map<string, { readonly needed: number; readonly members: readonly string[] }>;
  /** A name can be a member of only one group. */
  readonly grouped: Set<string>;
  quorum?: string;
}

const isNamed = ({ witnesses, groups }: Draft, name: string) =>
  groups.has(name) || witnesses.some((witness) => witness.name === name);

function requireNewName(draft: Draft, name: string | undefined): string {
  if (!name || name === 'none' || isNamed(draft, name))
    throw new PolicyFault(`"${name ?? ''}" is no name, or is in use already`);
  return name;
}

function addLog(draft: Draft, [key = '']: readonly string[]): void {
  const verifier = readVerifier(key);
  if (!verifier) throw new PolicyFault('a log is "log <key> [<url>]" with an Ed25519 verifier key');
  if (draft.logs.some((log) => log.verifier.publicKey.equals(verifier.publicKey)))
    throw new PolicyFault('this log’s key is listed twice');
  draft.logs.push({ key, verifier });
}

function addWitness(draft: Draft, [given, key = '', url]: readonly string[]): void {
  const name = requireNewName(draft, given);
  const cosigner = readCosigner(key);
  if (!cosigner)
    throw new PolicyFault(
      'a witness is "witness <name> <key> [<url>]" with a cosigner key (Ed25519 or ML-DSA-44)',
    );
  if (draft.witnesses.some((witness) => witness.cosigner.publicKey.equals(cosigner.publicKey)))
    throw new PolicyFault('this witness’s key is listed twice');
  draft.witnesses.push({ name, cosigner, ...(url !== undefined && { url }) });
}

function toNeeded(count: string | undefined, members: number): number {
  if (count === 'any') return 1;
  if (count === 'all') return members;
  const needed = /^[1-9]\d{0,3}$/.test(count ?? '') ? Number(count) : 0;
  if (needed < 1 || needed > members)
    throw new PolicyFault('a group needs all, any, or a number from 1 to its count of members');
  return needed;
}

function addGroup(draft: Draft, [given, count, ...members]: readonly string[]): void {
  const name = requireNewName(draft, given);
  if (members.length === 0) throw new PolicyFault('a group is "group <name> all|any|<k> <name>..."');
  for (const member of members) {
    if (!isNamed(draft, member)) throw new PolicyFault(`no line above defines "${member}"`);
    if (draft.grouped.has(member)) throw new PolicyFault(`"${member}" is a member already`);
    draft.grouped.add(member);
  }
  draft.groups.set(name, { needed: toNeeded(count, members.length), members });
}

function setQuorum(draft: Draft, [name = '', ...more]: readonly string[]): void {
  if (draft.quorum !== undefined || more.length > 0)
    throw new PolicyFault('a policy has exactly one line "quorum <name>"');
  if (name !== 'none' && !isNamed(draft, name)) throw new PolicyFault(`no line above defines "${name}"`);
  draft.quorum = name;
}

const statements = new Map([
  ['log', addLog],
  ['witness', addWitness],
  ['group', addGroup],
  ['quorum', setQuorum],
]);

/** @throws PolicyFault */
export function readPolicy(text: string): Policy {
  const draft: Draft = { logs: [], witnesses: [], groups: new Map(), grouped: new Set() };
  for (const [at, line] of text.split('\n').entries()) {
    const [word = '', ...items] = line.split(/[ \t]+/).filter(Boolean);
    if (word === '' || word.startsWith('#')) continue;
    const state = statements.get(word);
    try {
      if (!state) throw new PolicyFault('a line begins with log, witness, group or quorum');
      state(draft, items);
    } catch (error) {
      if (error instanceof PolicyFault) throw new PolicyFault(`line ${at + 1}: ${error.message}`);
      throw error;
    }
  }
  const { quorum } = draft;
  if (quorum === undefined) throw new PolicyFault('a policy has exactly one line "quorum <name>"');
  return { ...draft, quorum };
}

export type AskedWitness = Omit<PolicyWitness, 'url'> & { readonly url: URL };

function toAsked({ name, cosigner, url = '' }: PolicyWitness): AskedWitness {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new PolicyFault(`witness ${name} has no address (http or https)`);
  return { name, cosigner, url: parsed };
}

export const readWitnesses = (policy: Config['witnesses']): readonly AskedWitness[] =>
  policy ? readPolicy(policy.text).witnesses.map(toAsked) : [];

type WitnessReply =
  | { readonly result: 'cosigned'; readonly line: string; readonly size: number }
  /** The witness cosigned a tree of this size last, and the proof began at a different one. */
  | { readonly result: 'other_size'; readonly size: number }
  /** The tree in the database is smaller than the one that the witness says it cosigned. */
  | { readonly result: 'larger_tree'; readonly size: number }
  /** Our tree does not continue the one that the witness cosigned. */
  | { readonly result: 'refused_tree' }
  | { readonly result: 'wrong_cosignature' }
  | { readonly result: 'unavailable'; readonly why: string };

const exchange_ms = 5000;

/** Lines of unknown keys are ignored (C2SP tlog-witness). */
function readAnswer(answer: string, checkpoint: IssuedCheckpoint, { cosigner }: AskedWitness): WitnessReply {
  const own = readSignatures(answer).find((line) => isOf(line, cosigner));
  const { text: signed = '' } = splitNote(checkpoint.text) ?? {};
  const isValid = own && (readCosignature(signed, cosigner, own) ?? 0n) > 0n;
  return isValid
    ? { result: 'cosigned', line: `${own.line}\n`, size: checkpoint.size }
    : { result: 'wrong_cosignature' };
}

/** Any address may be reached, because the operator named the witnesses. */
export const createWitnessClient = ({ version, publicUrl }: IssuingContext['config']): OutboundClient =>
  createOutboundClient({
    userAgent: `Dossier/${version} (+${publicUrl}/log)`,
    bodyLimit_bytes: 65_536,
    reach: (url) => ({ url, addresses: 'any' }),
  });

/** C2SP tlog-witness, `add-checkpoint`. */
const toBody = (oldSize: number, path: readonly Buffer[], checkpoint: string) =>
  [`old ${oldSize}`, ...path.map((hash) => hash.toString('base64')), '', checkpoint].join('\n');

type WitnessContext = Pick<IssuingContext, 'store'> & { readonly client: OutboundClient };

async function askOnce(
  { store, client }: WitnessContext,
  {
    witness,
    checkpoint,
    oldSize,
  }: { readonly witness: AskedWitness; readonly checkpoint: IssuedCheckpoint; readonly oldSize: number },
): Promise<WitnessReply> {
  const path = await consistencyProof(store.log.tree(checkpoint.head.id), oldSize, checkpoint.size);
  const answer = await client.fetch({
    url: new URL(`${witness.url.href.replace(/\/$/, '')}/add-checkpoint`),
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(toBody(oldSize, path, checkpoint.text)),
    deadline: AbortSignal.timeout(exchange_ms),
  });
  if (answer.result !== 'response') return { result: 'unavailable', why: answer.result };
  const body = answer.body.toString('utf8');
  if (answer.status === 200) return readAnswer(body, checkpoint, witness);
  const conflict = answer.status === 409 ? /^(0|[1-9]\d{0,15})\n$/.exec(body)?.[1] : undefined;
  const size = conflict === undefined ? undefined : Number(conflict);
  // The witness has a different tree of the size that was sent (tlog-witness, "add-checkpoint").
  if (answer.status === 422 || size === oldSize) return { result: 'refused_tree' };
  if (size !== undefined) return { result: 'other_size', size };
  return { result: 'unavailable', why: `status ${answer.status}` };
}

/** `before` is the size that the witness says it cosigned last. Never rejects because of an answer. */
export async function askWitness(asking: WitnessContext, question: Parameters<typeof askOnce>[1]) {
  const { checkpoint } = question;
  const first = await askOnce(asking, question);
  if (first.result !== 'other_size') return { asked: first, before: undefined };
  const { size: before } = first;
  if (before <= checkpoint.size)
    return { asked: await askOnce(asking, { ...question, oldSize: before }), before };
  // Another node may have published the larger tree meanwhile.
  const now = (await asking.store.log.heads()).find(({ id }) => id === checkpoint.head.id);
  const result: 'other_size' | 'larger_tree' = now && now.size >= before ? 'other_size' : 'larger_tree';
  return { asked: { result, size: before }, before };
}

const faults: Partial<Record<WitnessReply['result'], string>> = {
  larger_tree:
    'a witness cosigned a larger tree of this log than the database has: the log was rolled back, or the witness is wrong; run dossier audit with a saved checkpoint',
  refused_tree:
    'a witness says that this log does not continue the tree that it cosigned: there are two histories, or the witness is wrong; run dossier audit with a saved checkpoint',
  wrong_cosignature: 'a witness sent a cosignature that is not valid for the checkpoint; it is not published',
};

function report({ log }: IssuingContext, { name }: AskedWitness, asked: WitnessReply, size: number): void {
  const about = { witness: name, size, ...(asked.result === 'larger_tree' && { cosigned_size: asked.size }) };
  const fault = faults[asked.result];
  if (fault) log.error(about, fault);
  if (asked.result === 'unavailable')
    log.warn({ ...about, why: asked.why }, 'a witness did not cosign; it is asked again');
}

/**
 * Rejects if the log cannot be read. After a start, the first request states size 0, which a witness that has
 * cosigned before answers with its own (409).
 */
export function createWitnessRound(context: IssuingContext) {
  const { checkpoints, config } = context;
  const asking = { store: context.store, client: createWitnessClient(config) };
  const witnesses = readWitnesses(config.witnesses);
  const sizes = new Map<string, number>();

  async function askOne(witness: AskedWitness, checkpoint: IssuedCheckpoint): Promise<WitnessReply> {
    const key = `${checkpoint.head.id} ${witness.name}`;
    const oldSize = Math.min(sizes.get(key) ?? 0, checkpoint.size);
    const { asked } = await askWitness(asking, { witness, checkpoint, oldSize });
    const labels = { witness: witness.name };
    measure('dossier_witness_answers_total', { ...labels, result: asked.result });
    measure('dossier_witness_cosigned', labels, asked.result === 'cosigned' ? 1 : 0);
    if (asked.result === 'cosigned') {
      sizes.set(key, asked.size);
      measure('dossier_witness_last_cosigned_timestamp_seconds', labels, context.clock().getTime() / 1000);
    }
    report(context, witness, asked, checkpoint.size);
    return asked;
  }

  return async (): Promise<void> => {
    const checkpoint = await currentCheckpoint(context);
    if (checkpoint.size === 0) return;
    const { cosigned } = checkpoints;
    const lines = new Map(cosigned?.checkpoint.text === checkpoint.text ? cosigned.lines : []);
    const pending = witnesses.filter(({ name }) => !lines.has(name));
    const answers = await Promise.all(
      pending.map(async (witness) => ({ witness, asked: await askOne(witness, checkpoint) })),
    );
    for (const { witness, asked } of answers)
      if (asked.result === 'cosigned') lines.set(witness.name, asked.line);
    if (lines.size > 0) checkpoints.cosigned = { checkpoint, lines };
  };
}

const pause_ms = 5000;

/**
 * Every five seconds, so that the loss of older entries is found even if nobody reads a checkpoint. Logs
 * failures.
 */
export async function startIssuing(context: IssuingContext, signal: AbortSignal): Promise<void> {
  const ask = createWitnessRound(context);
  await every({
    signal,
    pause_ms,
    run: () => unlessAborted(ask(), signal),
    onError: (err) => context.log.warn({ err }, 'no checkpoint could be issued; the next attempt follows'),
  });
}
