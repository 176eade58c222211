import type { ReceiptKey } from '../../claim/receipt-keys.ts';

/** What a proof has to fit: the two listings of the rating, what the rater signs, and what the subject published. */
export interface ProofFacts {
  /** Handle of the rated listing. */
  readonly subject: string;
  /** Handle of the rating listing. */
  readonly source: string;
  /** Every key for receipts that the rated listing published, with its time. */
  readonly keys: readonly ReceiptKey[];
  /** Addresses of its recorded endpoints. */
  readonly remotes: readonly string[];
  /** What a payer signs to show that the rating is its own. */
  readonly message: string;
  readonly now_ms: number;
}

/** What a checked proof says. */
export interface CheckedProof {
  /** Texts that are the same for every form of the same proof: one of them counts once. */
  readonly identity: readonly string[];
  /** When it was issued, in ms since 1970. */
  readonly issued_ms: number;
  /** The interaction that it names, where it names one. */
  readonly interaction_id?: string | undefined;
}

/** A class of proof that an interaction took place. */
export interface ProofKind {
  /** As pages name it. */
  readonly name: string;
  /** What it shows and what it does not, for the places where it is counted. */
  readonly shows: string;
  /** Checks a proof as it was sent. Throws a Problem: proof_invalid, proof_key_unknown, proof_not_yours or proof_wrong_subject. */
  readonly check: (value: string, facts: ProofFacts) => Promise<CheckedProof>;
}
