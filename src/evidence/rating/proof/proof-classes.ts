import { z } from 'zod';
import { type RatingGroup, ratingGroups } from '../groups.ts';
import { paymentReceipt } from './payment-receipt.ts';
import type { ProofKind } from './proof.ts';
import { serviceReceipt } from './service-receipt.ts';

/** Every class of proof that is checked when a rating is submitted. */
export const proofKinds = {
  service_receipt: serviceReceipt,
  payment_receipt: paymentReceipt,
} as const satisfies Record<string, ProofKind>;

/** The name of a class of proof. */
export type ProofKindName = keyof typeof proofKinds;
/** What was checked of a rating; `none`: nothing. */
export type ProofClass = 'none' | ProofKindName;

const kindNames = Object.keys(proofKinds) as ProofKindName[];
/** Every class, `none` first. */
export const proofClasses: readonly [ProofClass, ...ProofClass[]] = ['none', ...kindNames];

/** Largest proof that is read, in characters. */
const proofLimit = 4096;

/** A proof as a rater sends it. */
export const proofInput = z.strictObject({
  kind: z.enum(kindNames as [ProofKindName, ...ProofKindName[]]),
  value: z.string().min(1).max(proofLimit),
});
export type ProofInput = z.infer<typeof proofInput>;

/** What each class is called, and what it shows and does not. */
export const proofTexts: Readonly<Record<ProofClass, Pick<ProofKind, 'name' | 'shows'>>> = {
  none: {
    name: 'No proof',
    shows: 'That the interaction took place is the word of the source; Dossier has checked no proof of it.',
  },
  ...proofKinds,
};

/** How many ratings a class of proof has in every group. */
interface CountedProofs {
  readonly by_proof: Readonly<Record<string, number>>;
}

/** How many ratings each class has in all groups together; classes without any are left out. */
export function countProofs(groups: Readonly<Record<RatingGroup, CountedProofs>>): Record<string, number> {
  const counted = proofClasses.map((name): [string, number] => [
    name,
    ratingGroups.reduce((sum, group) => sum + (groups[group].by_proof[name] ?? 0), 0),
  ]);
  return Object.fromEntries(counted.filter(([, ratings]) => ratings > 0));
}

/** The classes among counted ones with what they show: `{service_receipt: "The rated service ..."}`. */
export const proofMeanings = (counted: Readonly<Record<string, number>>): Record<string, string> =>
  Object.fromEntries(
    proofClasses.filter((name) => (counted[name] ?? 0) > 0).map((name) => [name, proofTexts[name].shows]),
  );
