import type { Config } from '../config/config.ts';
import { type Cosigner, isOf, readCosignature, readCosigner } from './cosignature.ts';
import { type NoteVerifier, readVerifier, splitNote } from './notes.ts';
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
