import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Context, withCaller } from '../../src/context.ts';
import { createRepositoryReader } from '../../src/net/git.ts';
import {
  askClaim,
  type ClaimDirectory,
  claimableListing,
  openClaimDirectory,
  putListings,
} from '../claims/claim-directory.ts';

let directory: ClaimDirectory;
/** The service with ten minutes for each check instead of eight seconds. */
let service: Context;
beforeEach(async () => {
  directory = await openClaimDirectory();
  const hosts = directory.context.config.repositoryHosts;
  service = { ...directory.context, repositories: createRepositoryReader(hosts, 600_000) };
  const others = Array.from({ length: 200 }, (_, n) =>
    claimableListing(n + 2, `a/other-${n}`, `https://github.com/others/other-${n}`),
  );
  await putListings(directory.context.store, ...others);
});
afterEach(() => directory.close());

const from = (network: string) => withCaller(service, { network });

/**
 * One claim of each of 200 listings, ten from each of 20 networks; what each got: the result of its check or
 * its code.
 */
const claimAll = () =>
  Array.from({ length: 200 }, (_, n) =>
    askClaim(from(`198.51.${n % 20}.7`), { handle: `a/other-${n}` }).then(
      ({ check }) => check.result,
      ({ code, facts }: { code: string; facts: { retry_after_s: number } }) =>
        `${code} ${facts.retry_after_s}`,
    ),
  );

/** Holds requests for the repositories of the 200 for `delay_ms`, then answers that there are none. */
const holdOthers = (delay_ms: number) => {
  directory.git.fault = ({ url }, response) => {
    const isOther = url?.startsWith('/others/') === true;
    if (isOther) setTimeout(() => response.writeHead(404).end(), delay_ms);
    return isOther;
  };
};

test('200 claims at a slow host starve neither each other nor an honest one', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  holdOthers(300);
  const others = claimAll();
  const { status, check } = await askClaim(from('203.0.113.9'));
  expect([status, check.result]).toEqual(['challenge_issued', 'file_absent']);
  const results = new Set(await Promise.all(others));
  expect([...results].sort()).toEqual(['repository_not_found', 'unavailable 5']);
});

test('a listing with a claim on record is checked while all other places are taken', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const { file_contents } = await directory.ask();
  directory.repository.commit({ 'dossier-claim.txt': file_contents as string });
  expect((await directory.ask()).status).toBe('claimed');
  directory.wait(31);
  const held: (() => void)[] = [];
  directory.git.fault = ({ url }, response) => {
    const isOther = url?.startsWith('/others/') === true;
    if (isOther) held.push(() => response.writeHead(404).end());
    return isOther;
  };
  const others = claimAll();
  await expect.poll(() => held).toHaveLength(12);
  expect((await askClaim(from('203.0.113.9'))).status).toBe('claimed');
  holdOthers(0);
  for (const answer of held) answer();
  expect(new Set(await Promise.all(others))).toContain('repository_not_found');
});
