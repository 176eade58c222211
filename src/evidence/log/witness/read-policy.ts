import { readVerifier } from '../signed-note.ts';
import { readCosigner } from './cosigner.ts';
import { type Policy, PolicyFault, type PolicyGroup, type PolicyLog, type PolicyWitness } from './policy.ts';

interface Draft {
  readonly logs: PolicyLog[];
  readonly witnesses: PolicyWitness[];
  readonly groups: Map<string, PolicyGroup>;
  /** Names that a group or the quorum may still refer to; each is a member once. */
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
    throw new PolicyFault('there is one line "quorum <name>"');
  if (name !== 'none' && !isNamed(draft, name)) throw new PolicyFault(`no line above defines "${name}"`);
  draft.quorum = name;
}

const statements = new Map([
  ['log', addLog],
  ['witness', addWitness],
  ['group', addGroup],
  ['quorum', setQuorum],
]);

/** Parses a policy file. Throws PolicyFault with the line that is wrong. */
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
  if (quorum === undefined) throw new PolicyFault('a policy has one line "quorum <name>"');
  return { ...draft, quorum };
}
