import type { NoteVerifier } from '../signed-note.ts';
import type { Cosigner } from './cosigner.ts';

/** A log whose checkpoints a policy accepts. */
export interface PolicyLog {
  readonly key: string;
  readonly verifier: NoteVerifier;
}

/** A witness, under the name that the policy gives it. */
export interface PolicyWitness {
  readonly name: string;
  readonly cosigner: Cosigner;
  /** Its submission prefix, where the policy names one. */
  readonly url?: string;
}

/** A group counts as cosigning if at least `needed` of its members do. */
export interface PolicyGroup {
  readonly needed: number;
  readonly members: readonly string[];
}

/** Which checkpoints count: of which logs, cosigned by which witnesses (C2SP tlog-policy). */
export interface Policy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  readonly groups: ReadonlyMap<string, PolicyGroup>;
  /** The name of a witness or a group, or `none`. */
  readonly quorum: string;
}

/** What is wrong with a policy, with the number of its line. */
export class PolicyFault extends Error {}
