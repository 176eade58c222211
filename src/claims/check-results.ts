import { z } from 'zod';
import type { ProofPlace } from './claim.ts';
import { challengeName, registryKeyPath, wellKnownPath } from './methods.ts';

const recorded = 'recorded repository';

type PlaceNames = Readonly<Record<'file' | 'host' | 'thing' | 'put' | 'repository', string>> & {
  readonly records?: string;
};

function placeNames({ kind, shown }: ProofPlace, claimFile: string): PlaceNames {
  const domain = { host: `web server of ${shown}`, thing: 'domain', repository: recorded } as const;
  if (kind === 'well_known')
    return { ...domain, file: `https://${shown}${wellKnownPath(claimFile)}`, put: 'Serve' };
  const records = `the TXT records of ${challengeName(shown)}`;
  if (kind === 'dns') return { ...domain, records, file: records, put: 'Add' };
  if (kind === 'registry_key')
    return {
      ...domain,
      records: `the TXT records of ${shown}`,
      file: `the TXT records of ${shown} or at https://${shown}${registryKeyPath}`,
      put: 'Sign',
    };
  const repository = kind === 'profile_repository' ? `repository ${shown}` : recorded;
  return { file: claimFile, host: 'repository host', thing: 'repository', put: 'Commit', repository };
}

type ResultMessage = (names: PlaceNames) => string;

const messages = {
  file_absent: ({ file }) => `There is no ${file} at the root of the default branch. Commit it there.`,
  no_challenge_in_file: ({ file }) =>
    `The challenge is not in ${file}. Put the whole line there, on a line of its own.`,
  challenge_foreign: ({ thing, put }) =>
    `The challenge was altered, was made for another listing, another ${thing} or another service, or was asked for with a capability that has ended. ${put} the one for this listing.`,
  challenge_expired: ({ put }) =>
    `The challenge is older than 7 days and was never used. ${put} the new one instead.`,
  challenge_lapsed: ({ put }) =>
    `The capability of this line was suspended more than 30 days ago, so the line does not restore it any more. ${put} a new challenge.`,
  challenge_from_future: ({ put }) =>
    `The challenge carries a time in the future. ${put} the new one instead.`,
  challenge_key_retired: ({ put }) =>
    `The challenge was signed with a key that is no longer in use. ${put} the new one instead.`,
  secret_published: ({ file, put }) =>
    `A capability was published in ${file} or at another location, so it was ended for good. Remove it if it is still there, and ${put.toLowerCase()} only a line whose capability was not published.`,
  lfs_pointer: ({ file }) => `${file} is a Git LFS pointer. Commit it as an ordinary file.`,
  not_text: ({ file }) => `${file} is not plain UTF-8 text (UTF-16 or binary). Save it as UTF-8.`,
  html_page: ({ file, put }) =>
    `There is an HTML page in place of ${file}. ${put} the line as plain text, without a page for errors or sign-in before it.`,
  too_large: ({ file }) =>
    `There are more than 16 KiB, 64 challenges or 64 capabilities in ${file}. Remove what is not needed.`,
  repository_not_found: ({ repository }) => `The ${repository} is not public, or does not exist.`,
  repository_empty: ({ repository, file }) =>
    `The ${repository} has no commit on its default branch. Commit ${file} to it.`,
  repository_moved: ({ repository }) =>
    `The ${repository} redirects to another address. ${repository === recorded ? 'Record the new address in the registry. A claim is suspended then, until a line at that address continues it or begins a new one.' : 'Create a repository at this address, or claim by a different method.'}`,
  redirect_refused: ({ host }) => `The ${host} answers with a redirect, which is not followed.`,
  host_unreachable: ({ host }) => `The ${host} cannot be reached. Try again later.`,
  host_timeout: ({ host }) => `The ${host} took longer than 8 seconds. Try again later.`,
  host_rate_limited: ({ host }) => `The ${host} limits our requests. Try again later.`,
  host_error: ({ host }) => `The ${host} answered with an error. Try again later.`,
  reused: ({ put }) =>
    `The challenge belongs to a capability that was ended for good. ${put} the new one instead.`,
  well_known_absent: ({ file }) =>
    `There is nothing at ${file}. Serve the challenge line there as plain text.`,
  dns_no_record: ({ file }) =>
    `There is no challenge in ${file}. Add one, and wait until all servers of the domain have it.`,
  dns_no_answer: ({ file, records = file }) =>
    `Not every DNS server that Dossier asks answered about ${records}. A missing answer does not count as a missing record. Try again later.`,
  dns_disagree: ({ file, records = file }) =>
    `The DNS servers that Dossier asks do not agree about ${records}. Wait until the change has reached all of them, then check again.`,
  key_not_published: ({ file }) =>
    `No key for the MCP registry was found in ${file}. Publish the public key there, or claim by a different method.`,
  signature_invalid: () =>
    'The signature was not made over this challenge by a key that the domain publishes. Sign the bytes of the line alone, without a line end.',
  claimed_elsewhere: () =>
    'The line was read. It begins a new claim when two checks a day or more apart have found no line of the claim on record at its location.',
  line_waits: () => 'The line was read. It works after it has stood there for seven days.',
  listing_withdrawn: () => 'The listing is withdrawn.',
} satisfies Record<string, ResultMessage>;
export type CheckResult = keyof typeof messages | 'proven';
const checkResults = [...(Object.keys(messages) as (keyof typeof messages)[]), 'proven'] as const;

export const claimCheck = z.object({
  result: z.enum(checkResults),
  at: z.string(),
  commit: z.string().optional(),
  branch: z.string().optional(),
  domain: z.string().optional(),
  resolvers: z.int().optional(),
  dnssec: z.boolean().optional(),
  pinned: z.boolean(),
  retry_after_s: z.int().optional(),
});

export function checkMessage(
  result: Exclude<CheckResult, 'proven'>,
  place: ProofPlace,
  claimFile: string,
): string {
  if (result === 'no_challenge_in_file' && place.kind === 'registry_key')
    return `A published key was read. Sign the challenge with its private key, and send the challenge and the signature.`;
  const message: ResultMessage = messages[result];
  return message(placeNames(place, claimFile));
}
