import { splitNote } from '../note-signatures.ts';
import type { Check } from '../verify.ts';
import { isOf, readCosignature } from './cosignature.ts';
import type { Policy, PolicyWitness } from './policy.ts';

/** What a checkpoint's cosignatures are worth to a policy. */
export interface WitnessReport {
  /** One for each witness that cosigned, and for each cosignature that is wrong. */
  readonly checks: readonly Check[];
  /** Whether enough of the policy's witnesses cosigned; apart from wrong ones, which fail a check. */
  readonly quorum: Check;
  /** What does not decide: a cosignature twice, witnesses that are missing, keys that the policy does not name. */
  readonly notes: readonly string[];
}

/** Dates after this are shown as seconds: `Date` has none. */
const lastSecond = 8_640_000_000_000n;

const toTime = (timestamp: bigint) => {
  if (timestamp === 0n) return 'at no stated time';
  return timestamp > lastSecond
    ? `at ${timestamp} s`
    : `on ${new Date(Number(timestamp) * 1000).toISOString().replace('.000', '')}`;
};

/** How many names of a policy must cosign, in its own words. */
function toNeed({ groups, quorum }: Policy): string {
  const group = groups.get(quorum);
  if (!group) return quorum;
  return `${group.needed} of ${group.members.join(', ')}`;
}

/** Whether a witness, or enough members of a group, are among those that cosigned. */
function counts(policy: Policy, name: string, cosigned: ReadonlySet<string>): boolean {
  const group = policy.groups.get(name);
  if (!group) return name === 'none' || cosigned.has(name);
  return group.members.filter((member) => counts(policy, member, cosigned)).length >= group.needed;
}

function checkQuorum(policy: Policy, cosigned: ReadonlySet<string>): Check {
  if (policy.quorum === 'none') return { holds: true, message: 'the policy wants no cosignature' };
  const holds = counts(policy, policy.quorum, cosigned);
  const by = cosigned.size === 0 ? 'no witness of it cosigned' : `cosigned by ${[...cosigned].join(', ')}`;
  return {
    holds,
    message: `the policy wants ${toNeed(policy)}: ${holds ? '' : 'too few, '}${by}`,
  };
}

/** The cosignatures of one witness. */
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

/**
 * Checks a checkpoint's cosignatures against a policy, offline. A wrong one of a witness that the policy names fails, even if
 * the others are enough (C2SP signed-note, "Signatures"); lines of other keys count for nothing.
 */
export function checkWitnesses(checkpoint: string, policy: Policy): WitnessReport {
  const note = splitNote(checkpoint) ?? { text: '', signatures: [] };
  const found = policy.witnesses.map((witness) => ({ witness, ...checkWitness(note, witness) }));
  const cosigned = found.flatMap(({ witness, check }) => (check?.holds ? [witness.name] : []));
  const [origin] = note.text.split('\n', 1);
  const foreign = note.signatures.filter(
    (line) => line.name !== origin && !policy.witnesses.some(({ cosigner }) => isOf(line, cosigner)),
  );
  return {
    checks: found.flatMap(({ check }) => (check ? [check] : [])),
    quorum: checkQuorum(policy, new Set(cosigned)),
    notes: [
      ...found.flatMap(({ notes }) => notes),
      ...(foreign.length > 0
        ? [`cosignatures of keys that the policy does not name: ${foreign.length}; they count for nothing`]
        : []),
    ],
  };
}
