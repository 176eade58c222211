import { z } from 'zod';
import type { Context } from '../context.ts';
import { capabilityHash, capabilityId, createCapability } from '../evidence/claim/capability.ts';
import { challengeLife_s, createChallenge } from '../evidence/claim/challenge.ts';
import type { CapabilityRow, ClaimRow } from '../store/store.ts';
import { bindingOf, type CheckedClaim, type ClaimTarget } from './check-claim.ts';
import { type CheckResult, checkMessages, claimCheck } from './check-results.ts';
import { claimKeyRing } from './keys.ts';

/** The answer of a claim request (trust.md section 1, POST /api/claim-github). */
export const claimAnswer = z.object({
  status: z.enum(['challenge_issued', 'not_proven', 'claimed']),
  handle: z.string(),
  repository: z.string(),
  claim_file: z.string(),
  check: claimCheck,
  reason: z.string().optional().describe('check.result, or what is wrong with the challenge asked about'),
  message: z.string().optional(),
  challenge: z.string().optional().describe('Public: commit it'),
  file_contents: z.string().optional(),
  capability: z.string().optional().describe('Secret, shown once; works when its challenge is committed'),
  capability_id: z.string().optional(),
  expires_at: z.string().optional(),
  claimed_at: z.string().optional(),
  commit: z.string().optional(),
  capabilities: z.array(z.object({ id: z.string(), activated_at: z.string() })).optional(),
  changed: z.enum(['activated', 'rotated', 'restored', 'none']).optional(),
  next: z.string(),
});
export type ClaimAnswer = z.input<typeof claimAnswer>;

/** What the claim of a listing is at the moment. */
export interface ClaimStanding {
  readonly claim: ClaimRow | undefined;
  readonly capabilities: readonly CapabilityRow[];
}

const nextWhenIssued = (file: string) =>
  `Keep the capability that came with the challenge you commit; it is shown only now. Commit file_contents as ${file} at the root of the default branch of the recorded repository, keeping lines that are there already, then send the same request again.`;
const nextWhenClaimed = (file: string) =>
  `Use the capability whose capability_id is in capabilities, as Authorization: Bearer. Keep its line in ${file}: removing it suspends the capability. Ask with rotate: true for a new one.`;
/** Our words for a reason; they also say when another look is possible, where it is not possible at once. */
export const said = (reason: CheckResult, { check }: CheckedClaim, { config }: Context) => {
  if (reason === 'proven') return {};
  const wait = check.retry_after_s;
  const again = wait === undefined ? '' : ` Looked at ${check.at}; look again in ${wait} seconds.`;
  return { message: checkMessages[reason](config.claimFile) + again };
};

/** What every answer says. */
export const frame = ({ listing }: ClaimTarget, { check }: CheckedClaim, { config }: Context) => ({
  handle: listing.handle,
  repository: listing.repository,
  claim_file: config.claimFile,
  check,
});

/** A new pair: the challenge to commit and the capability that it makes work. Nothing is stored. */
export async function toIssued(
  target: ClaimTarget,
  checked: CheckedClaim,
  context: Context,
): Promise<ClaimAnswer> {
  const { claimFile, publicUrl } = context.config;
  const [key] = await claimKeyRing(context);
  const at_s = Math.floor(context.clock().getTime() / 1000);
  const capability = createCapability();
  const hash = capabilityHash(capability);
  const challenge = createChallenge(key, bindingOf(target, context), { hash, at_s });
  const { result } = checked.check;
  const { handle } = target.listing;
  return {
    status: 'challenge_issued',
    ...frame(target, checked, context),
    challenge,
    file_contents: `# Claim of ${handle} at ${publicUrl}\n${challenge}\n`,
    capability,
    capability_id: capabilityId(hash),
    expires_at: new Date((at_s + challengeLife_s) * 1000).toISOString(),
    ...said(result, checked, context),
    next: nextWhenIssued(claimFile),
  };
}

/** A new pair, with the reason why nothing in the file counted. A check answered from before may be outlived. */
export async function toNotProven(
  target: ClaimTarget,
  checked: CheckedClaim,
  context: Context,
): Promise<ClaimAnswer> {
  const reason = checked.check.result === 'proven' ? 'reused' : checked.check.result;
  const issued = await toIssued(target, checked, context);
  return { ...issued, status: 'not_proven', reason, ...said(reason, checked, context) };
}

/** A claim that stands; never a secret. */
export function toClaimed(
  target: ClaimTarget,
  checked: CheckedClaim,
  { context, claim, capabilities }: ClaimStanding & { claim: ClaimRow; context: Context },
): ClaimAnswer {
  const { claimFile } = context.config;
  return {
    status: 'claimed',
    ...frame(target, checked, context),
    claimed_at: claim.claimed_at,
    ...(claim.commit_id && { commit: claim.commit_id }),
    capabilities: capabilities
      .filter(({ state }) => state === 'active')
      .map(({ id, activated_at }) => ({ id, activated_at })),
    changed: checked.changed,
    ...said(checked.check.result, checked, context),
    next: nextWhenClaimed(claimFile),
  };
}
