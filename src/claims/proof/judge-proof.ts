import { readChallenge } from '../../evidence/claim/challenge.ts';
import type { Capability, Claim } from '../../evidence/claim/claim.ts';
import type { ClaimFile } from '../../evidence/claim/claim-file.ts';
import { isInRepository, type SeenFacts } from '../../evidence/claim/proof-place.ts';
import type { Transaction } from '../../store/store.ts';
import { type JudgedLines, judgeLines, type LineFailure } from './judge-lines.ts';
import { judgeSignatures } from './judge-signatures.ts';
import type { Proof } from './proof.ts';

/** What counts, and the proof with the account or domain that it shows control of. */
export interface JudgedProof extends JudgedLines {
  readonly proven: Proof;
}

/** How long a line of a domain restores a suspended claim: a domain that lapsed has another owner only later. */
const domainRestore_ms = 30 * 86_400_000;

const isLapsed = ({ state, ended_at }: Capability, { place, now }: Proof) =>
  !isInRepository(place.kind) &&
  state === 'suspended' &&
  now.getTime() - Date.parse(ended_at ?? '') > domainRestore_ms;

/** Why the line of a stored capability does not count; undefined if it does. */
function findFailure(
  capability: Capability,
  claim: Claim | undefined,
  proof: Proof,
): LineFailure | undefined {
  const { handle, state } = capability;
  if (state === 'leaked') return 'secret_published';
  if (handle !== proof.listing.handle) return 'challenge_foreign';
  if (state === 'revoked') return 'reused';
  if (claim?.place_key !== proof.place.key) return 'challenge_foreign';
  if (isLapsed(capability, proof)) return 'challenge_expired';
  return proof.isContinuous ? undefined : 'repository_id_mismatch';
}

/** What decides about each line of a text: known capabilities, keys, the time. */
async function factsOf(tx: Transaction, hashes: readonly string[], proof: Proof) {
  const { listing, binding, ring, now } = proof;
  const claim = await tx.claims.claim(listing.handle);
  const rows = await Promise.all(hashes.map((hash) => tx.claims.capability(hash)));
  const known = new Map(rows.flatMap((row) => (row ? [[row.hash, findFailure(row, claim, proof)]] : [])));
  return { binding, ring, known, now_s: Math.floor(now.getTime() / 1000) };
}

async function judge(
  tx: Transaction,
  file: ClaimFile,
  proof: Proof,
): Promise<JudgedLines & { seen?: SeenFacts | undefined }> {
  const { seen } = proof.read;
  if (proof.place.kind === 'registry_key') {
    const own = await tx.claims.capabilities(proof.listing.handle);
    const hashes = [...own.map(({ hash }) => hash), ...(proof.signed ? [proof.signed.hash] : [])];
    return judgeSignatures(own, proof, await factsOf(tx, hashes, proof));
  }
  const hashes = file.challenges.flatMap((text) => readChallenge(text)?.hash ?? []);
  return { ...judgeLines(file, await factsOf(tx, hashes, proof)), seen };
}

/** Whether the claim in force was proven elsewhere, by whoever controls another account or domain. */
const isElsewhere = (claim: Claim | undefined, { kind, root }: Proof['place']) =>
  claim?.state === 'claimed' &&
  claim.root !== root &&
  !(claim.kind === 'repository' && kind === 'repository');

/**
 * Decides what proves the claim. While it stands elsewhere, only lines that are in that place too count: whoever controls
 * it agrees, and nobody takes a claim over by another way (docs/decisions/0036).
 */
export async function judgeProof(tx: Transaction, file: ClaimFile, proof: Proof): Promise<JudgedProof> {
  const { usable, reason, seen } = await judge(tx, file, proof);
  const root = seen ? `dns:${seen.domain}` : proof.place.root;
  const proven = {
    ...proof,
    place: { ...proof.place, root },
    read: { ...proof.read, ...(seen && { seen }) },
  };
  const claim = await tx.claims.claim(proof.listing.handle);
  if (usable.length === 0 || !isElsewhere(claim, proven.place)) return { usable, reason, proven };
  const agreed = usable.filter(({ hash }) => proof.standing.has(hash));
  return { usable: agreed, reason: 'claimed_elsewhere', proven };
}
