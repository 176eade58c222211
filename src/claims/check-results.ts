import { z } from 'zod';

/** Results of a claim check (docs/trust.md section 1). */
export const checkResults = [
  'file_absent',
  'no_challenge_in_file',
  'challenge_foreign',
  'challenge_expired',
  'challenge_from_future',
  'challenge_key_retired',
  'secret_published',
  'lfs_pointer',
  'not_text',
  'too_large',
  'repository_not_found',
  'repository_empty',
  'repository_moved',
  'repository_id_mismatch',
  'redirect_refused',
  'host_unreachable',
  'host_timeout',
  'host_rate_limited',
  'host_error',
  'reused',
  'proven',
] as const;
export type CheckResult = (typeof checkResults)[number];

/** One check of the recorded repository, as callers see it. */
export const claimCheck = z.object({
  result: z.enum(checkResults),
  at: z.string(),
  commit: z.string().optional(),
  branch: z.string().optional(),
  pinned: z.boolean(),
  retry_after_s: z.int().optional(),
});
export type ClaimCheck = z.infer<typeof claimCheck>;

/** What each result but `proven` means and what to do about it. */
export const checkMessages: Record<Exclude<CheckResult, 'proven'>, (claimFile: string) => string> = {
  file_absent: (file) => `There is no ${file} at the root of the default branch. Commit it there.`,
  no_challenge_in_file: (file) =>
    `${file} was read, but the challenge is not in it. Put the whole line on a line of its own.`,
  challenge_foreign: () =>
    'The challenge was made for another listing, another repository or another service. Commit the one for this listing.',
  challenge_expired: () =>
    'The challenge is older than 7 days and was never used. Commit the new one instead.',
  challenge_from_future: () => 'The challenge carries a time in the future. Commit the new one instead.',
  challenge_key_retired: () =>
    'The challenge was signed with a key that is no longer in use. Commit the new one instead.',
  secret_published: (file) =>
    `A capability is in ${file}. It is public, so it was ended for good. Remove it and commit only the challenge line.`,
  lfs_pointer: (file) => `${file} is a Git LFS pointer. Commit it as an ordinary file.`,
  not_text: (file) => `${file} is not plain UTF-8 text (UTF-16, binary or an HTML page). Save it as UTF-8.`,
  too_large: (file) => `${file} is larger than 16 KiB or holds more than 64 challenges. Make it smaller.`,
  repository_not_found: () => 'The recorded repository is not public, or does not exist.',
  repository_empty: (file) => `The recorded repository has no commit yet. Commit ${file} to it.`,
  repository_moved: () =>
    'The recorded repository redirects to another address. Record the new address in the registry, then claim again.',
  repository_id_mismatch: () =>
    'The commit at which the claim was last proven is no longer in the recorded repository, so its old lines do not count. Commit a new challenge.',
  redirect_refused: () => 'The repository host redirects to another host; such redirects are not followed.',
  host_unreachable: () => 'The repository host cannot be reached. Try again later.',
  host_timeout: () => 'The repository host took longer than 8 seconds. Try again later.',
  host_rate_limited: () => 'The repository host limits our requests. Try again later.',
  host_error: () => 'The repository host answered with an error. Try again later.',
  reused: () => 'The challenge belongs to a capability that was ended for good. Commit the new one instead.',
};
